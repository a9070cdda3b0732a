// RemoteClusterAdmin: calls to the master.
#include <algorithm>
#include <map>
#include <utility>

#include "hbase/admin/remote_admin.h"
#include "hbase/admin/remote_parts.h"
#include "klip/bytes.h"
#include "proto/Admin.pb.h"
#include "proto/Master.pb.h"
#include "proto/Replication.pb.h"
#include "rpc/cluster_messages.h"
#include "rpc/names.h"

namespace klip::client {
Expected<ClusterMetrics> RemoteClusterAdmin::GetClusterMetrics() {
  hbase::pb::GetClusterStatusRequest request;
  for (const hbase::pb::Option option :
       {hbase::pb::HBASE_VERSION, hbase::pb::CLUSTER_ID, hbase::pb::LIVE_SERVERS, hbase::pb::DEAD_SERVERS,
        hbase::pb::MASTER, hbase::pb::BACKUP_MASTERS, hbase::pb::MASTER_COPROCESSORS, hbase::pb::REGIONS_IN_TRANSITION,
        hbase::pb::BALANCER_ON, hbase::pb::TASKS, hbase::pb::UNKNOWN_SERVERS}) {
    request.add_options(option);
  }
  hbase::pb::GetClusterStatusResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetClusterStatus", request, &response));
  return rpc::ToClusterMetrics(response.cluster_status());
}

Expected<bool> RemoteClusterAdmin::SetSplitOrMerge(MasterSwitch which, bool on) {
  hbase::pb::SetSplitOrMergeEnabledRequest request;
  request.set_enabled(on);
  request.set_synchronous(true);
  request.add_switch_types(which == MasterSwitch::kMerge ? hbase::pb::MERGE : hbase::pb::SPLIT);
  hbase::pb::SetSplitOrMergeEnabledResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("SetSplitOrMergeEnabled", request, &response));
  return response.prev_value_size() > 0 && response.prev_value(0);
}

template <typename Response, typename Request>
Expected<bool> RemoteClusterAdmin::Ask(std::string_view method, const Request& request,
                                       bool (Response::*answer)() const) {
  Response response;
  KLIP_RETURN_IF_ERROR(CallMaster(method, request, &response));
  return (response.*answer)();
}

Expected<bool> RemoteClusterAdmin::SetSwitch(MasterSwitch which, bool on) {
  switch (which) {
    case MasterSwitch::kSplit:
    case MasterSwitch::kMerge:
      break;
    case MasterSwitch::kBalancer: {
      hbase::pb::SetBalancerRunningRequest request;
      request.set_on(on);
      request.set_synchronous(true);
      return Ask("SetBalancerRunning", request, &hbase::pb::SetBalancerRunningResponse::prev_balance_value);
    }
    case MasterSwitch::kNormalizer: {
      hbase::pb::SetNormalizerRunningRequest request;
      request.set_on(on);
      return Ask("SetNormalizerRunning", request, &hbase::pb::SetNormalizerRunningResponse::prev_normalizer_value);
    }
    case MasterSwitch::kCatalogJanitor: {
      hbase::pb::EnableCatalogJanitorRequest request;
      request.set_enable(on);
      return Ask("EnableCatalogJanitor", request, &hbase::pb::EnableCatalogJanitorResponse::prev_value);
    }
    case MasterSwitch::kCleanerChore: {
      hbase::pb::SetCleanerChoreRunningRequest request;
      request.set_on(on);
      return Ask("SetCleanerChoreRunning", request, &hbase::pb::SetCleanerChoreRunningResponse::prev_value);
    }
    case MasterSwitch::kSnapshotCleanup: {
      hbase::pb::SetSnapshotCleanupRequest request;
      request.set_enabled(on);
      request.set_synchronous(true);
      return Ask("SwitchSnapshotCleanup", request, &hbase::pb::SetSnapshotCleanupResponse::prev_snapshot_cleanup);
    }
    case MasterSwitch::kRpcThrottle: {
      hbase::pb::SwitchRpcThrottleRequest request;
      request.set_rpc_throttle_enabled(on);
      return Ask("SwitchRpcThrottle", request, &hbase::pb::SwitchRpcThrottleResponse::previous_rpc_throttle_enabled);
    }
    case MasterSwitch::kPeerModification: {
      hbase::pb::ReplicationPeerModificationSwitchRequest request;
      request.set_on(on);
      return Ask("ReplicationPeerModificationSwitch", request,
                 &hbase::pb::ReplicationPeerModificationSwitchResponse::previous_value);
    }
  }
  return SetSplitOrMerge(which, on);
}

