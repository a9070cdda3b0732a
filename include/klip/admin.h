// Admin and the descriptors: creating, changing and looking after tables.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/access.h"
#include "klip/cluster_metrics.h"
#include "klip/plan.h"
#include "klip/quota.h"
#include "klip/replication.h"
#include "klip/rs_group.h"
#include "klip/status.h"

namespace klip {

enum class KeepDeletedCells : uint8_t { kFalse, kTrue, kTtl };
enum class BloomKind : uint8_t { kNone, kRow, kRowCol, kRowPrefixFixedLength };

inline constexpr int32_t kTtlForever = 2147483647;  // seconds

// One column family. Defaults are HBase's.
struct FamilyDescriptor {
  std::string name;
  int32_t max_versions = 1;
  int32_t min_versions = 0;
  int32_t ttl_s = kTtlForever;
  KeepDeletedCells keep_deleted_cells = KeepDeletedCells::kFalse;
  bool new_version_behavior = false;  // a put written after a delete is visible whatever its timestamp
  BloomKind bloom = BloomKind::kRow;
  int32_t bloom_prefix_bytes = 0;    // kRowPrefixFixedLength
  std::string compression = "NONE";  // NONE GZ SNAPPY LZ4 ZSTD BZIP2; HBase's other names are kept and stored as ZSTD
  int32_t block_bytes = 65536;
  bool in_memory = false;
  bool block_cache = true;
  int32_t replication_scope = 0;
  std::map<std::string, std::string> attributes;  // every other attribute, as given
  std::map<std::string, std::string> configuration;

  bool operator==(const FamilyDescriptor&) const = default;
};

struct TableDescriptor {
  std::string name;                               // "namespace:table" or "table" (namespace "default")
  std::vector<FamilyDescriptor> families;         // sorted by name once the table exists
  std::map<std::string, std::string> attributes;  // MAX_FILESIZE, SPLIT_POLICY, DURABILITY, KLIP_ROW_KEY, ...
  std::map<std::string, std::string> configuration;

  const FamilyDescriptor* Find(std::string_view family) const;
  bool operator==(const TableDescriptor&) const = default;
};

struct NamespaceDescriptor {
  std::string name;
  std::map<std::string, std::string> configuration;
  bool operator==(const NamespaceDescriptor&) const = default;
};

// One key range of a table.
struct RegionInfo {
  std::string table;
  std::string start_key;     // inclusive; empty: from the first row
  std::string end_key;       // exclusive; empty: to the last row
  int64_t region_id = 0;     // creation time, ms
  int64_t size_bytes = 0;    // approximate, on disk and in memory; 0 on a cluster: see GetRegionMetrics
  std::string encoded_name;  // md5 of "table,start,id" in hex
  ServerName server;         // that has it; an empty host: none

  // HBase's "table,start,id.encoded."
  std::string Name() const;
};

struct SnapshotOptions {
  int64_t ttl_s = 0;           // it can be used for so long; 0: until it is deleted, or as a cluster is set
  int64_t max_file_bytes = 0;  // MAX_FILESIZE of the tables made from it, if its own has none; 0: nor have they
  // What only memory has may be missing. klip's own store has it all the same: that costs nothing.
  bool skip_flush = false;
};

// What became of a table's memory before a snapshot of it.
enum class SnapshotType : uint8_t { kDisabled, kFlush, kSkipFlush };

struct SnapshotInfo {
  std::string name;
  std::string table;
  int64_t created_ms = 0;
  int64_t ttl_s = 0;
  int64_t max_file_bytes = 0;
  SnapshotType type = SnapshotType::kFlush;

