// Admin and the descriptors: creating, changing and maintaining tables.
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
#include "klip/cluster_admin.h"
#include "klip/cluster_metrics.h"
#include "klip/index.h"
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
  bool new_version_behavior = false;  // a put written after a delete is visible, regardless of its timestamp
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
  ServerName server;         // where it is open; an empty host: nowhere

  // HBase's "table,start,id.encoded."
  std::string Name() const;
};

struct SnapshotOptions {
  int64_t ttl_s = 0;           // time until it expires; 0: never, or the cluster's default
  int64_t max_file_bytes = 0;  // MAX_FILESIZE of tables created from it, if the snapshot's table has none; 0: none
  // May omit data that is only in memory. klip's own store includes that data anyway, at no cost.
  bool skip_flush = false;
};

// How a snapshot treats the table's data in memory.
enum class SnapshotType : uint8_t { kDisabled, kFlush, kSkipFlush };

struct SnapshotInfo {
  std::string name;
  std::string table;
  int64_t created_ms = 0;
  int64_t ttl_s = 0;
  int64_t max_file_bytes = 0;
  SnapshotType type = SnapshotType::kFlush;

  // An expired snapshot cannot be used, and klip will delete it.
  bool ExpiredAt(int64_t now_ms) const {
    return ttl_s > 0 && now_ms > created_ms && (now_ms - created_ms - 1) / 1000 >= ttl_s;
  }
};

// Reads and writes since the store was opened.
struct StoreMetrics {
  int64_t bloom_useful = 0;  // files that a get could skip
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

// How HBase's tools pre-split a table evenly.
enum class SplitAlgorithm : uint8_t { kHexString, kDecimalString, kUniform };
// The `regions` - 1 split keys. Errors: regions < 2.
Expected<std::vector<std::string>> SplitKeys(SplitAlgorithm algorithm, int regions);

// Namespaces, tables, regions and snapshots. The end of the class lists the separate interfaces for everything else. Thread-safe.
// Must not outlive its Connection. Error texts are HBase's.
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
  // `split_keys` are the region boundaries of the new table, in any order.
  virtual Status CreateTable(const TableDescriptor& descriptor, std::span<const std::string> split_keys = {}) = 0;
  virtual Status DeleteTable(std::string_view table) = 0;  // must be disabled
  virtual Status TruncateTable(std::string_view table,
                               bool preserve_splits) = 0;  // must be disabled; leaves it enabled
  virtual Status EnableTable(std::string_view table) = 0;
  virtual Status DisableTable(std::string_view table) = 0;
  virtual Expected<bool> IsTableEnabled(std::string_view table) = 0;
  virtual Expected<bool> TableExists(std::string_view table) = 0;
  virtual Expected<TableDescriptor> GetDescriptor(std::string_view table) = 0;
  // All tables except those of the namespace "hbase", sorted by name; with `name_space`, the tables of that namespace.
  virtual Expected<std::vector<TableDescriptor>> ListTables(std::string_view name_space = {}) = 0;

  // Replaces the descriptor. Deletes families that the new descriptor lacks, with their data.
  virtual Status ModifyTable(const TableDescriptor& descriptor) = 0;
  virtual Status AddFamily(std::string_view table, const FamilyDescriptor& family) = 0;
  virtual Status ModifyFamily(std::string_view table, const FamilyDescriptor& family) = 0;
  virtual Status DeleteFamily(std::string_view table, std::string_view family) = 0;
  // How HBase records the files of a table or family: "DEFAULT" or "FILE". klip's own store keeps the setting without effect,
  // because RocksDB tracks its files.
  virtual Status ModifyStoreFileTracker(std::string_view table, std::string_view family, std::string_view tracker) = 0;

