// MasterService: the state of the cluster, procedures, and switches.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "klip/bytes.h"
#include "proto/Master.pb.h"
#include "rpc/schema_messages.h"
#include "server/cluster_messages.h"
#include "server/master_service.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

rpc::Error GetProcedureResult(Node* node, const GetProcedureResultRequest& request,
                              GetProcedureResultResponse* response) {
  const std::optional<ProcedureTable::Outcome> outcome = node->procedures.Find(request.proc_id());
  if (!outcome.has_value()) {
    response->set_state(GetProcedureResultResponse::NOT_FOUND);
    return {};
  }
  response->set_state(GetProcedureResultResponse::FINISHED);
  response->set_submitted_time(static_cast<uint64_t>(outcome->submitted_ms));
  response->set_last_update(static_cast<uint64_t>(outcome->submitted_ms));
  if (!outcome->error.ok()) {
    ForeignExceptionMessage* exception = response->mutable_exception();
    exception->set_source("klip");
    exception->mutable_generic_exception()->set_class_name(outcome->error.java_class());
    exception->mutable_generic_exception()->set_message(outcome->error.message());
  }
  return {};
}

// Adds a switch that is set by one method and read by another.
template <typename SetRequest, typename SetResponse>
void AddSwitch(MethodTable* methods, const char* name, std::atomic<bool>* value, bool (SetRequest::*wanted)() const,
               void (SetResponse::*set_before)(bool)) {
  methods->Add<SetRequest, SetResponse>(name,
                                        [=](const SetRequest& request, SetResponse* response, Call*) -> rpc::Error {
                                          (response->*set_before)(value->exchange((request.*wanted)()));
                                          return {};
                                        });
}
template <typename GetRequest, typename GetResponse>
void AddReading(MethodTable* methods, const char* name, const std::atomic<bool>* value,
                void (GetResponse::*set)(bool)) {
  methods->Add<GetRequest, GetResponse>(name, [=](const GetRequest&, GetResponse* response, Call*) -> rpc::Error {
    (response->*set)(value->load());
    return {};
  });
}

void AddSwitches(Node* node, MethodTable* methods) {
  Switches& switches = node->switches;
  AddSwitch(methods, "SetBalancerRunning", &switches.balancer, &SetBalancerRunningRequest::on,
            &SetBalancerRunningResponse::set_prev_balance_value);
  AddReading<IsBalancerEnabledRequest>(methods, "IsBalancerEnabled", &switches.balancer,
                                       &IsBalancerEnabledResponse::set_enabled);
  AddSwitch(methods, "SetNormalizerRunning", &switches.normalizer, &SetNormalizerRunningRequest::on,
            &SetNormalizerRunningResponse::set_prev_normalizer_value);
  AddReading<IsNormalizerEnabledRequest>(methods, "IsNormalizerEnabled", &switches.normalizer,
                                         &IsNormalizerEnabledResponse::set_enabled);
  AddSwitch(methods, "EnableCatalogJanitor", &switches.catalog_janitor, &EnableCatalogJanitorRequest::enable,
            &EnableCatalogJanitorResponse::set_prev_value);
  AddReading<IsCatalogJanitorEnabledRequest>(methods, "IsCatalogJanitorEnabled", &switches.catalog_janitor,
                                             &IsCatalogJanitorEnabledResponse::set_value);
  AddSwitch(methods, "SetCleanerChoreRunning", &switches.cleaner_chore, &SetCleanerChoreRunningRequest::on,
            &SetCleanerChoreRunningResponse::set_prev_value);
  AddReading<IsCleanerChoreEnabledRequest>(methods, "IsCleanerChoreEnabled", &switches.cleaner_chore,
                                           &IsCleanerChoreEnabledResponse::set_value);
  AddSwitch(methods, "SwitchSnapshotCleanup", &switches.snapshot_cleanup, &SetSnapshotCleanupRequest::enabled,
            &SetSnapshotCleanupResponse::set_prev_snapshot_cleanup);
  AddReading<IsSnapshotCleanupEnabledRequest>(methods, "IsSnapshotCleanupEnabled", &switches.snapshot_cleanup,
                                              &IsSnapshotCleanupEnabledResponse::set_enabled);
}

rpc::Error SetSplitOrMerge(Node* node, const SetSplitOrMergeEnabledRequest& request,
                           SetSplitOrMergeEnabledResponse* response) {
  for (const int type : request.switch_types()) {
    const bool split = type == MasterSwitchType::SPLIT;
    const Expected<bool> before =
        split ? node->admin().SetSplitEnabled(request.enabled()) : node->admin().SetMergeEnabled(request.enabled());
    if (!before.ok()) {
      return before.status();
    }
    (split ? node->switches.split : node->switches.merge) = request.enabled();
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
  methods->Add<GetClusterStatusRequest, GetClusterStatusResponse>(
      "GetClusterStatus", [node](const auto& request, GetClusterStatusResponse* response, Call*) -> rpc::Error {
        std::set<int> options(request.options().begin(), request.options().end());
        FillClusterStatus(node, options, response->mutable_cluster_status());
        return {};
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
        response->set_enabled(request.switch_type() == MasterSwitchType::SPLIT ? node->switches.split
                                                                               : node->switches.merge);
        return {};
      });
  methods->Add<IsInMaintenanceModeRequest, IsInMaintenanceModeResponse>(
      "IsMasterInMaintenanceMode", [](const auto&, IsInMaintenanceModeResponse* response, Call*) -> rpc::Error {
        response->set_inmaintenancemode(false);
        return {};
      });
  // Procedures are done when their number is told, so there is none to list or to abort, and nothing is locked.
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