  // It cannot be used any more, and will be deleted.
  bool ExpiredAt(int64_t now_ms) const {
    return ttl_s > 0 && now_ms > created_ms && (now_ms - created_ms - 1) / 1000 >= ttl_s;
  }
};

// Reads and writes since the store was opened.
struct StoreMetrics {
  int64_t bloom_useful = 0;  // files a get did not have to look into
  int64_t block_cache_hits = 0;
  int64_t block_cache_misses = 0;
  int64_t block_cache_bytes = 0;
  int64_t memtable_bytes = 0;
  int64_t table_reader_bytes = 0;  // indexes and filters outside the block cache
  int64_t files = 0;
  int64_t bytes_on_disk = 0;
  int64_t wal_syncs = 0;
  int64_t running_compactions = 0;
};

// What a cluster does by itself, and can be told not to. klip's own store remembers what it has no need to do as long as it is
// open.
enum class MasterSwitch : uint8_t {
  kSplit,
  kMerge,
  kBalancer,
  kNormalizer,
  kCatalogJanitor,
  kCleanerChore,
  kSnapshotCleanup,
  kRpcThrottle,  // whether quotas of requests are kept to
  kPeerModification,  // whether replication peers may be changed; calls that would are tried again until they time out, as by HBase's client
};

struct BalanceOptions {
  bool dry_run = false;                       // plans, and moves nothing
  bool ignore_regions_in_transition = false;  // else the balancer does not run while there are any
};
struct BalanceResult {
  bool ran = false;
  int32_t moves_planned = 0;
  int32_t moves_made = 0;
};

// How HBase's tools pre-split a table evenly.
enum class SplitAlgorithm : uint8_t { kHexString, kDecimalString, kUniform };
// The `regions` - 1 split keys. Errors: regions < 2.
Expected<std::vector<std::string>> SplitKeys(SplitAlgorithm algorithm, int regions);

// Thread-safe. Must not outlive its Connection. Errors carry HBase's texts.
class Admin {
 public:
  virtual ~Admin() = default;

  // --- Namespaces ---
  virtual Status CreateNamespace(const NamespaceDescriptor& descriptor) = 0;
  virtual Status ModifyNamespace(const NamespaceDescriptor& descriptor) = 0;
  virtual Status DeleteNamespace(std::string_view name) = 0;
  virtual Expected<NamespaceDescriptor> GetNamespace(std::string_view name) = 0;
  virtual Expected<std::vector<NamespaceDescriptor>> ListNamespaces() = 0;

  // --- Tables ---
  // `split_keys` may come in any order; region borders of the new table.
  virtual Status CreateTable(const TableDescriptor& descriptor, std::span<const std::string> split_keys = {}) = 0;
  virtual Status DeleteTable(std::string_view table) = 0;  // must be disabled
  virtual Status TruncateTable(std::string_view table,
                               bool preserve_splits) = 0;  // must be disabled; leaves it enabled
  virtual Status EnableTable(std::string_view table) = 0;
  virtual Status DisableTable(std::string_view table) = 0;
  virtual Expected<bool> IsTableEnabled(std::string_view table) = 0;
  virtual Expected<bool> TableExists(std::string_view table) = 0;
  virtual Expected<TableDescriptor> GetDescriptor(std::string_view table) = 0;
  // All tables but those of the namespace "hbase", sorted by name; only those of one namespace when it is given.
  virtual Expected<std::vector<TableDescriptor>> ListTables(std::string_view name_space = {}) = 0;

  // Replaces the descriptor. Families that are missing are deleted with their data.
  virtual Status ModifyTable(const TableDescriptor& descriptor) = 0;
  virtual Status AddFamily(std::string_view table, const FamilyDescriptor& family) = 0;
  virtual Status ModifyFamily(std::string_view table, const FamilyDescriptor& family) = 0;
  virtual Status DeleteFamily(std::string_view table, std::string_view family) = 0;
  // How HBase notes which files there are, "DEFAULT" or "FILE": of the table, or with `family` of that one. klip's own store keeps
  // the word, and looks after its files itself.
  virtual Status ModifyStoreFileTracker(std::string_view table, std::string_view family, std::string_view tracker) = 0;

