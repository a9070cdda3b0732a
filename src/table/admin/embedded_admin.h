// Admin on a store of this process: the store has HBase's rules and texts, this passes on. embedded_cluster.cc has what makes it
// look like a cluster.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/store.h"
#include "klip/admin.h"

namespace klip::table {

class EmbeddedAdmin final : public Admin {
 public:
  explicit EmbeddedAdmin(engine::Store* store);

  // The store is served under this name. Before the first call.
  void Serve(ServerName server, std::string cluster_id);

  Status CreateNamespace(const NamespaceDescriptor& descriptor) override;
  Status ModifyNamespace(const NamespaceDescriptor& descriptor) override;
  Status DeleteNamespace(std::string_view name) override;
  Expected<NamespaceDescriptor> GetNamespace(std::string_view name) override;
  Expected<std::vector<NamespaceDescriptor>> ListNamespaces() override;

  Status CreateTable(const TableDescriptor& descriptor, std::span<const std::string> split_keys) override;
  Status DeleteTable(std::string_view table) override;
  Status TruncateTable(std::string_view table, bool preserve_splits) override;
  Status EnableTable(std::string_view table) override;
  Status DisableTable(std::string_view table) override;
  Expected<bool> IsTableEnabled(std::string_view table) override;
  Expected<bool> TableExists(std::string_view table) override;
  Expected<TableDescriptor> GetDescriptor(std::string_view table) override;
  Expected<std::vector<TableDescriptor>> ListTables(std::string_view name_space) override;

  Status ModifyTable(const TableDescriptor& descriptor) override;
  Status AddFamily(std::string_view table, const FamilyDescriptor& family) override;
  Status ModifyFamily(std::string_view table, const FamilyDescriptor& family) override;
  Status DeleteFamily(std::string_view table, std::string_view family) override;
  Status ModifyStoreFileTracker(std::string_view table, std::string_view family, std::string_view tracker) override;

  Status Flush(std::string_view table, std::string_view family) override;
  Status Compact(std::string_view table, std::string_view family) override;
  Status MajorCompact(std::string_view table, std::string_view family) override;
  Status FlushRegion(std::string_view region, std::string_view family) override;
  Status CompactRegion(std::string_view region, bool major, std::string_view family) override;
  Expected<StoreMetrics> Metrics() override;

  Expected<std::vector<RegionInfo>> GetRegions(std::string_view table) override;
  Expected<RegionInfo> LocateRegion(std::string_view table, std::string_view row) override;
  Expected<RegionInfo> GetRegion(std::string_view region) override;
  Expected<std::vector<RegionMetrics>> GetRegionMetrics(std::string_view table) override;
  Status Split(std::string_view table, std::string_view split_key) override;
  Status SplitRegion(std::string_view region, std::string_view split_key) override;
  Status MergeRegions(std::span<const std::string> regions, bool forcible) override;
  Expected<int> RunSplitPolicies() override;
  Status MoveRegion(std::string_view region, const std::optional<ServerName>& to) override;
  Status AssignRegion(std::string_view region) override;
  Status UnassignRegion(std::string_view region) override;

  Expected<ClusterMetrics> GetClusterMetrics() override;
  Expected<bool> SetSwitch(MasterSwitch which, bool on) override;
  Expected<bool> IsSwitchOn(MasterSwitch which) override;
  Expected<BalanceResult> Balance(const BalanceOptions& options) override;
  Expected<bool> Normalize() override;
  Expected<int> RunCatalogJanitor() override;
  Expected<bool> RunCleanerChore() override;
  Expected<bool> RunHbckChore() override;
  Expected<bool> IsInMaintenanceMode() override;
  Expected<std::vector<std::string>> GetSecurityCapabilities() override;
  Status FlushMasterStore() override;
  Status StopMaster() override;
  Status DecommissionServers(std::span<const ServerName> servers, bool offload) override;
  Expected<std::vector<ServerName>> ListDecommissionedServers() override;
  Status RecommissionServer(const ServerName& server, std::span<const std::string> regions) override;
  Expected<std::vector<ServerName>> ClearDeadServers(std::span<const ServerName> servers) override;
  Expected<std::vector<ProcedureInfo>> ListProcedures() override;
  Expected<std::vector<ProcedureLock>> ListLocks() override;

