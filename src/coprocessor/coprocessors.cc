#include "coprocessor/coprocessors.h"

#include <array>
#include <memory>
#include <set>
#include <utility>

#include "coprocessor/java_hooks.h"
#include "coprocessor/log_hooks.h"
#include "engine/store/views.h"
#include "proto/HBase.pb.h"
#include "rpc/names.h"
#include "table/info/java_classes.h"

namespace klip::coprocessor {

Coprocessors::Coprocessors(HostOptions options, bool off)
    : off_(off),
      on_all_tables_(!off && table::NamesRegionClasses(options.configuration)),
      on_servers_(!off && table::NamesServerClasses(options.configuration)),
      on_log_(!off && table::NamesLogClasses(options.configuration)),
      host_(std::move(options)) {}

Coprocessors::~Coprocessors() { Stop(); }

bool Coprocessors::Has(const TableDescriptor& table) const {
  return !off_ && (on_all_tables_ || !table::JavaClassesOf(table).empty());
}

table::StoreExtensions Coprocessors::ForStore() {
  return {.hooks = [this](const TableDescriptor& table) -> table::HookChainPtr {
            table::HookChain chain;
            if (Has(table)) {
              chain.push_back(std::make_shared<JavaHooks>(&host_));
            }
            if (on_log_) {
              chain.push_back(std::make_shared<LogHooks>(&host_));
            }
            return chain.empty() ? nullptr : std::make_shared<const table::HookChain>(std::move(chain));
          },
          .storage_hooks = &store_hooks_,
          .admin_hooks = on_servers_ ? &master_hooks_ : nullptr,
          .check_table = [this](const TableDescriptor& table) { return Check(table); }};
}

Status Coprocessors::Check(const TableDescriptor& table) {
  return off_ || table::JavaClassesOf(table).empty() ? Status::Ok() : host_.Check(table);
}

void Coprocessors::Listen(HostListener listener) {
  host_.Listen({.unloaded = std::move(listener.unloaded),
                .aborted = [this, tell = std::move(listener.aborted)](const std::string& why) {
                  {
                    const std::lock_guard lock(mutex_);
                    if (!abort_reason_.empty()) {
                      return;
                    }
                    abort_reason_ = why.empty() ? "unknown" : why;
                  }
                  tell(why);
                }});
}

std::string Coprocessors::abort_reason() {
  const std::lock_guard lock(mutex_);
  return abort_reason_;
}

Status Coprocessors::Serve(table::EmbeddedConnection* connection, std::string address) {
  connection_ = connection;
  host_.Serve(connection, std::move(address));
  watch_ = connection->store().views().WatchTables([this](const std::string& table) {
    const Expected<engine::TablePtr> view = connection_->store().views().GetTable(table);
    host_.CloseRegions(table, view.ok() && (*view)->enabled ? view->get() : nullptr);
  });
  if (on_servers_ || on_all_tables_) {
    KLIP_RETURN_IF_ERROR(host_.Services().status());
  }
  if (!off_) {
    for (const engine::TablePtr& table : connection->store().views().All()) {
      if (!table::JavaClassesOf(table->descriptor).empty()) {
        host_.CheckStored(table->descriptor);
      }
    }
  }
  return Status::Ok();
}

std::vector<std::string> Coprocessors::UncalledHooks() {
  static constexpr std::array<std::string_view, 5> kOfServers = {
      "preExecuteProcedures", "postExecuteProcedures", "postCreateReplicationEndPoint", "preReplicationSinkBatchMutate",
      "postReplicationSinkBatchMutate"};
  std::vector<std::string> hooks;
  if (!on_servers_) {
    return hooks;
  }
  if (const auto services = host_.Services(); services.ok()) {
    for (const std::string_view hook : kOfServers) {
      if ((*services)->server_hooks.contains(hook)) {
        hooks.emplace_back(hook);
      }
    }
  }
  return hooks;
}

void Coprocessors::Stop() {
  if (connection_ != nullptr) {
    connection_->store().views().Unwatch(watch_);
    connection_ = nullptr;
  }
  host_.Stop();
}

Expected<std::optional<ServiceAnswer>> Coprocessors::CallRegion(const engine::TablePtr& table,
                                                                const engine::Region& region,
                                                                const hbase::pb::CoprocessorServiceCall& call) {
  if (!Has(table->descriptor)) {
    return std::optional<ServiceAnswer>();
  }
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_.Take());
  KLIP_ASSIGN_OR_RETURN(const OpenRegionPtr open, host_.Open(&lease, *table, region));
  if (!open->services.contains(call.service_name())) {
    return std::optional<ServiceAnswer>();
  }
  KLIP_ASSIGN_OR_RETURN(ServiceAnswer answer, Call(Target::kRegion, &lease, open->id, call));
  return std::optional<ServiceAnswer>(std::move(answer));
}