  // --- Storage ---
  // Of all families, or of one. Errors: kNoSuchColumnFamily.
  virtual Status Flush(std::string_view table, std::string_view family = {}) = 0;
  virtual Status Compact(std::string_view table, std::string_view family = {}) = 0;
  // Rewrites all files: drops deleted, expired and surplus cells. As in HBase, cells still in memory are left alone.
  virtual Status MajorCompact(std::string_view table, std::string_view family = {}) = 0;
  // Of one region, where the server has regions in files of their own; klip's own store does the whole table.
  virtual Status FlushRegion(std::string_view region, std::string_view family = {}) = 0;
  virtual Status CompactRegion(std::string_view region, bool major, std::string_view family = {}) = 0;
  virtual Expected<StoreMetrics> Metrics() = 0;

  // --- Regions: `region` is an encoded or a full name ---
  // In key order.
  virtual Expected<std::vector<RegionInfo>> GetRegions(std::string_view table) = 0;
  // The region that holds the row, or would.
  virtual Expected<RegionInfo> LocateRegion(std::string_view table, std::string_view row) = 0;
  // Errors: kDoNotRetry: there is none of that name.
  virtual Expected<RegionInfo> GetRegion(std::string_view region) = 0;
  // Of the table's regions that are on a server, in key order, as these servers know them now.
  virtual Expected<std::vector<RegionMetrics>> GetRegionMetrics(std::string_view table) = 0;
  // Splits the region that holds `split_key`; with an empty key every region at its middle.
  virtual Status Split(std::string_view table, std::string_view split_key = {}) = 0;
  // Splits one region, with an empty key at its middle.
  virtual Status SplitRegion(std::string_view region, std::string_view split_key = {}) = 0;
  // Merges neighbouring regions.
  virtual Status MergeRegions(std::span<const std::string> regions, bool forcible = false) = 0;
  // Applies the split policy of each table now instead of in the background; returns the number of splits.
  virtual Expected<int> RunSplitPolicies() = 0;
  // Returns when the region is on the server; without one, on any. Errors: kDoNotRetry: no such region; klip's own store also
  // refuses any server but itself.
  virtual Status MoveRegion(std::string_view region, const std::optional<ServerName>& to = std::nullopt) = 0;
  // Opens a region that is on no server, and takes one off line. klip's own regions are always on line: the first does
  // nothing, the second is refused with kUnsupported.
  virtual Status AssignRegion(std::string_view region) = 0;
  virtual Status UnassignRegion(std::string_view region) = 0;

  // --- The cluster; an embedded store is one of one server, this process ---
  virtual Expected<ClusterMetrics> GetClusterMetrics() = 0;
  virtual Expected<bool> SetSwitch(MasterSwitch which, bool on) = 0;  // returns the setting before
  virtual Expected<bool> IsSwitchOn(MasterSwitch which) = 0;
  // Spreads regions over the servers. Does not run while its switch is off.
  virtual Expected<BalanceResult> Balance(const BalanceOptions& options = {}) = 0;
  // Evens out the sizes of regions. False: it did not run, as while its switch is off.
  virtual Expected<bool> Normalize() = 0;
  virtual Expected<int> RunCatalogJanitor() = 0;  // returns how much it has cleaned up; -1: it did not run
  // Deletes what nothing needs any more. False: it did not run. klip's own store deletes snapshots that have expired, unless
  // kSnapshotCleanup is off; `klip serve` does so every half an hour.
  virtual Expected<bool> RunCleanerChore() = 0;
  // Compares what hbase:meta, servers and files say of regions; what it finds is on the master's web page. False: it did not run.
  virtual Expected<bool> RunHbckChore() = 0;
  virtual Expected<bool> IsInMaintenanceMode() = 0;
  // "SIMPLE_AUTHENTICATION", "SECURE_AUTHENTICATION", "AUTHORIZATION", "CELL_AUTHORIZATION", "CELL_VISIBILITY".
  virtual Expected<std::vector<std::string>> GetSecurityCapabilities() = 0;
  // What the master keeps of its own. klip's own store refuses both: kUnsupported.
  virtual Status FlushMasterStore() = 0;
  virtual Status StopMaster() = 0;
  // Servers that get no regions any more. With `offload` those that they have move away, one after the other, behind the
  // call. klip's own store refuses to be one: kUnsupported.
  virtual Status DecommissionServers(std::span<const ServerName> servers, bool offload) = 0;
  virtual Expected<std::vector<ServerName>> ListDecommissionedServers() = 0;
  // Ends that, and moves these regions, by encoded name, to the server.
  virtual Status RecommissionServer(const ServerName& server, std::span<const std::string> regions) = 0;
  // Forgets servers that died. Returns those that it could not.
  virtual Expected<std::vector<ServerName>> ClearDeadServers(std::span<const ServerName> servers) = 0;
  // klip's own changes are done when they return: no procedures, and no locks.
  virtual Expected<std::vector<ProcedureInfo>> ListProcedures() = 0;
  virtual Expected<std::vector<ProcedureLock>> ListLocks() = 0;

