#include "server/node/server_hooks.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "coprocessor/coprocessors.h"
#include "coprocessor/hook_arguments.h"
#include "klip/caller.h"
#include "proto/Admin.pb.h"
#include "proto/Master.pb.h"
#include "rpc/schema_messages.h"
#include "server/node/cluster_messages.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages
using coprocessor::HookArguments;
using coprocessor::Target;

// A hook as observers override it, and the method of HBase's host that calls it, if its name differs.
struct HookName {
  std::string_view hook;
  std::string_view method = hook;
};

// What a hook has kept of the last list that it received; nullopt: all.
using Left = std::optional<std::vector<std::string>>;

class ServerHooks {
 public:
  ServerHooks(Node* node, Services* services) : node_(node), services_(services) {}

  void AddPlain();
  void AddSwitches();
  void AddRegions();
  void AddNamespaces();
  void AddTables();
  void AddSnapshots();

 private:
  rpc::Error Call(Target target, const HookName& name, const HookArguments& arguments, Left* left = nullptr) const {
    Expected<Left> called = node_->coprocessors->CallServerHook(target, name.hook, name.method, arguments);
    if (!called.ok()) {
      return rpc::Error(called.status());
    }
    if (left != nullptr) {
      *left = *std::move(called);
    }
    return {};
  }
  rpc::Error OnMaster(std::string_view hook, const HookArguments& arguments, Left* left = nullptr) const {
    return Call(Target::kMaster, {hook}, arguments, left);
  }

  template <typename Request, typename Response>
  void Around(std::string_view service, std::string_view method, std::function<rpc::Error(const Request&)> before,
              std::function<rpc::Error(const Request&, Response*)> after);
  void AroundAny(std::string_view service, std::string_view method, std::function<rpc::Error()> before,
                 std::function<rpc::Error()> after);
  template <typename Request, typename Response>
  void AroundRegion(std::string_view method, std::string_view before, std::string_view after);
  rpc::Error OnRegion(const RegionSpecifier& specifier, std::string_view hook) const;

  Node* const node_;
  Services* const services_;
};

// Runs code after a successful call, before its answer is sent.
class AfterCall final : public Responder {
 public:
  using Run = std::function<rpc::Error(const google::protobuf::MessageLite& response,
                                       std::unique_ptr<google::protobuf::MessageLite>* replaced)>;
  AfterCall(Responder* responder, Run run) : responder_(responder), run_(std::move(run)) {}

  void Respond(server::Call* call, const rpc::Error& error, const google::protobuf::MessageLite* response) override {
    if (!error.ok() || response == nullptr) {
      responder_->Respond(call, error, response);
      return;
    }
    std::unique_ptr<google::protobuf::MessageLite> replaced;
    const rpc::Error after = run_(*response, &replaced);
    responder_->Respond(call, after, !after.ok() ? nullptr : replaced != nullptr ? replaced.get() : response);
  }

 private:
  Responder* const responder_;
  const Run run_;
};

template <typename Request, typename Response>
void ServerHooks::Around(std::string_view service, std::string_view method,
                         std::function<rpc::Error(const Request&)> before,
                         std::function<rpc::Error(const Request&, Response*)> after) {
  Method* const found = services_->at(std::string(service)).Find(method);
  found->run = [inner = std::move(found->run), before = std::move(before), after = std::move(after)](
                   server::Call* call, Responder* responder) {
    Request request;
    if (!request.ParseFromArray(call->param.data(), static_cast<int>(call->param.size()))) {
      inner(call, responder);  // reports what is wrong
      return;
    }
    if (const rpc::Error error = before(request); !error.ok()) {
      responder->Respond(call, error, nullptr);
      return;
    }
    AfterCall then(responder, [&](const auto& response, auto* replaced) {
      auto changed = std::make_unique<Response>(static_cast<const Response&>(response));
      rpc::Error error = after(request, changed.get());
      *replaced = std::move(changed);
      return error;
    });
    inner(call, &then);
  };
}

// The same for a call whose messages do not matter to hooks.
void ServerHooks::AroundAny(std::string_view service, std::string_view method, std::function<rpc::Error()> before,
                            std::function<rpc::Error()> after) {
  Method* const found = services_->at(std::string(service)).Find(method);
  found->run = [inner = std::move(found->run), before = std::move(before), after = std::move(after)](
                   server::Call* call, Responder* responder) {
    if (const rpc::Error error = before(); !error.ok()) {
      responder->Respond(call, error, nullptr);
      return;
    }
    AfterCall then(responder, [&](const auto&, auto*) { return after(); });
    inner(call, &then);
  };
}