Expected<bool> RemoteClusterAdmin::IsSwitchOn(MasterSwitch which) {
  switch (which) {
    case MasterSwitch::kSplit:
    case MasterSwitch::kMerge:
      break;
    case MasterSwitch::kBalancer:
      return Ask("IsBalancerEnabled", hbase::pb::IsBalancerEnabledRequest(),
                 &hbase::pb::IsBalancerEnabledResponse::enabled);
    case MasterSwitch::kNormalizer:
      return Ask("IsNormalizerEnabled", hbase::pb::IsNormalizerEnabledRequest(),
                 &hbase::pb::IsNormalizerEnabledResponse::enabled);
    case MasterSwitch::kCatalogJanitor:
      return Ask("IsCatalogJanitorEnabled", hbase::pb::IsCatalogJanitorEnabledRequest(),
                 &hbase::pb::IsCatalogJanitorEnabledResponse::value);
    case MasterSwitch::kCleanerChore:
      return Ask("IsCleanerChoreEnabled", hbase::pb::IsCleanerChoreEnabledRequest(),
                 &hbase::pb::IsCleanerChoreEnabledResponse::value);
    case MasterSwitch::kSnapshotCleanup:
      return Ask("IsSnapshotCleanupEnabled", hbase::pb::IsSnapshotCleanupEnabledRequest(),
                 &hbase::pb::IsSnapshotCleanupEnabledResponse::enabled);
    case MasterSwitch::kRpcThrottle:
      return Ask("IsRpcThrottleEnabled", hbase::pb::IsRpcThrottleEnabledRequest(),
                 &hbase::pb::IsRpcThrottleEnabledResponse::rpc_throttle_enabled);
    case MasterSwitch::kPeerModification:
      return Ask("IsReplicationPeerModificationEnabled", hbase::pb::IsReplicationPeerModificationEnabledRequest(),
                 &hbase::pb::IsReplicationPeerModificationEnabledResponse::enabled);
  }
  hbase::pb::IsSplitOrMergeEnabledRequest request;
  request.set_switch_type(which == MasterSwitch::kMerge ? hbase::pb::MERGE : hbase::pb::SPLIT);
  return Ask("IsSplitOrMergeEnabled", request, &hbase::pb::IsSplitOrMergeEnabledResponse::enabled);
}

Expected<BalanceResult> RemoteClusterAdmin::Balance(const BalanceOptions& options) {
  hbase::pb::BalanceRequest request;
  request.set_dry_run(options.dry_run);
  request.set_ignore_rit(options.ignore_regions_in_transition);
  hbase::pb::BalanceResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("Balance", request, &response));
  return BalanceResult{.ran = response.balancer_ran(),
                       .moves_planned = static_cast<int32_t>(response.moves_calculated()),
                       .moves_made = static_cast<int32_t>(response.moves_executed())};
}

Expected<bool> RemoteClusterAdmin::Normalize() {
  return Ask("Normalize", hbase::pb::NormalizeRequest(), &hbase::pb::NormalizeResponse::normalizer_ran);
}

Expected<int> RemoteClusterAdmin::RunCatalogJanitor() {
  hbase::pb::RunCatalogScanResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("RunCatalogScan", hbase::pb::RunCatalogScanRequest(), &response));
  return response.scan_result();
}