  // --- Servers; no `servers`: all that live ---
  // Until the server starts anew; off also ends those that run. Returns the settings before. An embedded store refuses to turn
  // them off: kUnsupported.
  virtual Expected<std::map<ServerName, bool>> SetCompactions(std::span<const ServerName> servers, bool on) = 0;
  // Begins to compact all regions that the server has.
  virtual Status CompactServer(const ServerName& server, bool major) = 0;
  // Forgets compactions that wait. `queues`: "long" and "short". klip's own store has none that wait.
  virtual Status ClearCompactionQueues(const ServerName& server, std::span<const std::string> queues) = 0;
  // Of one table; klip's own store has one cache, and empties it. Blocks in use stay.
  virtual Expected<CacheEviction> ClearBlockCache(std::string_view table) = 0;
  virtual Expected<std::vector<SlowCall>> GetSlowCalls(const SlowCallQuery& query = {}) = 0;
  // The server begins a new file of its log, and ends. An embedded store refuses both: kUnsupported.
  virtual Status RollWal(const ServerName& server) = 0;
  virtual Status StopServer(const ServerName& server) = 0;
  // Whether each of them did.
  virtual Expected<std::map<ServerName, bool>> ClearSlowCalls(std::span<const ServerName> servers) = 0;
  // The last first. `limit` of them; 0: all.
  virtual Expected<std::vector<BalancerDecision>> GetBalancerDecisions(int32_t limit = 0) = 0;
  virtual Expected<std::vector<BalancerRejection>> GetBalancerRejections(int32_t limit = 0) = 0;
  // Servers read their settings (hbase-site.xml) again, without `servers` masters too. klip's own has none to read.
  virtual Status UpdateConfiguration(std::span<const ServerName> servers) = 0;
  // What ZooKeeper knows of the cluster, as HBase's ZKDump writes it. Errors: kUnsupported: the connection does not go by ZooKeeper.
  virtual Expected<std::string> DumpZooKeeper() = 0;

  // --- Quotas; klip's own store has none, and refuses to: kUnsupported ---
  virtual Expected<std::vector<QuotaSettings>> ListQuotas() = 0;  // by namespace, table and user
  virtual Status SetQuota(const QuotaSettings& settings) = 0;
  // Bytes on disk of each table, as the master counts them for space quotas.
  virtual Expected<std::map<std::string, int64_t>> GetSpaceQuotaTableSizes() = 0;
  // By snapshot: bytes on disk that are no longer its table's, of tables with space quotas.
  virtual Expected<std::map<std::string, int64_t>> GetSnapshotSizes() = 0;
  // Whether users may exceed their quotas while the server's allows it. Returns the setting before; without quotas always false.
  virtual Expected<bool> SetExceedThrottleQuota(bool on) = 0;
  // Of tables with space quotas, as the master has it; with `server`, as that one does.
  virtual Expected<std::vector<SpaceQuotaState>> GetSpaceQuotaStates(const std::optional<ServerName>& server = {}) = 0;

