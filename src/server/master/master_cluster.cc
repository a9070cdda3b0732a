// MasterService: the state of the cluster, procedures, and switches.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "klip/bytes.h"
#include "proto/Master.pb.h"
#include "rpc/schema_messages.h"
#include "server/master/master_service.h"
#include "server/node/cluster_messages.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

rpc::Error GetProcedureResult(Node* node, const GetProcedureResultRequest& request,
                              GetProcedureResultResponse* response) {
  const std::optional<ProcedureTable::Procedure> procedure = node->procedures.Find(request.proc_id());
  if (!procedure.has_value()) {
    response->set_state(GetProcedureResultResponse::NOT_FOUND);
    return {};
  }
  const std::optional<rpc::Error>& outcome = procedure->outcome;
  response->set_state(outcome.has_value() ? GetProcedureResultResponse::FINISHED : GetProcedureResultResponse::RUNNING);
  response->set_submitted_time(static_cast<uint64_t>(procedure->submitted_ms));
  response->set_last_update(static_cast<uint64_t>(procedure->submitted_ms));
  if (outcome.has_value() && !outcome->ok()) {
    ForeignExceptionMessage* exception = response->mutable_exception();
    exception->set_source("klip");
    exception->mutable_generic_exception()->set_class_name(outcome->java_class());
    exception->mutable_generic_exception()->set_message(outcome->message());
  }
  return {};
}

// Adds a switch: one method sets it and another reads it.
template <typename SetRequest, typename SetResponse>
void AddSwitch(Node* node, MethodTable* methods, const char* name, MasterSwitch which,
               bool (SetRequest::*wanted)() const, void (SetResponse::*set_before)(bool)) {
  methods->Add<SetRequest, SetResponse>(
      name, [=](const SetRequest& request, SetResponse* response, Call*) -> rpc::Error {
        const Expected<bool> before = node->admin().cluster().SetSwitch(which, (request.*wanted)());
        if (before.ok()) {
          (response->*set_before)(*before);
        }
        return before.status();
      });
}
template <typename GetRequest, typename GetResponse>
void AddReading(Node* node, MethodTable* methods, const char* name, MasterSwitch which,
                void (GetResponse::*set)(bool)) {
  methods->Add<GetRequest, GetResponse>(name, [=](const GetRequest&, GetResponse* response, Call*) -> rpc::Error {
    const Expected<bool> on = node->admin().cluster().IsSwitchOn(which);
    if (on.ok()) {
      (response->*set)(*on);
    }
    return on.status();
  });
}

void AddSwitches(Node* node, MethodTable* methods) {
  AddSwitch(node, methods, "SetBalancerRunning", MasterSwitch::kBalancer, &SetBalancerRunningRequest::on,
            &SetBalancerRunningResponse::set_prev_balance_value);
  AddReading<IsBalancerEnabledRequest>(node, methods, "IsBalancerEnabled", MasterSwitch::kBalancer,
                                       &IsBalancerEnabledResponse::set_enabled);
  AddSwitch(node, methods, "SetNormalizerRunning", MasterSwitch::kNormalizer, &SetNormalizerRunningRequest::on,
            &SetNormalizerRunningResponse::set_prev_normalizer_value);
  AddReading<IsNormalizerEnabledRequest>(node, methods, "IsNormalizerEnabled", MasterSwitch::kNormalizer,
                                         &IsNormalizerEnabledResponse::set_enabled);
  AddSwitch(node, methods, "EnableCatalogJanitor", MasterSwitch::kCatalogJanitor, &EnableCatalogJanitorRequest::enable,
            &EnableCatalogJanitorResponse::set_prev_value);
  AddReading<IsCatalogJanitorEnabledRequest>(node, methods, "IsCatalogJanitorEnabled", MasterSwitch::kCatalogJanitor,
                                             &IsCatalogJanitorEnabledResponse::set_value);
  AddSwitch(node, methods, "SetCleanerChoreRunning", MasterSwitch::kCleanerChore, &SetCleanerChoreRunningRequest::on,
            &SetCleanerChoreRunningResponse::set_prev_value);
  AddReading<IsCleanerChoreEnabledRequest>(node, methods, "IsCleanerChoreEnabled", MasterSwitch::kCleanerChore,
                                           &IsCleanerChoreEnabledResponse::set_value);
  AddSwitch(node, methods, "SwitchSnapshotCleanup", MasterSwitch::kSnapshotCleanup, &SetSnapshotCleanupRequest::enabled,
            &SetSnapshotCleanupResponse::set_prev_snapshot_cleanup);
  AddReading<IsSnapshotCleanupEnabledRequest>(node, methods, "IsSnapshotCleanupEnabled", MasterSwitch::kSnapshotCleanup,
                                              &IsSnapshotCleanupEnabledResponse::set_enabled);
}

