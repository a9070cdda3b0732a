// The parts of Admin other than tables, on a store of this process. embedded_cluster.cc has the cluster, its one server and quotas,
// embedded_replication.cc replication.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/admin.h"
#include "table/admin/served_store.h"

namespace klip::table {

// The cluster of one server. A store needs little of a cluster's background work, so it only remembers most switches.
class EmbeddedClusterAdmin final : public ClusterAdmin {
 public:
  explicit EmbeddedClusterAdmin(ServedStore* served) : served_(served) {}

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
  ServedStore* const served_;
};

// This process as the only region server.
class EmbeddedServerAdmin final : public ServerAdmin {
 public:
  explicit EmbeddedServerAdmin(ServedStore* served) : served_(served) {}

  Expected<std::map<ServerName, bool>> SetCompactions(std::span<const ServerName> servers, bool on) override;
  Status CompactServer(const ServerName& server, bool major) override;
  Status ClearCompactionQueues(const ServerName& server, std::span<const std::string> queues) override;
  Expected<std::vector<SlowCall>> GetSlowCalls(const SlowCallQuery& query) override;
  Expected<std::map<ServerName, bool>> ClearSlowCalls(std::span<const ServerName> servers) override;
  Status RollWal(const ServerName& server) override;
  Status StopServer(const ServerName& server) override;
  Status UpdateConfiguration(std::span<const ServerName> servers) override;

 private:
  ServedStore* const served_;
};

// Behaves like a cluster whose quotas are off.
class EmbeddedQuotaAdmin final : public QuotaAdmin {
 public:
  explicit EmbeddedQuotaAdmin(ServedStore* served) : served_(served) {}

  Expected<std::vector<QuotaSettings>> ListQuotas() override;
  Status SetQuota(const QuotaSettings& settings) override;
  Expected<std::map<std::string, int64_t>> GetSpaceQuotaTableSizes() override;
  Expected<std::map<std::string, int64_t>> GetSnapshotSizes() override;
  Expected<bool> SetExceedThrottleQuota(bool on) override;
  Expected<std::vector<SpaceQuotaState>> GetSpaceQuotaStates(const std::optional<ServerName>& server) override;

 private:
  ServedStore* const served_;
};

// Replication peers, with HBase's checks. The store keeps the peers, and the log for them; `klip serve` ships the edits.
class EmbeddedReplicationAdmin final : public ReplicationAdmin {
 public:
  explicit EmbeddedReplicationAdmin(ServedStore* served) : served_(served) {}

  Status AddReplicationPeer(std::string_view id, const ReplicationPeerConfig& config, bool enabled) override;
  Status RemoveReplicationPeer(std::string_view id) override;
  Status EnableReplicationPeer(std::string_view id) override;
  Status DisableReplicationPeer(std::string_view id) override;
  Expected<ReplicationPeerConfig> GetReplicationPeerConfig(std::string_view id) override;
  Status UpdateReplicationPeerConfig(std::string_view id, const ReplicationPeerConfig& config) override;
  Expected<std::vector<ReplicationPeer>> ListReplicationPeers() override;
  Status DrainPeerModifications() override;

 private:
  // Errors: kIoError if MasterSwitch::kPeerModification is off.
  Status CheckMayChangePeers() const;

  ServedStore* const served_;
};

}  // namespace klip::table