  // --- Replication peers: docs/replication.md. A store in a directory keeps the log for those that klip serve has, and takes no new ones:
  // kUnsupported ---
  // Errors of all: kDoNotRetry: there is (no) such peer, or the configuration is refused; kIoError: MasterSwitch::kPeerModification is off.
  virtual Status AddReplicationPeer(std::string_view id, const ReplicationPeerConfig& config, bool enabled = true) = 0;
  virtual Status RemoveReplicationPeer(std::string_view id) = 0;
  virtual Status EnableReplicationPeer(std::string_view id) = 0;
  virtual Status DisableReplicationPeer(std::string_view id) = 0;
  virtual Expected<ReplicationPeerConfig> GetReplicationPeerConfig(std::string_view id) = 0;
  virtual Status UpdateReplicationPeerConfig(std::string_view id, const ReplicationPeerConfig& config) = 0;
  virtual Expected<std::vector<ReplicationPeer>> ListReplicationPeers() = 0;
  // Returns when changes of peers that are under way are done; for after kPeerModification was turned off.
  virtual Status DrainPeerModifications() = 0;

  // --- Groups of region servers. Errors of all: kUnsupported, as from a cluster without them: klip's own store is one server ---
  virtual Expected<std::vector<RSGroupInfo>> ListRSGroups() = 0;  // by name
  // Nothing: there is none of that name; it has no such server ("host:port"); there is no such table.
  virtual Expected<std::optional<RSGroupInfo>> GetRSGroup(std::string_view name) = 0;
  virtual Expected<std::optional<RSGroupInfo>> GetRSGroupOfServer(std::string_view server) = 0;
  virtual Expected<std::optional<RSGroupInfo>> GetRSGroupOfTable(std::string_view table) = 0;
  virtual Status AddRSGroup(std::string_view name) = 0;
  virtual Status RemoveRSGroup(std::string_view name) = 0;  // must be empty
  virtual Status RenameRSGroup(std::string_view name, std::string_view new_name) = 0;
  // Replaces it.
  virtual Status UpdateRSGroupConfig(std::string_view name,
                                     const std::map<std::string, std::string>& configuration) = 0;
  virtual Expected<BalanceResult> BalanceRSGroup(std::string_view name, const BalanceOptions& options = {}) = 0;
  // Servers ("host:port"), tables, or both at once. Regions follow.
  virtual Status MoveToRSGroup(std::string_view name, std::span<const std::string> servers,
                               std::span<const std::string> tables) = 0;
  // Forgets servers that are dead or decommissioned.
  virtual Status RemoveServersFromRSGroup(std::span<const std::string> servers) = 0;

  // --- Permissions and visibility labels. klip's own store has neither. Errors of all: kUnsupported where there are none; kDoNotRetry:
  // the user may not do this, and what the server says of its arguments ---
  // What the user had besides stays, unless `merge` is false.
  virtual Status Grant(const UserPermission& permission, bool merge = true) = 0;
  // These actions; with none named all that the user has with just that.
  virtual Status Revoke(const UserPermission& permission) = 0;
  // With the cluster, or with the namespace, table or part of it that `with` names; of its user, when it names one. Its actions do not
  // count.
  virtual Expected<std::vector<UserPermission>> GetUserPermissions(const UserPermission& with = {}) = 0;
  virtual Status AddLabels(std::span<const std::string> labels) = 0;
  virtual Expected<std::vector<std::string>> ListLabels(std::string_view regex = {}) = 0;  // all of it must match
  // Lets the user see what has these labels, or no longer.
  virtual Status SetAuths(std::string_view user, std::span<const std::string> labels) = 0;
  virtual Status ClearAuths(std::string_view user, std::span<const std::string> labels) = 0;
  virtual Expected<std::vector<std::string>> GetAuths(std::string_view user) = 0;

  // --- Snapshots ---
  virtual Status Snapshot(std::string_view snapshot, std::string_view table, const SnapshotOptions& options = {}) = 0;
  virtual Expected<std::vector<SnapshotInfo>> ListSnapshots() = 0;
  virtual Status DeleteSnapshot(std::string_view snapshot) = 0;
  // Errors of these two: kDoNotRetry: it has expired.
  virtual Status CloneSnapshot(std::string_view snapshot, std::string_view new_table) = 0;
  virtual Status RestoreSnapshot(std::string_view snapshot) = 0;  // its table must be disabled
};

}  // namespace klip