// Hooks without arguments, or with arguments that only HBase has.
void ServerHooks::AddPlain() {
  struct Plain {
    std::string_view service;
    std::string_view method;
    Target target;
    HookName before;
    size_t arguments_before = 0;
    HookName after;
    size_t arguments_after = 0;
  };
  constexpr Target kMaster = Target::kMaster;
  constexpr Target kServer = Target::kRegionServer;
  constexpr HookName kNothing = {""};
  static const Plain kAll[] = {
      {"MasterService", "FlushMasterStore", kMaster, {"preMasterStoreFlush"}, 0, {"postMasterStoreFlush"}, 0},
      {"MasterService", "Shutdown", kMaster, {"preShutdown"}, 0, kNothing, 0},
      {"MasterService", "StopMaster", kMaster, {"preStopMaster"}, 0, kNothing, 0},
      {"MasterService", "GetClusterStatus", kMaster, {"preGetClusterMetrics"}, 0, {"postGetClusterMetrics"}, 1},
      {"MasterService", "Balance", kMaster, {"preBalance"}, 1, {"postBalance"}, 2},
      {"AdminService", "RollWALWriter", kServer, {"preRollWALWriterRequest"}, 0, {"postRollWALWriterRequest"}, 0},
      {"AdminService", "RollWALWriter", Target::kLog, {"preWALRoll"}, 2, {"postWALRoll"}, 2},
      {"AdminService", "ReplicateWALEntry", kServer, {"preReplicateLogEntries"}, 0, {"postReplicateLogEntries"}, 0},
      {"AdminService",
       "ClearCompactionQueues",
       kServer,
       {"preClearCompactionQueues"},
       0,
       {"postClearCompactionQueues"},
       0},
      {"AdminService",
       "ClearRegionBlockCache",
       kServer,
       {"preClearRegionBlockCache"},
       0,
       {"postClearRegionBlockCache"},
       1},
      {"AdminService",
       "UpdateConfiguration",
       kServer,
       {"preUpdateRegionServerConfiguration", "preUpdateConfiguration"},
       1,
       {"postUpdateRegionServerConfiguration", "postUpdateConfiguration"},
       1},
      {"AdminService",
       "UpdateConfiguration",
       kMaster,
       {"preUpdateMasterConfiguration", "preUpdateConfiguration"},
       1,
       {"postUpdateMasterConfiguration", "postUpdateConfiguration"},
       1},
  };
  for (const Plain& one : kAll) {
    const auto run = [this](Target target, const HookName& name, size_t count) {
      return [hooks = *this, target, name, count]() -> rpc::Error {
        HookArguments arguments;
        for (size_t i = 0; i < count; ++i) {
          arguments.None();
        }
        return name.hook.empty() ? rpc::Error() : hooks.Call(target, name, arguments);
      };
    };
    AroundAny(one.service, one.method, run(one.target, one.before, one.arguments_before),
              run(one.target, one.after, one.arguments_after));
  }
}

void ServerHooks::AddSwitches() {
  Around<SetBalancerRunningRequest, SetBalancerRunningResponse>(
      "MasterService", "SetBalancerRunning",
      [hooks = *this](const auto& request) {
        return hooks.OnMaster("preBalanceSwitch", HookArguments().Flag(request.on()));
      },
      [hooks = *this](const auto& request, auto* response) {
        return hooks.OnMaster("postBalanceSwitch",
                              HookArguments().Flag(response->prev_balance_value()).Flag(request.on()));
      });
  const auto each = [hooks = *this](const SetSplitOrMergeEnabledRequest& request, std::string_view hook) -> rpc::Error {
    for (const int type : request.switch_types()) {
      HookArguments arguments;
      arguments.Flag(request.enabled()).Text(type == MasterSwitchType::SPLIT ? "SPLIT" : "MERGE");
      KLIP_RPC_RETURN_IF_ERROR(hooks.OnMaster(hook, arguments));
    }
    return {};
  };
  Around<SetSplitOrMergeEnabledRequest, SetSplitOrMergeEnabledResponse>(
      "MasterService", "SetSplitOrMergeEnabled",
      [each](const auto& request) { return each(request, "preSetSplitOrMergeEnabled"); },
      [each](const auto& request, auto*) { return each(request, "postSetSplitOrMergeEnabled"); });
  Around<StopServerRequest, StopServerResponse>(
      "AdminService", "StopServer",
      [hooks = *this](const auto& request) {
        return hooks.Call(Target::kRegionServer, {"preStopRegionServer", "preStop"},
                          HookArguments().Text(request.reason()).Text(Caller::Current().user));
      },
      [](const auto&, auto*) { return rpc::Error(); });
}