Status Coprocessors::CallHook(std::string_view hook, const engine::TablePtr& table, const engine::Region& region) {
  if (!Has(table->descriptor)) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_.Take());
  KLIP_ASSIGN_OR_RETURN(const OpenRegionPtr open, host_.Open(&lease, *table, region));
  return (open->hooks & HooksOf(hook)).any() ? lease.Call(Method::kRegionEvent, BeginEvent(hook, *open)).status()
                                             : Status::Ok();
}

Expected<std::optional<ServiceAnswer>> Coprocessors::CallServer(Target target,
                                                                const hbase::pb::CoprocessorServiceCall& call) {
  if (!on_servers_) {
    return std::optional<ServiceAnswer>();
  }
  KLIP_ASSIGN_OR_RETURN(const std::shared_ptr<const HostServices> services, host_.Services());
  if (!(target == Target::kMaster ? services->master : services->server).contains(call.service_name())) {
    return std::optional<ServiceAnswer>();
  }
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_.Take());
  KLIP_ASSIGN_OR_RETURN(ServiceAnswer answer, Call(target, &lease, 0, call));
  return std::optional<ServiceAnswer>(std::move(answer));
}

namespace {

const std::set<std::string, std::less<>>& HooksOn(Target target, const HostServices& services) {
  return target == Target::kMaster ? services.master_hooks
         : target == Target::kLog  ? services.log_hooks
                                   : services.server_hooks;
}

// The name of a list's item: a text, or the namespace or table of a descriptor.
std::string NameOfItem(char tag, FrameReader* answer) {
  if (tag == 'N') {
    hbase::pb::NamespaceDescriptor name_space;
    answer->Message(&name_space);
    return name_space.name();
  }
  if (tag == 'D') {
    hbase::pb::TableSchema schema;
    answer->Message(&schema);
    return rpc::TableNameOf(schema.table_name());
  }
  return std::string(answer->Text());
}

}  // namespace

Expected<std::optional<std::vector<std::string>>> Coprocessors::CallServerHook(Target target, std::string_view hook,
                                                                               std::string_view method,
                                                                               const HookArguments& arguments) {
  constexpr uint8_t kChangedList = 2;
  KLIP_ASSIGN_OR_RETURN(const std::shared_ptr<const HostServices> services, host_.Services());
  std::optional<std::vector<std::string>> left;
  if (!HooksOn(target, *services).contains(hook)) {
    return left;
  }
  KLIP_ASSIGN_OR_RETURN(Host::Lease lease, host_.Take());
  FrameWriter call;
  call.Text(method);
  WriteCaller(&call);
  call.U32(arguments.count()).Raw(arguments.bytes());
  KLIP_ASSIGN_OR_RETURN(FrameReader answer,
                        lease.Call(target == Target::kMaster ? Method::kMaster : Method::kServerEvent, call));
  if (answer.U8() == kChangedList) {
    answer.U32();  // which list; HBase lets hooks change the one of descriptors or names
    left.emplace();
    for (uint32_t count = answer.U32(); count > 0 && answer.status().ok(); --count) {
      const auto tag = static_cast<char>(answer.U8());
      left->push_back(NameOfItem(tag, &answer));
    }
  }
  KLIP_RETURN_IF_ERROR(answer.status());
  return left;
}

Expected<ServiceAnswer> Coprocessors::Call(Target target, Host::Lease* lease, uint64_t region,
                                           const hbase::pb::CoprocessorServiceCall& call) {
  FrameWriter body;
  body.U8(static_cast<uint8_t>(target));
  WriteCaller(&body);
  body.U64(region).Message(call);
  KLIP_ASSIGN_OR_RETURN(FrameReader answer, lease->Call(Method::kService, body));
  ServiceAnswer result;
  result.java_class = answer.Text();
  result.bytes = answer.Text();
  KLIP_RETURN_IF_ERROR(answer.status());
  return result;
}

}  // namespace klip::coprocessor
