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

// How HBase's tools pre-split a table evenly.
enum class SplitAlgorithm : uint8_t { kHexString, kDecimalString, kUniform };
// The `regions` - 1 split keys. Errors: regions < 2.
Expected<std::vector<std::string>> SplitKeys(SplitAlgorithm algorithm, int regions);

// Namespaces, tables, regions and snapshots. Everything else is in a part of its own, see the end of the class. Thread-safe. Must
// not outlive its Connection. Error texts are HBase's.
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
  // Evicts the table's blocks that are not in use. klip's own store has one cache for all tables, and clears all of it.
  virtual Expected<CacheEviction> ClearBlockCache(std::string_view table) = 0;
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

  // --- Snapshots ---
  virtual Status Snapshot(std::string_view snapshot, std::string_view table, const SnapshotOptions& options = {}) = 0;
  virtual Expected<std::vector<SnapshotInfo>> ListSnapshots() = 0;
  virtual Status DeleteSnapshot(std::string_view snapshot) = 0;
  // Errors of these two: kDoNotRetry: it has expired.
  virtual Status CloneSnapshot(std::string_view snapshot, std::string_view new_table) = 0;
  virtual Status RestoreSnapshot(std::string_view snapshot) = 0;  // its table must be disabled

  // --- The other parts. They live as long as this Admin. ---
  virtual ClusterAdmin& cluster() = 0;
  virtual ServerAdmin& servers() = 0;
  virtual QuotaAdmin& quotas() = 0;
  virtual ReplicationAdmin& replication() = 0;
  // Never null. Errors: kUnsupported, with HBase's text, on a store that cannot have the part, as klip's own. Whether a cluster has it
  // is known only when a call of the part fails with kUnsupported.
  virtual Expected<RSGroupAdmin*> rs_groups() = 0;
  virtual Expected<SecurityAdmin*> security() = 0;
  virtual Expected<LabelAdmin*> labels() = 0;
  // klip's own store alone has it. A server of klip keeps indexes for all clients, but they are made where its store is.
  virtual Expected<IndexAdmin*> indexes() = 0;
};

}  // namespace klip