// An unknown region has no hooks: the call reports it.
rpc::Error ServerHooks::OnRegion(const RegionSpecifier& specifier, std::string_view hook) const {
  RegionRef region;
  if (!node_->regions.FindAny(specifier, &region).ok()) {
    return {};
  }
  hbase::pb::RegionInfo info;
  FillRegionInfo(*region.region, &info);
  return OnMaster(hook, HookArguments().Message('R', info));
}

template <typename Request, typename Response>
void ServerHooks::AroundRegion(std::string_view method, std::string_view before, std::string_view after) {
  Around<Request, Response>(
      "MasterService", method,
      [hooks = *this, before](const auto& request) { return hooks.OnRegion(request.region(), before); },
      [hooks = *this, after](const auto& request, auto*) { return hooks.OnRegion(request.region(), after); });
}

void ServerHooks::AddRegions() {
  AroundRegion<AssignRegionRequest, AssignRegionResponse>("AssignRegion", "preAssign", "postAssign");
  AroundRegion<UnassignRegionRequest, UnassignRegionResponse>("UnassignRegion", "preUnassign", "postUnassign");
  AroundRegion<OfflineRegionRequest, OfflineRegionResponse>("OfflineRegion", "preRegionOffline", "postRegionOffline");
  // Moves call none: HBase calls no hook if a region stays on its server.
  const auto truncate = [hooks = *this](const TruncateRegionRequest& request, std::string_view hook,
                                        bool with_user) -> rpc::Error {
    HookArguments arguments;
    arguments.Message('R', request.region_info());
    if (with_user) {
      arguments.Text(Caller::Current().user);
    }
    return hooks.OnMaster(hook, arguments);
  };
  Around<TruncateRegionRequest, TruncateRegionResponse>(
      "MasterService", "TruncateRegion",
      [truncate](const auto& request) -> rpc::Error {
        KLIP_RPC_RETURN_IF_ERROR(truncate(request, "preTruncateRegion", false));
        return truncate(request, "preTruncateRegionAction", true);
      },
      [truncate](const auto& request, auto*) -> rpc::Error {
        KLIP_RPC_RETURN_IF_ERROR(truncate(request, "postTruncateRegionAction", true));
        return truncate(request, "postTruncateRegion", false);
      });
}

// Keeps the items of an answer's list that a hook has kept, where `items` has their names.
template <typename List>
void Keep(const std::vector<std::string>& left, const std::vector<std::string>& items, List* list) {
  const std::set<std::string_view> kept(left.begin(), left.end());
  List rest;
  for (int i = 0; i < list->size(); ++i) {
    if (kept.contains(items[static_cast<size_t>(i)])) {
      *rest.Add() = list->Get(i);
    }
  }
  list->Swap(&rest);
}

// HBase passes the regular expression of a listing, or null.
template <typename Request>
void AddPattern(const Request& request, HookArguments* arguments) {
  if (request.has_regex()) {
    arguments->Text(request.regex());
  } else {
    arguments->None();
  }
}

template <typename Items, typename Name>
std::vector<std::string> NamesOf(const Items& items, const Name& name) {
  std::vector<std::string> names;
  for (const auto& one : items) {
    names.push_back(name(one));
  }
  return names;
}

void ServerHooks::AddNamespaces() {
  Around<ListNamespacesRequest, ListNamespacesResponse>(
      "MasterService", "ListNamespaces",
      [hooks = *this](const auto&) { return hooks.OnMaster("preListNamespaces", HookArguments().List(0)); },
      [hooks = *this](const auto&, auto* response) -> rpc::Error {
        const auto names = NamesOf(response->namespacename(), [](const std::string& name) { return name; });
        HookArguments arguments;
        arguments.List(names.size());
        for (const std::string& name : names) {
          arguments.Text(name);
        }
        Left left;
        KLIP_RPC_RETURN_IF_ERROR(hooks.OnMaster("postListNamespaces", arguments, &left));
        if (left.has_value()) {
          Keep(*left, names, response->mutable_namespacename());
        }
        return {};
      });
  Around<ListNamespaceDescriptorsRequest, ListNamespaceDescriptorsResponse>(
      "MasterService", "ListNamespaceDescriptors",
      [hooks = *this](const auto&) { return hooks.OnMaster("preListNamespaceDescriptors", HookArguments().List(0)); },
      [hooks = *this](const auto&, auto* response) -> rpc::Error {
        HookArguments arguments;
        arguments.List(static_cast<size_t>(response->namespacedescriptor_size()));
        for (const auto& one : response->namespacedescriptor()) {
          arguments.Message('N', one);
        }
        Left left;
        KLIP_RPC_RETURN_IF_ERROR(hooks.OnMaster("postListNamespaceDescriptors", arguments, &left));
        if (left.has_value()) {
          Keep(*left, NamesOf(response->namespacedescriptor(), [](const auto& one) { return one.name(); }),
               response->mutable_namespacedescriptor());
        }
        return {};
      });
}

