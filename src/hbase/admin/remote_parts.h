// The parts of Admin other than tables, on a cluster. Each has its own .cc file: remote_cluster.cc, remote_servers.cc,
// remote_quotas.cc, remote_replication.cc, remote_groups.cc; remote_access.cc has permissions and labels.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hbase/admin/master_calls.h"
#include "klip/admin.h"

namespace klip::client {

class RemoteClusterAdmin final : public ClusterAdmin, private MasterCalls {
 public:
  using MasterCalls::MasterCalls;

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
  Expected<std::vector<BalancerDecision>> GetBalancerDecisions(int32_t limit) override;
  Expected<std::vector<BalancerRejection>> GetBalancerRejections(int32_t limit) override;
  Expected<std::string> DumpZooKeeper() override;

 private:
  Expected<bool> SetSplitOrMerge(MasterSwitch which, bool on);
  // A call to the master whose response is a flag.
  template <typename Response, typename Request>
  Expected<bool> Ask(std::string_view method, const Request& request, bool (Response::*answer)() const);
  // Entries of a log that the master keeps in memory. `message`: the name of the request's class.
  template <typename Response, typename Request>
  Expected<Response> GetLogEntries(const std::string& message, int32_t limit);
};

class RemoteServerAdmin final : public ServerAdmin, private MasterCalls {
 public:
  using MasterCalls::MasterCalls;

  Expected<std::map<ServerName, bool>> SetCompactions(std::span<const ServerName> servers, bool on) override;
  Status CompactServer(const ServerName& server, bool major) override;
  Status ClearCompactionQueues(const ServerName& server, std::span<const std::string> queues) override;
  Expected<std::vector<SlowCall>> GetSlowCalls(const SlowCallQuery& query) override;
  Expected<std::map<ServerName, bool>> ClearSlowCalls(std::span<const ServerName> servers) override;
  Status RollWal(const ServerName& server) override;
  Status StopServer(const ServerName& server) override;
  Status UpdateConfiguration(std::span<const ServerName> servers) override;
};

class RemoteQuotaAdmin final : public QuotaAdmin, private MasterCalls {
 public:
  using MasterCalls::MasterCalls;

  Expected<std::vector<QuotaSettings>> ListQuotas() override;
  Status SetQuota(const QuotaSettings& settings) override;
  Expected<std::map<std::string, int64_t>> GetSpaceQuotaTableSizes() override;
  Expected<std::map<std::string, int64_t>> GetSnapshotSizes() override;
  Expected<bool> SetExceedThrottleQuota(bool on) override;
  Expected<std::vector<SpaceQuotaState>> GetSpaceQuotaStates(const std::optional<ServerName>& server) override;

 private:
  // Passes the cells of the family to `take`. Does nothing without hbase:quota.
  template <typename Take>
  Status ReadQuotaTable(const std::string& family, Take take);
};

class RemoteReplicationAdmin final : public ReplicationAdmin, private MasterCalls {
 public:
  using MasterCalls::MasterCalls;

  Status AddReplicationPeer(std::string_view id, const ReplicationPeerConfig& config, bool enabled) override;
  Status RemoveReplicationPeer(std::string_view id) override;
  Status EnableReplicationPeer(std::string_view id) override;
  Status DisableReplicationPeer(std::string_view id) override;
  Expected<ReplicationPeerConfig> GetReplicationPeerConfig(std::string_view id) override;
  Status UpdateReplicationPeerConfig(std::string_view id, const ReplicationPeerConfig& config) override;
  Expected<std::vector<ReplicationPeer>> ListReplicationPeers() override;
  Status DrainPeerModifications() override;

 private:
  // Makes the master change a peer, and waits for the end.
  template <typename Response, typename Request>
  Status ChangePeer(std::string_view method, Request request, std::string_view id);
};

class RemoteRSGroupAdmin final : public RSGroupAdmin, private MasterCalls {
 public:
  using MasterCalls::MasterCalls;

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

 private:
  // Calls the master's endpoint of server groups.
  template <typename Response, typename Request>
  Expected<Response> CallGroups(const std::string& method, const Request& message);
};

class RemoteSecurityAdmin final : public SecurityAdmin, private MasterCalls {
 public:
  using MasterCalls::MasterCalls;

  Status Grant(const UserPermission& permission, bool merge) override;
  Status Revoke(const UserPermission& permission) override;
  Expected<std::vector<UserPermission>> GetUserPermissions(const UserPermission& with) override;
};

class RemoteLabelAdmin final : public LabelAdmin, private MasterCalls {
 public:
  using MasterCalls::MasterCalls;

  Status AddLabels(std::span<const std::string> labels) override;
  Expected<std::vector<std::string>> ListLabels(std::string_view regex) override;
  Status SetAuths(std::string_view user, std::span<const std::string> labels) override;
  Status ClearAuths(std::string_view user, std::span<const std::string> labels) override;
  Expected<std::vector<std::string>> GetAuths(std::string_view user) override;

 private:
  // Calls the endpoint for labels, which runs on the region of hbase:labels.
  template <typename Response, typename Request>
  Expected<Response> CallLabels(const std::string& method, const Request& message);
};

}  // namespace klip::client
