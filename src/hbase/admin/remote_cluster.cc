// Where regions are, and what the master does with them and the cluster.
#include <algorithm>
#include <map>
#include <utility>

#include "hbase/admin/procedure.h"
#include "klip/bytes.h"
#include "proto/Admin.pb.h"
#include "proto/Master.pb.h"
#include "proto/Replication.pb.h"
#include "rpc/cluster_messages.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

void FillRegionName(std::string_view name, hbase::pb::RegionSpecifier* region) {
  region->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  region->set_value(std::string(name));
}

}  // namespace

RegionInfo InfoOf(const Region& region) {
  return {.table = region.table,
          .start_key = region.start_key,
          .end_key = region.end_key,
          .region_id = region.region_id,
          .encoded_name = EncodedNameOf(region.name),
          .server = {region.server.host, region.server.port, region.start_code}};
}

Expected<RegionInfo> RemoteAdmin::LocateRegion(std::string_view table, std::string_view row) {
  const Deadline deadline = cluster_->OperationDeadline();
  RegionPtr region;
  KLIP_RETURN_IF_ERROR(cluster_->Retry(deadline, [&] {
    return cluster_->locations().Look(std::string(table), row, Where::kHolds, cluster_->CallDeadline(deadline),
                                      &region);
  }));
  return InfoOf(*region);
}

Status RemoteAdmin::FindRegion(std::string_view name, RegionPtr* region) {
  const Deadline deadline = cluster_->OperationDeadline();
  KLIP_RETURN_IF_ERROR(cluster_->Retry(
      deadline, [&] { return cluster_->locations().FindByName(name, cluster_->CallDeadline(deadline), region); }));
  return *region == nullptr ? Status(Code::kDoNotRetry, "Unknown region " + ToStringBinary(name)) : Status::Ok();
}

Status RemoteAdmin::FindServedRegion(std::string_view name, RegionPtr* region) {
  KLIP_RETURN_IF_ERROR(FindRegion(name, region));
  return (*region)->server.host.empty()
             ? Status(Code::kNotServingRegion, "region " + ToStringBinary((*region)->name) + " is on no server")
             : Status::Ok();
}

Expected<RegionInfo> RemoteAdmin::GetRegion(std::string_view region) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindRegion(region, &found));
  return InfoOf(*found);
}

Expected<std::vector<RegionMetrics>> RemoteAdmin::GetRegionMetrics(std::string_view table) {
  std::vector<RegionPtr> regions;
  KLIP_RETURN_IF_ERROR(ListRegions(table, &regions));
  hbase::pb::GetRegionLoadRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  const Deadline deadline = cluster_->OperationDeadline();
  std::map<Address, CallPtr> calls;
  for (const RegionPtr& region : regions) {
    if (!region->server.host.empty() && !calls.contains(region->server)) {
      calls[region->server] = cluster_->StartAdmin(region->server, "GetRegionLoad", request, deadline);
    }
  }
  std::map<std::string, RegionMetrics> by_name;
  for (const auto& [server, call] : calls) {
    hbase::pb::GetRegionLoadResponse response;
    KLIP_RETURN_IF_ERROR(call->WaitFor(&response));
    for (const hbase::pb::RegionLoad& load : response.region_loads()) {
      RegionMetrics one = rpc::ToRegionMetrics(load);
      by_name[one.name] = std::move(one);
    }
  }
  std::vector<RegionMetrics> metrics;
  for (const RegionPtr& region : regions) {
    if (const auto found = by_name.find(region->name); found != by_name.end()) {
      metrics.push_back(std::move(found->second));
    }
  }
  return metrics;
}

// The master answers when the region is where it should be.
Status RemoteAdmin::MoveRegion(std::string_view region, const std::optional<ServerName>& to) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindRegion(region, &found));
  hbase::pb::MoveRegionRequest request;
  request.mutable_region()->set_type(hbase::pb::RegionSpecifier::ENCODED_REGION_NAME);
  request.mutable_region()->set_value(EncodedNameOf(found->name));
  if (to.has_value()) {
    rpc::FillServerName(*to, request.mutable_dest_server_name());
  }
  hbase::pb::MoveRegionResponse response;
  return CallMaster("MoveRegion", request, &response);
}

Status RemoteAdmin::AssignRegion(std::string_view region) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindRegion(region, &found));
  hbase::pb::AssignRegionRequest request;
  FillRegionName(found->name, request.mutable_region());
  hbase::pb::AssignRegionResponse response;
  return CallMaster("AssignRegion", request, &response);
}

Status RemoteAdmin::UnassignRegion(std::string_view region) {
  RegionPtr found;
  KLIP_RETURN_IF_ERROR(FindRegion(region, &found));
  hbase::pb::UnassignRegionRequest request;
  FillRegionName(found->name, request.mutable_region());
  hbase::pb::UnassignRegionResponse response;
  return CallMaster("UnassignRegion", request, &response);
}