  // --- Storage ---
  // Flushes or compacts all families, or one. Errors: kNoSuchColumnFamily.
  virtual Status Flush(std::string_view table, std::string_view family = {}) = 0;
  virtual Status Compact(std::string_view table, std::string_view family = {}) = 0;
  // Rewrites all files without deleted, expired and surplus cells. As in HBase, it does not touch cells that are still in memory.
  virtual Status MajorCompact(std::string_view table, std::string_view family = {}) = 0;
  // Flushes or compacts one region. On klip's own store, the whole table, because its regions share files.
  virtual Status FlushRegion(std::string_view region, std::string_view family = {}) = 0;
  virtual Status CompactRegion(std::string_view region, bool major, std::string_view family = {}) = 0;
  // Evicts the table's blocks that are not in use. klip's own store has one cache for all tables, and clears it completely.
  virtual Expected<CacheEviction> ClearBlockCache(std::string_view table) = 0;
  virtual Expected<StoreMetrics> Metrics() = 0;

  // --- Regions: `region` is an encoded or a full name ---
  // In key order.
  virtual Expected<std::vector<RegionInfo>> GetRegions(std::string_view table) = 0;
  // The region whose range contains the row.
  virtual Expected<RegionInfo> LocateRegion(std::string_view table, std::string_view row) = 0;
  // Errors: kDoNotRetry: no such region.
  virtual Expected<RegionInfo> GetRegion(std::string_view region) = 0;
  // The current metrics of the table's open regions, from their servers, in key order.
  virtual Expected<std::vector<RegionMetrics>> GetRegionMetrics(std::string_view table) = 0;
  // Splits the region that contains `split_key`; with an empty key, splits every region at its middle.
  virtual Status Split(std::string_view table, std::string_view split_key = {}) = 0;
  // Splits one region; with an empty key, at its middle.
  virtual Status SplitRegion(std::string_view region, std::string_view split_key = {}) = 0;
  // Merges neighbouring regions.
  virtual Status MergeRegions(std::span<const std::string> regions, bool forcible = false) = 0;
  // Applies the split policy of each table now instead of in the background; returns the number of splits.
  virtual Expected<int> RunSplitPolicies() = 0;
  // Returns when the region is open on the server `to`, or on any server. Errors: kDoNotRetry: no such region; on klip's own
  // store, also any other server.
  virtual Status MoveRegion(std::string_view region, const std::optional<ServerName>& to = std::nullopt) = 0;
  // AssignRegion opens a region that no server has opened; UnassignRegion takes a region offline. klip's own regions are always
  // online, so AssignRegion does nothing, and UnassignRegion fails with kUnsupported.
  virtual Status AssignRegion(std::string_view region) = 0;
  virtual Status UnassignRegion(std::string_view region) = 0;

  // --- Snapshots ---
  virtual Status Snapshot(std::string_view snapshot, std::string_view table, const SnapshotOptions& options = {}) = 0;
  virtual Expected<std::vector<SnapshotInfo>> ListSnapshots() = 0;
  virtual Status DeleteSnapshot(std::string_view snapshot) = 0;
  // Errors of these two: kDoNotRetry: the snapshot has expired.
  virtual Status CloneSnapshot(std::string_view snapshot, std::string_view new_table) = 0;
  virtual Status RestoreSnapshot(std::string_view snapshot) = 0;  // its table must be disabled

  // --- The other interfaces. They live as long as this Admin. ---
  virtual ClusterAdmin& cluster() = 0;
  virtual ServerAdmin& servers() = 0;
  virtual QuotaAdmin& quotas() = 0;
  virtual ReplicationAdmin& replication() = 0;
  // Never null. Errors: kUnsupported, with HBase's text, on klip's own store. On a cluster that lacks the feature, the calls of the
  // interface fail with kUnsupported.
  virtual Expected<RSGroupAdmin*> rs_groups() = 0;
  virtual Expected<SecurityAdmin*> security() = 0;
  virtual Expected<LabelAdmin*> labels() = 0;
  // On a store, or on an HBase cluster. `klip serve` maintains indexes for all clients, but you must create them on its store.
  virtual Expected<IndexAdmin*> indexes() = 0;
};

}  // namespace klip
