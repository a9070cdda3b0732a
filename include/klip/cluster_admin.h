// ClusterAdmin and ServerAdmin: the cluster as a whole, and its servers one by one. Admin::cluster() and Admin::servers() return them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "klip/cluster_metrics.h"
#include "klip/status.h"

namespace klip {

// Background work of a cluster that can be switched off. klip's own store does not need most of it: it only keeps the setting
// until it is closed.
enum class MasterSwitch : uint8_t {
  kSplit,
  kMerge,
  kBalancer,
  kNormalizer,
  kCatalogJanitor,
  kCleanerChore,
  kSnapshotCleanup,
  kRpcThrottle,  // whether request quotas are enforced
  // Whether replication peers may be changed. While it is off, calls that would change one are retried until they time out, as
  // HBase's client does.
  kPeerModification,
};

struct BalanceOptions {
  bool dry_run = false;                       // plans, but moves nothing
  bool ignore_regions_in_transition = false;  // otherwise the balancer does not run while any region is in transition
};
struct BalanceResult {
  bool ran = false;
  int32_t moves_planned = 0;
  int32_t moves_made = 0;
};

// The cluster and its master. An embedded store is a cluster of one server, this process. Thread-safe; lives as long as its Admin.
class ClusterAdmin {
 public:
  virtual ~ClusterAdmin() = default;

  virtual Expected<ClusterMetrics> GetClusterMetrics() = 0;
  virtual Expected<bool> SetSwitch(MasterSwitch which, bool on) = 0;  // returns the previous setting
  virtual Expected<bool> IsSwitchOn(MasterSwitch which) = 0;

  // Spreads regions over the servers. Does not run while its switch is off.
  virtual Expected<BalanceResult> Balance(const BalanceOptions& options = {}) = 0;
  // Evens out the sizes of regions. Returns false if it did not run, as while its switch is off.
  virtual Expected<bool> Normalize() = 0;
  // Returns how many entries were cleaned up; -1 if it did not run.
  virtual Expected<int> RunCatalogJanitor() = 0;
  // Deletes what is no longer needed. Returns false if it did not run. klip's own store deletes expired snapshots, unless
  // kSnapshotCleanup is off; `klip serve` runs this every half hour.
  virtual Expected<bool> RunCleanerChore() = 0;
  // Checks that hbase:meta, the servers and the files agree about regions; the master's web page shows the findings. Returns
  // false if it did not run.
  virtual Expected<bool> RunHbckChore() = 0;
  virtual Expected<bool> IsInMaintenanceMode() = 0;
  // "SIMPLE_AUTHENTICATION", "SECURE_AUTHENTICATION", "AUTHORIZATION", "CELL_AUTHORIZATION", "CELL_VISIBILITY".
  virtual Expected<std::vector<std::string>> GetSecurityCapabilities() = 0;

  // FlushMasterStore flushes the master's own store; StopMaster stops the master. Errors: kUnsupported on klip's own store.
  virtual Status FlushMasterStore() = 0;
  virtual Status StopMaster() = 0;

  // Assigns no more regions to these servers. With `offload` their regions are moved away one after the other, after the call
  // has returned. Errors: kUnsupported on klip's own store.
  virtual Status DecommissionServers(std::span<const ServerName> servers, bool offload) = 0;
  virtual Expected<std::vector<ServerName>> ListDecommissionedServers() = 0;
  // Undoes DecommissionServers for the server, and moves these regions, given by encoded name, to it.
  virtual Status RecommissionServer(const ServerName& server, std::span<const std::string> regions) = 0;
  // Removes dead servers from the master's list. Returns those that it could not remove.
  virtual Expected<std::vector<ServerName>> ClearDeadServers(std::span<const ServerName> servers) = 0;

  // Empty on klip's own store, whose changes are complete when the call returns.
  virtual Expected<std::vector<ProcedureInfo>> ListProcedures() = 0;
  virtual Expected<std::vector<ProcedureLock>> ListLocks() = 0;
  // The latest first, at most `limit`; 0: all.
  virtual Expected<std::vector<BalancerDecision>> GetBalancerDecisions(int32_t limit = 0) = 0;
  virtual Expected<std::vector<BalancerRejection>> GetBalancerRejections(int32_t limit = 0) = 0;

  // The cluster's state in ZooKeeper, formatted as HBase's ZKDump does. Errors: kUnsupported if the connection does not use
  // ZooKeeper.
  virtual Expected<std::string> DumpZooKeeper() = 0;
};

// Region servers. An empty `servers` means all live ones. Thread-safe; lives as long as its Admin. Errors of all calls on an
// embedded store: kDoNotRetry for a server that is not this process.
class ServerAdmin {
 public:
  virtual ~ServerAdmin() = default;

  // Switches compactions on or off until the server restarts; switching them off also cancels running ones. Returns the previous
  // settings. Errors: kUnsupported for switching them off on an embedded store.
  virtual Expected<std::map<ServerName, bool>> SetCompactions(std::span<const ServerName> servers, bool on) = 0;
  // Requests a compaction of all regions of the server.
  virtual Status CompactServer(const ServerName& server, bool major) = 0;
  // Drops queued compactions. `queues`: "long" and "short". klip's own store never queues any.
  virtual Status ClearCompactionQueues(const ServerName& server, std::span<const std::string> queues) = 0;

  virtual Expected<std::vector<SlowCall>> GetSlowCalls(const SlowCallQuery& query = {}) = 0;
  // Returns for each server whether it cleared its log of slow calls.
  virtual Expected<std::map<ServerName, bool>> ClearSlowCalls(std::span<const ServerName> servers) = 0;

  // RollWal starts a new log file; StopServer stops the server. Errors: kUnsupported on an embedded store.
  virtual Status RollWal(const ServerName& server) = 0;
  virtual Status StopServer(const ServerName& server) = 0;
  // Servers reload hbase-site.xml; with empty `servers` masters do too. klip's own store has nothing to reload.
  virtual Status UpdateConfiguration(std::span<const ServerName> servers) = 0;
};

}  // namespace klip
