// Admin on a cluster: calls of its master, and what they begin waited for. remote_admin.cc has namespaces and tables,
// remote_regions.cc storage, splits and snapshots,
// remote_cluster.cc where regions are and what the cluster does, remote_servers.cc what servers are told one by one, procedures and
// locks, remote_quotas.cc quotas, remote_replication.cc peers, remote_groups.cc groups of servers,
// remote_access.cc permissions and labels.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hbase/cluster/cluster.h"
#include "klip/admin.h"

namespace klip::client {

class RemoteAdmin final : public Admin {
 public:
  explicit RemoteAdmin(Cluster* cluster) : cluster_(cluster) {}

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
  Status CallMaster(std::string_view method, const google::protobuf::MessageLite& request,
                    google::protobuf::MessageLite* response);
  // Starts a procedure of the master and waits for its end. `response` has the proc_id.
  template <typename Request, typename Response>
  Status RunProcedure(std::string_view method, Request request, Response* response);
  Status WaitForProcedure(uint64_t id, Deadline deadline);
  Status KeepFileTracker(const TableDescriptor& changed, hbase::pb::TableSchema* schema);
  // Of a table that exists; with `regions` in key order.
  Status ListRegions(std::string_view table, std::vector<RegionPtr>* regions);
  Status CompactTable(std::string_view table, bool major, std::string_view family);
  // Asks all of them for a compaction, whatever becomes of one, and waits until none compacts. Errors: the first.
  Status CompactRegions(std::span<const RegionPtr> regions, bool major, std::string_view family);
  Status WaitForCompactions(std::vector<RegionPtr> regions, Deadline deadline);
  // By encoded or full name. Errors: kDoNotRetry: there is none.
  Status FindRegion(std::string_view name, RegionPtr* region);
  // Errors: also kNotServingRegion: it is on no server.
  Status FindServedRegion(std::string_view name, RegionPtr* region);
  Status SplitOne(const Region& region, std::string_view split_key);
  Expected<bool> SetSplitOrMerge(MasterSwitch which, bool on);
  // A call of the master that is answered with a flag.
  template <typename Response, typename Request>
  Expected<bool> Ask(std::string_view method, const Request& request, bool (Response::*answer)() const);
  Status RunRestore(std::string_view snapshot, std::string_view table);
  Expected<std::vector<ServerName>> LiveServers();
  // Asks these servers, or all that live, at once, and shows each answer to `take`.
  template <typename Response, typename Take>
  Status AskServers(std::span<const ServerName> servers, std::string_view method,
                    const google::protobuf::MessageLite& request, Take take);
  // What the master remembers; `message`: the request's name.
  template <typename Response, typename Request>
  Expected<Response> GetLogEntries(const std::string& message, int32_t limit);
  // Has the master change a peer, and waits until it has.
  template <typename Response, typename Request>
  Status ChangePeer(std::string_view method, Request request, std::string_view id);
  // A call of the endpoint of server groups.
  template <typename Response, typename Request>
  Expected<Response> CallGroups(const std::string& method, const Request& message);
  // A call of the endpoint of labels, which is in the region of their table.
  template <typename Response, typename Request>
  Expected<Response> CallLabels(const std::string& method, const Request& message);
  // Shows the cells of the family to `take`; none when there is no hbase:quota.
  template <typename Take>
  Status ReadQuotaTable(const std::string& family, Take take);

  Cluster* cluster_;
};

// The part of "table,start,id.encoded." that is so called, or the name itself, of one that is encoded already.
std::string EncodedNameOf(std::string_view region_name);
RegionInfo InfoOf(const Region& region);

}  // namespace klip::client
