// MasterService: features that klip does not have (quotas, permissions, several servers). The answers are those of a
// cluster that has them off, or is empty.
#include "proto/Client.pb.h"
#include "proto/Master.pb.h"
#include "server/master/master_service.h"
#include "server/node/log_entries.h"
#include "server/node/services.h"
#include "server/node/user_services.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

// Answers with an empty message.
template <typename Request, typename Response>
void AddEmpty(MethodTable* methods, const char* name) {
  methods->Add<Request, Response>(name, [](const auto&, auto*, Call*) -> rpc::Error { return {}; });
}

template <typename Request, typename Response>
void Refuse(MethodTable* methods, const char* name, const char* why) {
  methods->Add<Request, Response>(
      name, [why](const auto&, auto*, Call*) -> rpc::Error { return Status(Code::kUnsupported, why); });
}

void AddQuotas(Node* node, MethodTable* methods) {
  constexpr const char* kNoQuotas = "quota support disabled";
  Refuse<SetQuotaRequest, SetQuotaResponse>(methods, "SetQuota", kNoQuotas);
  methods->Add<SwitchExceedThrottleQuotaRequest, SwitchExceedThrottleQuotaResponse>(
      "SwitchExceedThrottleQuota", [](const auto&, SwitchExceedThrottleQuotaResponse* response, Call*) -> rpc::Error {
        response->set_previous_exceed_throttle_quota_enabled(false);  // as HBase does without quotas
        return {};
      });
  AddEmpty<GetSpaceQuotaRegionSizesRequest, GetSpaceQuotaRegionSizesResponse>(methods, "GetSpaceQuotaRegionSizes");
  AddEmpty<GetQuotaStatesRequest, GetQuotaStatesResponse>(methods, "GetQuotaStates");
  methods->Add<SwitchRpcThrottleRequest, SwitchRpcThrottleResponse>(
      "SwitchRpcThrottle", [node](const auto& request, SwitchRpcThrottleResponse* response, Call*) -> rpc::Error {
        const Expected<bool> before =
            node->admin().cluster().SetSwitch(MasterSwitch::kRpcThrottle, request.rpc_throttle_enabled());
        response->set_previous_rpc_throttle_enabled(before.ok() && *before);
        return before.status();
      });
  methods->Add<IsRpcThrottleEnabledRequest, IsRpcThrottleEnabledResponse>(
      "IsRpcThrottleEnabled", [node](const auto&, IsRpcThrottleEnabledResponse* response, Call*) -> rpc::Error {
        const Expected<bool> on = node->admin().cluster().IsSwitchOn(MasterSwitch::kRpcThrottle);
        response->set_rpc_throttle_enabled(on.ok() && *on);
        return on.status();
      });
}

void AddPermissions(MethodTable* methods) {
  constexpr const char* kNoPermissions = "DISABLED: access control is not available";
  Refuse<GrantRequest, GrantResponse>(methods, "Grant", kNoPermissions);
  Refuse<RevokeRequest, RevokeResponse>(methods, "Revoke", kNoPermissions);
  Refuse<GetUserPermissionsRequest, GetUserPermissionsResponse>(methods, "GetUserPermissions", kNoPermissions);
  Refuse<HasUserPermissionsRequest, HasUserPermissionsResponse>(methods, "HasUserPermissions", kNoPermissions);
  methods->Add<SecurityCapabilitiesRequest, SecurityCapabilitiesResponse>(
      "getSecurityCapabilities", [](const auto&, SecurityCapabilitiesResponse* response, Call*) -> rpc::Error {
        response->add_capabilities(SecurityCapabilitiesResponse::SIMPLE_AUTHENTICATION);
        return {};
      });
}

}  // namespace

void AddAbsentMethods(Node* node, MethodTable* methods) {
  AddQuotas(node, methods);
  AddPermissions(methods);
  // Endpoints of the master: groups of servers are one of them, if configured.
  methods->Add<CoprocessorServiceRequest, CoprocessorServiceResponse>(
      "ExecMasterService", [node](const auto& request, auto* response, Call*) {
        const rpc::Error none = rpc::Error::Hbase("exceptions.UnknownProtocolException",
                                                  "No registered Master Coprocessor Endpoint found for " +
                                                      request.call().service_name() + ". Has it been enabled?",
                                                  true);
        return CallServerService(node, coprocessor::Target::kMaster, request, none, response);
      });
  // Chores without work here: they report that they ran, and moved or found nothing.
  methods->Add<BalanceRequest, BalanceResponse>(
      "Balance", [node](const auto&, BalanceResponse* response, Call*) -> rpc::Error {
        const Expected<BalanceResult> balanced = node->admin().cluster().Balance();
        response->set_balancer_ran(balanced.ok() && balanced->ran);
        response->set_moves_calculated(0);
        response->set_moves_executed(0);
        return balanced.status();
      });
  methods->Add<NormalizeRequest, NormalizeResponse>(
      "Normalize", [node](const auto&, NormalizeResponse* response, Call*) -> rpc::Error {
        const Expected<bool> ran = node->admin().cluster().Normalize();
        response->set_normalizer_ran(ran.ok() && *ran);
        return ran.status();
      });
  methods->Add<RunCatalogScanRequest, RunCatalogScanResponse>(
      "RunCatalogScan", [node](const auto&, RunCatalogScanResponse* response, Call*) -> rpc::Error {
        const Expected<int> cleaned = node->admin().cluster().RunCatalogJanitor();
        response->set_scan_result(cleaned.ok() ? *cleaned : 0);
        return cleaned.status();
      });
  methods->Add<RunCleanerChoreRequest, RunCleanerChoreResponse>(
      "RunCleanerChore", [node](const auto&, RunCleanerChoreResponse* response, Call*) -> rpc::Error {
        const Expected<bool> ran = node->admin().cluster().RunCleanerChore();
        response->set_cleaner_chore_ran(ran.ok() && *ran);
        return ran.status();
      });
  // The balancer's log: as with hbase.master.balancer.decision.buffer.enabled=false, HBase's default, it is empty.
  methods->Add<LogRequest, LogEntry>("GetLogEntries", [](const auto& request, LogEntry* response, Call*) {
    return AsksForLog(request, "$BalancerDecisionsRequest")
               ? AnswerLog(request, "$BalancerDecisionsRequest", "$BalancerDecisionsResponse", "", response)
               : AnswerLog(request, "$BalancerRejectionsRequest", "$BalancerRejectionsResponse", "", response);
  });
  AddEmpty<ListDecommissionedRegionServersRequest, ListDecommissionedRegionServersResponse>(
      methods, "ListDecommissionedRegionServers");
  AddEmpty<RecommissionRegionServerRequest, RecommissionRegionServerResponse>(methods, "RecommissionRegionServer");
  AddEmpty<FlushMasterStoreRequest, FlushMasterStoreResponse>(methods, "FlushMasterStore");
  AddEmpty<ClearDeadServersRequest, ClearDeadServersResponse>(methods, "ClearDeadServers");
  Refuse<DecommissionRegionServersRequest, DecommissionRegionServersResponse>(
      methods, "DecommissionRegionServers", "klip is a single server, so its regions cannot move");
}

void AddHbckService(Node* node, MethodTable* methods) {
  methods->Add<RunHbckChoreRequest, RunHbckChoreResponse>(
      "RunHbckChore", [node](const auto&, RunHbckChoreResponse* response, Call*) -> rpc::Error {
        const Expected<bool> ran = node->admin().cluster().RunHbckChore();
        response->set_ran(ran.ok() && *ran);
        return ran.status();
      });
}

}  // namespace klip::server
