// The store as a cluster of one server, this process.
#include <algorithm>
#include <utility>

#include "base/process.h"
#include "engine/store/regions.h"
#include "engine/store/snapshots.h"
#include "engine/store/storage.h"
#include "engine/store/views.h"
#include "table/admin/embedded_parts.h"

namespace klip::table {

Expected<ClusterMetrics> EmbeddedClusterAdmin::GetClusterMetrics() {
  ClusterMetrics metrics;
  metrics.version = kHBaseVersion;
  metrics.cluster_id = served_->cluster_id();
  metrics.active_master = served_->server();
  ServerMetrics& server = metrics.live_servers.emplace_back();
  server.name = served_->server();
  server.used_heap_bytes = base::ResidentBytes();
  const bool compacts = served_->store()->storage().Metrics().running_compactions > 0;
  for (const TableDescriptor& table : served_->store()->views().ListTables()) {
    if (const Expected<engine::TablePtr> view = served_->store()->views().GetTable(table.name); view.ok()) {
      served_->AddMetrics(**view, compacts, &server.regions);
    }
  }
  std::ranges::sort(server.regions, {}, &RegionMetrics::name);
  server.report_ms = served_->store()->NowMs();
  metrics.balancer_on = served_->IsOn(MasterSwitch::kBalancer);
  return metrics;
}

Expected<bool> EmbeddedClusterAdmin::SetSwitch(MasterSwitch which, bool on) { return served_->SetSwitch(which, on); }
Expected<bool> EmbeddedClusterAdmin::IsSwitchOn(MasterSwitch which) { return served_->IsOn(which); }

// With one server, every region is balanced already.
Expected<BalanceResult> EmbeddedClusterAdmin::Balance(const BalanceOptions&) {
  return BalanceResult{.ran = served_->IsOn(MasterSwitch::kBalancer)};
}

// RocksDB and the split policies do this.
Expected<bool> EmbeddedClusterAdmin::Normalize() { return served_->IsOn(MasterSwitch::kNormalizer); }
Expected<int> EmbeddedClusterAdmin::RunCatalogJanitor() { return served_->store()->regions().ForgetRegionChanges(); }
Expected<bool> EmbeddedClusterAdmin::RunCleanerChore() {
  if (served_->IsOn(MasterSwitch::kSnapshotCleanup)) {
    KLIP_RETURN_IF_ERROR(served_->store()->snapshots().DeleteExpired());
  }
  return true;
}
Expected<bool> EmbeddedClusterAdmin::RunHbckChore() { return true; }  // opening the store checks it
Expected<bool> EmbeddedClusterAdmin::IsInMaintenanceMode() { return false; }
Expected<std::vector<std::string>> EmbeddedClusterAdmin::GetSecurityCapabilities() {
  return std::vector<std::string>{"SIMPLE_AUTHENTICATION"};
}
Status EmbeddedClusterAdmin::FlushMasterStore() { return {Code::kUnsupported, "klip has no separate master store"}; }
Status EmbeddedClusterAdmin::StopMaster() { return EmbeddedServerAdmin(served_).StopServer(served_->server()); }

Status EmbeddedClusterAdmin::DecommissionServers(std::span<const ServerName>, bool) {
  return {Code::kUnsupported, "klip is a single server, so its regions cannot move"};
}
Expected<std::vector<ServerName>> EmbeddedClusterAdmin::ListDecommissionedServers() {
  return std::vector<ServerName>();
}
Status EmbeddedClusterAdmin::RecommissionServer(const ServerName&, std::span<const std::string>) {
  return Status::Ok();
}
Expected<std::vector<ServerName>> EmbeddedClusterAdmin::ClearDeadServers(std::span<const ServerName>) {
  return std::vector<ServerName>();
}

Expected<std::vector<ProcedureInfo>> EmbeddedClusterAdmin::ListProcedures() { return std::vector<ProcedureInfo>(); }
Expected<std::vector<ProcedureLock>> EmbeddedClusterAdmin::ListLocks() { return std::vector<ProcedureLock>(); }

Expected<std::map<ServerName, bool>> EmbeddedServerAdmin::SetCompactions(std::span<const ServerName> servers, bool on) {
  KLIP_RETURN_IF_ERROR(served_->CheckServers(servers));
  if (!on) {
    return Status(Code::kUnsupported, "the storage engine decides when it compacts");
  }
  return std::map<ServerName, bool>{{served_->server(), true}};
}

Status EmbeddedServerAdmin::CompactServer(const ServerName& server, bool major) {
  KLIP_RETURN_IF_ERROR(served_->CheckServers({&server, 1}));
  for (const TableDescriptor& table : served_->store()->views().ListTables()) {
    KLIP_RETURN_IF_ERROR(served_->store()->storage().Compact(table.name, major));
  }
  return Status::Ok();
}

// RocksDB has no queue to clear: it finds the next compactions again.
Status EmbeddedServerAdmin::ClearCompactionQueues(const ServerName& server, std::span<const std::string>) {
  return served_->CheckServers({&server, 1});
}

// A store in a directory answers no calls.
Expected<std::vector<SlowCall>> EmbeddedServerAdmin::GetSlowCalls(const SlowCallQuery& query) {
  KLIP_RETURN_IF_ERROR(served_->CheckServers(query.servers));
  return served_->SlowCalls(query);
}

Status EmbeddedServerAdmin::RollWal(const ServerName& server) {
  KLIP_RETURN_IF_ERROR(served_->CheckServers({&server, 1}));
  return {Code::kUnsupported, "klip has one log, which RocksDB manages"};
}

Status EmbeddedServerAdmin::StopServer(const ServerName& server) {
  KLIP_RETURN_IF_ERROR(served_->CheckServers({&server, 1}));
  return {Code::kUnsupported, "a store in a directory has no server to stop"};
}

Expected<std::map<ServerName, bool>> EmbeddedServerAdmin::ClearSlowCalls(std::span<const ServerName> servers) {
  KLIP_RETURN_IF_ERROR(served_->CheckServers(servers));
  return std::map<ServerName, bool>{{served_->server(), false}};
}

Expected<std::vector<BalancerDecision>> EmbeddedClusterAdmin::GetBalancerDecisions(int32_t) {
  return std::vector<BalancerDecision>();
}
Expected<std::vector<BalancerRejection>> EmbeddedClusterAdmin::GetBalancerRejections(int32_t) {
  return std::vector<BalancerRejection>();
}

Status EmbeddedServerAdmin::UpdateConfiguration(std::span<const ServerName> servers) {
  return served_->CheckServers(servers);
}
Expected<std::string> EmbeddedClusterAdmin::DumpZooKeeper() {
  return Status(Code::kUnsupported, "a store in a directory has no ZooKeeper");
}

Expected<std::vector<QuotaSettings>> EmbeddedQuotaAdmin::ListQuotas() { return std::vector<QuotaSettings>(); }
Status EmbeddedQuotaAdmin::SetQuota(const QuotaSettings&) { return {Code::kUnsupported, "quota support disabled"}; }
Expected<std::map<std::string, int64_t>> EmbeddedQuotaAdmin::GetSpaceQuotaTableSizes() {
  return std::map<std::string, int64_t>();
}
Expected<std::map<std::string, int64_t>> EmbeddedQuotaAdmin::GetSnapshotSizes() {
  return std::map<std::string, int64_t>();
}
Expected<bool> EmbeddedQuotaAdmin::SetExceedThrottleQuota(bool) { return false; }
Expected<std::vector<SpaceQuotaState>> EmbeddedQuotaAdmin::GetSpaceQuotaStates(
    const std::optional<ServerName>& server) {
  KLIP_RETURN_IF_ERROR(server.has_value() ? served_->CheckServers({&*server, 1}) : Status());
  return std::vector<SpaceQuotaState>();
}

}  // namespace klip::table