MasterSwitch SwitchOf(int type) {
  return type == MasterSwitchType::SPLIT ? MasterSwitch::kSplit : MasterSwitch::kMerge;
}

rpc::Error SetSplitOrMerge(Node* node, const SetSplitOrMergeEnabledRequest& request,
                           SetSplitOrMergeEnabledResponse* response) {
  for (const int type : request.switch_types()) {
    const Expected<bool> before = node->admin().cluster().SetSwitch(SwitchOf(type), request.enabled());
    if (!before.ok()) {
      return before.status();
    }
    response->add_prev_value(*before);
  }
  return {};
}

}  // namespace

void AddClusterMethods(Node* node, MethodTable* methods) {
  methods->Add<IsMasterRunningRequest, IsMasterRunningResponse>(
      "IsMasterRunning", [](const auto&, IsMasterRunningResponse* response, Call*) -> rpc::Error {
        response->set_is_master_running(true);
        return {};
      });
  // Stops the cluster, or its master: here, both are this process.
  methods->Add<ShutdownRequest, ShutdownResponse>("Shutdown",
                                                  [node](const auto&, auto*, Call*) { return node->AskToStop(); });
  methods->Add<StopMasterRequest, StopMasterResponse>("StopMaster",
                                                      [node](const auto&, auto*, Call*) { return node->AskToStop(); });
  methods->Add<GetClusterStatusRequest, GetClusterStatusResponse>(
      "GetClusterStatus", [node](const auto& request, GetClusterStatusResponse* response, Call*) -> rpc::Error {
        std::set<int> options(request.options().begin(), request.options().end());
        return FillClusterStatus(node, options, response->mutable_cluster_status());
      });
  methods->Add<GetProcedureResultRequest, GetProcedureResultResponse>(
      "getProcedureResult",
      [node](const auto& request, auto* response, Call*) { return GetProcedureResult(node, request, response); });
  methods->Add<SetSplitOrMergeEnabledRequest, SetSplitOrMergeEnabledResponse>(
      "SetSplitOrMergeEnabled",
      [node](const auto& request, auto* response, Call*) { return SetSplitOrMerge(node, request, response); });
  methods->Add<IsSplitOrMergeEnabledRequest, IsSplitOrMergeEnabledResponse>(
      "IsSplitOrMergeEnabled",
      [node](const auto& request, IsSplitOrMergeEnabledResponse* response, Call*) -> rpc::Error {
        const Expected<bool> on = node->admin().cluster().IsSwitchOn(SwitchOf(request.switch_type()));
        response->set_enabled(on.ok() && *on);
        return on.status();
      });
  methods->Add<IsInMaintenanceModeRequest, IsInMaintenanceModeResponse>(
      "IsMasterInMaintenanceMode", [](const auto&, IsInMaintenanceModeResponse* response, Call*) -> rpc::Error {
        response->set_inmaintenancemode(false);
        return {};
      });
  // Procedures are done when clients get their number, so there is none to list or abort, and nothing is locked.
  methods->Add<AbortProcedureRequest, AbortProcedureResponse>(
      "AbortProcedure", [](const auto&, AbortProcedureResponse* response, Call*) -> rpc::Error {
        response->set_is_procedure_aborted(false);
        return {};
      });
  methods->Add<GetProceduresRequest, GetProceduresResponse>("GetProcedures",
                                                            [](const auto&, auto*, Call*) -> rpc::Error { return {}; });
  methods->Add<GetLocksRequest, GetLocksResponse>("GetLocks",
                                                  [](const auto&, auto*, Call*) -> rpc::Error { return {}; });
  AddSwitches(node, methods);
}

}  // namespace klip::server