Expected<bool> RemoteClusterAdmin::RunCleanerChore() {
  return Ask("RunCleanerChore", hbase::pb::RunCleanerChoreRequest(),
             &hbase::pb::RunCleanerChoreResponse::cleaner_chore_ran);
}

Expected<bool> RemoteClusterAdmin::RunHbckChore() {
  hbase::pb::RunHbckChoreResponse response;
  KLIP_RETURN_IF_ERROR(cluster_->CallMaster("RunHbckChore", hbase::pb::RunHbckChoreRequest(), &response,
                                            cluster_->OperationDeadline(), "HbckService"));
  return response.ran();
}

Expected<bool> RemoteClusterAdmin::IsInMaintenanceMode() {
  return Ask("IsMasterInMaintenanceMode", hbase::pb::IsInMaintenanceModeRequest(),
             &hbase::pb::IsInMaintenanceModeResponse::inmaintenancemode);
}

Expected<std::vector<std::string>> RemoteClusterAdmin::GetSecurityCapabilities() {
  hbase::pb::SecurityCapabilitiesResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("getSecurityCapabilities", hbase::pb::SecurityCapabilitiesRequest(), &response));
  std::vector<int> capabilities(response.capabilities().begin(), response.capabilities().end());
  std::ranges::sort(capabilities);  // HBase returns them in the order of a hash set
  std::vector<std::string> names;
  for (const int capability : capabilities) {
    names.push_back(hbase::pb::SecurityCapabilitiesResponse_Capability_Name(capability));
  }
  return names;
}

Status RemoteClusterAdmin::FlushMasterStore() {
  hbase::pb::FlushMasterStoreResponse response;
  return CallMaster("FlushMasterStore", hbase::pb::FlushMasterStoreRequest(), &response);
}

Status RemoteClusterAdmin::StopMaster() {
  hbase::pb::StopMasterResponse response;
  return CallMaster("StopMaster", hbase::pb::StopMasterRequest(), &response);
}

Status RemoteClusterAdmin::DecommissionServers(std::span<const ServerName> servers, bool offload) {
  hbase::pb::DecommissionRegionServersRequest request;
  for (const ServerName& server : servers) {
    rpc::FillServerName(server, request.add_server_name());
  }
  request.set_offload(offload);
  hbase::pb::DecommissionRegionServersResponse response;
  return CallMaster("DecommissionRegionServers", request, &response);
}

Expected<std::vector<ServerName>> RemoteClusterAdmin::ListDecommissionedServers() {
  hbase::pb::ListDecommissionedRegionServersResponse response;
  KLIP_RETURN_IF_ERROR(
      CallMaster("ListDecommissionedRegionServers", hbase::pb::ListDecommissionedRegionServersRequest(), &response));
  return rpc::ToServerNames(response.server_name());
}

Status RemoteClusterAdmin::RecommissionServer(const ServerName& server, std::span<const std::string> regions) {
  hbase::pb::RecommissionRegionServerRequest request;
  rpc::FillServerName(server, request.mutable_server_name());
  for (const std::string& region : regions) {
    hbase::pb::RegionSpecifier* specifier = request.add_region();
    specifier->set_type(hbase::pb::RegionSpecifier::ENCODED_REGION_NAME);
    specifier->set_value(EncodedNameOf(region));
  }
  hbase::pb::RecommissionRegionServerResponse response;
  return CallMaster("RecommissionRegionServer", request, &response);
}

Expected<std::vector<ServerName>> RemoteClusterAdmin::ClearDeadServers(std::span<const ServerName> servers) {
  hbase::pb::ClearDeadServersRequest request;
  for (const ServerName& server : servers) {
    rpc::FillServerName(server, request.add_server_name());
  }
  hbase::pb::ClearDeadServersResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("ClearDeadServers", request, &response));
  return rpc::ToServerNames(response.server_name());
}

Expected<std::string> RemoteClusterAdmin::DumpZooKeeper() {
  return cluster_->registry().Dump(cluster_->CallDeadline(cluster_->OperationDeadline()));
}

}  // namespace klip::client