Expected<ClusterMetrics> RemoteAdmin::GetClusterMetrics() {
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

Expected<bool> RemoteAdmin::SetSplitOrMerge(MasterSwitch which, bool on) {
  hbase::pb::SetSplitOrMergeEnabledRequest request;
  request.set_enabled(on);
  request.set_synchronous(true);
  request.add_switch_types(which == MasterSwitch::kMerge ? hbase::pb::MERGE : hbase::pb::SPLIT);
  hbase::pb::SetSplitOrMergeEnabledResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("SetSplitOrMergeEnabled", request, &response));
  return response.prev_value_size() > 0 && response.prev_value(0);
}

template <typename Response, typename Request>
Expected<bool> RemoteAdmin::Ask(std::string_view method, const Request& request, bool (Response::*answer)() const) {
  Response response;
  KLIP_RETURN_IF_ERROR(CallMaster(method, request, &response));
  return (response.*answer)();
}

Expected<bool> RemoteAdmin::SetSwitch(MasterSwitch which, bool on) {
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

Expected<bool> RemoteAdmin::IsSwitchOn(MasterSwitch which) {
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

Expected<BalanceResult> RemoteAdmin::Balance(const BalanceOptions& options) {
  hbase::pb::BalanceRequest request;
  request.set_dry_run(options.dry_run);
  request.set_ignore_rit(options.ignore_regions_in_transition);
  hbase::pb::BalanceResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("Balance", request, &response));
  return BalanceResult{.ran = response.balancer_ran(),
                       .moves_planned = static_cast<int32_t>(response.moves_calculated()),
                       .moves_made = static_cast<int32_t>(response.moves_executed())};
}

Expected<bool> RemoteAdmin::Normalize() {
  return Ask("Normalize", hbase::pb::NormalizeRequest(), &hbase::pb::NormalizeResponse::normalizer_ran);
}

Expected<int> RemoteAdmin::RunCatalogJanitor() {
  hbase::pb::RunCatalogScanResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("RunCatalogScan", hbase::pb::RunCatalogScanRequest(), &response));
  return response.scan_result();
}

Expected<bool> RemoteAdmin::RunCleanerChore() {
  return Ask("RunCleanerChore", hbase::pb::RunCleanerChoreRequest(),
             &hbase::pb::RunCleanerChoreResponse::cleaner_chore_ran);
}

Expected<bool> RemoteAdmin::RunHbckChore() {
  hbase::pb::RunHbckChoreResponse response;
  KLIP_RETURN_IF_ERROR(cluster_->CallMaster("RunHbckChore", hbase::pb::RunHbckChoreRequest(), &response,
                                            cluster_->OperationDeadline(), "HbckService"));
  return response.ran();
}

Expected<bool> RemoteAdmin::IsInMaintenanceMode() {
  return Ask("IsMasterInMaintenanceMode", hbase::pb::IsInMaintenanceModeRequest(),
             &hbase::pb::IsInMaintenanceModeResponse::inmaintenancemode);
}

Expected<std::vector<std::string>> RemoteAdmin::GetSecurityCapabilities() {
  hbase::pb::SecurityCapabilitiesResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("getSecurityCapabilities", hbase::pb::SecurityCapabilitiesRequest(), &response));
  std::vector<int> capabilities(response.capabilities().begin(), response.capabilities().end());
  std::ranges::sort(capabilities);  // HBase tells them in the order of a hash set
  std::vector<std::string> names;
  for (const int capability : capabilities) {
    names.push_back(hbase::pb::SecurityCapabilitiesResponse_Capability_Name(capability));
  }
  return names;
}

Status RemoteAdmin::FlushMasterStore() {
  hbase::pb::FlushMasterStoreResponse response;
  return CallMaster("FlushMasterStore", hbase::pb::FlushMasterStoreRequest(), &response);
}

Status RemoteAdmin::StopMaster() {
  hbase::pb::StopMasterResponse response;
  return CallMaster("StopMaster", hbase::pb::StopMasterRequest(), &response);
}

Status RemoteAdmin::DecommissionServers(std::span<const ServerName> servers, bool offload) {
  hbase::pb::DecommissionRegionServersRequest request;
  for (const ServerName& server : servers) {
    rpc::FillServerName(server, request.add_server_name());
  }
  request.set_offload(offload);
  hbase::pb::DecommissionRegionServersResponse response;
  return CallMaster("DecommissionRegionServers", request, &response);
}

Expected<std::vector<ServerName>> RemoteAdmin::ListDecommissionedServers() {
  hbase::pb::ListDecommissionedRegionServersResponse response;
  KLIP_RETURN_IF_ERROR(
      CallMaster("ListDecommissionedRegionServers", hbase::pb::ListDecommissionedRegionServersRequest(), &response));
  return rpc::ToServerNames(response.server_name());
}

Status RemoteAdmin::RecommissionServer(const ServerName& server, std::span<const std::string> regions) {
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

Expected<std::vector<ServerName>> RemoteAdmin::ClearDeadServers(std::span<const ServerName> servers) {
  hbase::pb::ClearDeadServersRequest request;
  for (const ServerName& server : servers) {
    rpc::FillServerName(server, request.add_server_name());
  }
  hbase::pb::ClearDeadServersResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("ClearDeadServers", request, &response));
  return rpc::ToServerNames(response.server_name());
}

Expected<std::string> RemoteAdmin::DumpZooKeeper() {
  return cluster_->registry().Dump(cluster_->CallDeadline(cluster_->OperationDeadline()));
}

}  // namespace klip::client