// The names that a client has listed; as in HBase, null if it has listed none.
HookArguments NamesAsked(const GetTableDescriptorsRequest& request) {
  HookArguments arguments;
  if (request.table_names().empty()) {
    arguments.None();
    return arguments;
  }
  arguments.List(static_cast<size_t>(request.table_names_size()));
  for (const auto& name : request.table_names()) {
    arguments.Table(TableNameOf(name));
  }
  return arguments;
}

void ServerHooks::AddTables() {
  Around<GetTableDescriptorsRequest, GetTableDescriptorsResponse>(
      "MasterService", "GetTableDescriptors",
      [hooks = *this](const auto& request) {
        HookArguments arguments = NamesAsked(request);
        arguments.List(0);
        AddPattern(request, &arguments);
        return hooks.OnMaster("preGetTableDescriptors", arguments);
      },
      [hooks = *this](const auto& request, auto* response) -> rpc::Error {
        HookArguments arguments = NamesAsked(request);
        arguments.List(static_cast<size_t>(response->table_schema_size()));
        for (const auto& one : response->table_schema()) {
          arguments.Message('D', one);
        }
        AddPattern(request, &arguments);
        Left left;
        KLIP_RPC_RETURN_IF_ERROR(hooks.OnMaster("postGetTableDescriptors", arguments, &left));
        if (left.has_value()) {
          Keep(*left, NamesOf(response->table_schema(), [](const auto& one) { return TableNameOf(one.table_name()); }),
               response->mutable_table_schema());
        }
        return {};
      });
  Around<GetTableNamesRequest, GetTableNamesResponse>(
      "MasterService", "GetTableNames",
      [hooks = *this](const auto& request) {
        HookArguments arguments;
        arguments.List(0);
        AddPattern(request, &arguments);
        return hooks.OnMaster("preGetTableNames", arguments);
      },
      [hooks = *this](const auto& request, auto* response) -> rpc::Error {
        const auto names = NamesOf(response->table_names(), [](const auto& one) { return TableNameOf(one); });
        HookArguments arguments;
        arguments.List(names.size());
        for (const std::string& name : names) {
          const Expected<klip::TableDescriptor> found = hooks.node_->admin().GetDescriptor(name);
          TableSchema schema;
          rpc::FillTableSchema(found.ok() ? *found : klip::TableDescriptor{.name = name}, &schema);
          arguments.Message('D', schema);
        }
        AddPattern(request, &arguments);
        Left left;
        KLIP_RPC_RETURN_IF_ERROR(hooks.OnMaster("postGetTableNames", arguments, &left));
        if (left.has_value()) {
          Keep(*left, names, response->mutable_table_names());
        }
        return {};
      });
}

void ServerHooks::AddSnapshots() {
  // A snapshot that a hook rejects is omitted, as HBase does if permission is denied.
  Around<GetCompletedSnapshotsRequest, GetCompletedSnapshotsResponse>(
      "MasterService", "GetCompletedSnapshots", [](const auto&) { return rpc::Error(); },
      [hooks = *this](const auto&, auto* response) -> rpc::Error {
        google::protobuf::RepeatedPtrField<SnapshotDescription> listed;
        for (const SnapshotDescription& one : response->snapshots()) {
          HookArguments arguments;
          arguments.Message('S', one);
          if (hooks.OnMaster("preListSnapshot", arguments).ok()) {
            KLIP_RPC_RETURN_IF_ERROR(hooks.OnMaster("postListSnapshot", arguments));
            *listed.Add() = one;
          }
        }
        response->mutable_snapshots()->Swap(&listed);
        return {};
      });
}

}  // namespace

void AddServerHooks(Node* node, Services* services) {
  if (node->coprocessors == nullptr || !node->coprocessors->has_server_classes()) {
    return;
  }
  ServerHooks hooks(node, services);
  hooks.AddPlain();
  hooks.AddSwitches();
  hooks.AddRegions();
  hooks.AddNamespaces();
  hooks.AddTables();
  hooks.AddSnapshots();
}

}  // namespace klip::server