  Expected<std::map<ServerName, bool>> SetCompactions(std::span<const ServerName> servers, bool on) override;
  Status CompactServer(const ServerName& server, bool major) override;
  Status ClearCompactionQueues(const ServerName& server, std::span<const std::string> queues) override;
  Expected<CacheEviction> ClearBlockCache(std::string_view table) override;
  Expected<std::vector<SlowCall>> GetSlowCalls(const SlowCallQuery& query) override;
  Status RollWal(const ServerName& server) override;
  Status StopServer(const ServerName& server) override;
  Expected<std::map<ServerName, bool>> ClearSlowCalls(std::span<const ServerName> servers) override;
  Expected<std::vector<BalancerDecision>> GetBalancerDecisions(int32_t limit) override;
  Expected<std::vector<BalancerRejection>> GetBalancerRejections(int32_t limit) override;
  Status UpdateConfiguration(std::span<const ServerName> servers) override;
  Expected<std::string> DumpZooKeeper() override;

  Expected<std::vector<QuotaSettings>> ListQuotas() override;
  Status SetQuota(const QuotaSettings& settings) override;
  Expected<std::map<std::string, int64_t>> GetSpaceQuotaTableSizes() override;
  Expected<std::map<std::string, int64_t>> GetSnapshotSizes() override;
  Expected<bool> SetExceedThrottleQuota(bool on) override;
  Expected<std::vector<SpaceQuotaState>> GetSpaceQuotaStates(const std::optional<ServerName>& server) override;

  Status AddReplicationPeer(std::string_view id, const ReplicationPeerConfig& config, bool enabled) override;
  Status RemoveReplicationPeer(std::string_view id) override;
  Status EnableReplicationPeer(std::string_view id) override;
  Status DisableReplicationPeer(std::string_view id) override;
  Expected<ReplicationPeerConfig> GetReplicationPeerConfig(std::string_view id) override;
  Status UpdateReplicationPeerConfig(std::string_view id, const ReplicationPeerConfig& config) override;
  Expected<std::vector<ReplicationPeer>> ListReplicationPeers() override;
  Status DrainPeerModifications() override;

  Expected<std::vector<RSGroupInfo>> ListRSGroups() override;
  Expected<std::optional<RSGroupInfo>> GetRSGroup(std::string_view name) override;
  Expected<std::optional<RSGroupInfo>> GetRSGroupOfServer(std::string_view server) override;
  Expected<std::optional<RSGroupInfo>> GetRSGroupOfTable(std::string_view table) override;
  Status AddRSGroup(std::string_view name) override;
  Status RemoveRSGroup(std::string_view name) override;
  Status RenameRSGroup(std::string_view name, std::string_view new_name) override;
  Status UpdateRSGroupConfig(std::string_view name, const std::map<std::string, std::string>& configuration) override;
  Expected<BalanceResult> BalanceRSGroup(std::string_view name, const BalanceOptions& options) override;
  Status MoveToRSGroup(std::string_view name, std::span<const std::string> servers,
                       std::span<const std::string> tables) override;
  Status RemoveServersFromRSGroup(std::span<const std::string> servers) override;

  Status Grant(const UserPermission& permission, bool merge) override;
  Status Revoke(const UserPermission& permission) override;
  Expected<std::vector<UserPermission>> GetUserPermissions(const UserPermission& with) override;
  Status AddLabels(std::span<const std::string> labels) override;
  Expected<std::vector<std::string>> ListLabels(std::string_view regex) override;
  Status SetAuths(std::string_view user, std::span<const std::string> labels) override;
  Status ClearAuths(std::string_view user, std::span<const std::string> labels) override;
  Expected<std::vector<std::string>> GetAuths(std::string_view user) override;

  Status Snapshot(std::string_view snapshot, std::string_view table, const SnapshotOptions& options) override;
  Expected<std::vector<SnapshotInfo>> ListSnapshots() override;
  Status DeleteSnapshot(std::string_view snapshot) override;
  Status CloneSnapshot(std::string_view snapshot, std::string_view new_table) override;
  Status RestoreSnapshot(std::string_view snapshot) override;

 private:
  // Of the regions of an enabled table. `compacts`: whether the store does, whatever the table.
  void AddMetrics(const engine::TableView& table, bool compacts, std::vector<RegionMetrics>* metrics);
  // Errors: kDoNotRetry: one of them is not this one.
  Status CheckServers(std::span<const ServerName> servers) const;
  // Errors: kIoError.
  Status CheckMayChangePeers() const;
  // On this server.
  RegionInfo InfoOf(const engine::TableView& table, const engine::Region& region) const;

  engine::Store* const store_;
  ServerName server_;
  std::string cluster_id_;
  // By MasterSwitch; the store keeps those of splits and merges.
  std::array<std::atomic<bool>, 9> switches_ = {true, true, true, true, true, true, true, true, true};
};

}  // namespace klip::table
