// A table as the engine sees it: families with their RocksDB column families, regions, and the state shared with
// RocksDB's callbacks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/leading_values.h"
#include "klip/admin.h"
#include "klip/status.h"
#include "model/family_policy.h"

namespace rocksdb {
class ColumnFamilyHandle;
class Env;
}  // namespace rocksdb

namespace klip::engine {

class OpenSnapshots;
class StorageHooks;

// The parts of a row key for which statistics are kept. They come from the table's row-key schema, which the engine does
// not know.
using filter::KeyPart;

// The parts of all keys of a table.
struct TableKeyParts {
  std::vector<KeyPart> rows;
  std::map<std::string, std::vector<KeyPart>> entries;  // of indexes, by the names of their families

  const std::vector<KeyPart>& Of(const std::string& family) const {
    const auto found = entries.find(family);
    return found == entries.end() ? rows : found->second;
  }
};

struct StoreOptions {
  std::string path;
  bool create_if_missing = true;
  bool read_only = false;  // nothing in the directory changes
  int64_t block_cache_bytes = 256 << 20;
  int64_t memtable_bytes = 128 << 20;
  bool sync_wal = true;
  bool sanity_checks = true;
  std::function<int64_t()> clock_ms;  // never null once the store is open
  // Converts a table's KLIP_ROW_KEY attribute to key parts. Error: the attribute is invalid.
  std::function<Expected<std::vector<KeyPart>>(std::string_view schema)> parse_row_key;
  // The key parts of the entries of one of the table's indexes. Null: unknown.
  std::function<std::vector<KeyPart>(const TableDescriptor&, std::string_view index)> index_key_parts;
  std::function<Status(const TableDescriptor&)> check_table;  // an additional sanity check; null: none
  // Checks the indexes of a table before it is created (`before` is null) or changed. Null: no check.
  std::function<Status(const TableDescriptor* before, const TableDescriptor& after)> check_indexes;
  StorageHooks* storage_hooks = nullptr;  // null: none. Outlives the store
  rocksdb::Env* env = nullptr;  // files and directories; never null once the store is open. Outlives the store
};

struct MeasuredCosts;  // read/read_costs.h

// State that survives an alter and is shared with RocksDB's callbacks (compaction filter, properties collector, bloom
// prefix). Thread-safe.
struct FamilyState {
  std::atomic<std::shared_ptr<const model::FamilyPolicy>> policy;
  std::atomic<std::shared_ptr<const std::vector<KeyPart>>> key_parts;
  std::atomic<std::shared_ptr<const std::string>> bloom;  // name of the prefix extractor in use, "" for none
  std::atomic<uint32_t> shortest_row_bytes{UINT32_MAX};   // no row of the family is shorter
  std::atomic<bool> has_range_deletions{false};           // see view/cell_reads.h
  std::unique_ptr<filter::LeadingValues> leads;           // of all rows of the family; never null
  std::function<int64_t()> clock_ms;
  std::shared_ptr<OpenSnapshots> open_snapshots;  // null: never any
  std::function<uint64_t()> next_sequence;        // of engine/store/sequence.h, for NEW_VERSION_BEHAVIOR
  // meanwhile, a compaction of all files is not a requested one, and so not a major one
  std::atomic<bool> truncating{false};
  // Of store/storage_hooks.h: the number of the view that must keep everything, 0 for none, and of the one that no longer
  // has to.
  std::atomic<uint64_t> observed_view{0};
  std::atomic<uint64_t> released_view{0};
  std::atomic<std::shared_ptr<const model::FamilyPolicy>>
      asked_policy;  // of a requested compaction; null: keep everything
  // Reads use it instead of the family's own, if `reads_otherwise`.
  std::atomic<bool> reads_otherwise{false};
  std::atomic<std::shared_ptr<const model::FamilyPolicy>> read_policy;
  std::mutex measuring;                                          // held while read_costs are measured
  std::atomic<std::shared_ptr<const MeasuredCosts>> read_costs;  // null: not measured yet
  // Two of them, which each read looks up. 0: not measured; seek_ticks is set last.
  std::atomic<double> step_ticks{0};
  std::atomic<double> seek_ticks{0};
  std::atomic<double> cells_per_row{0};  // on average, roughly; 0: unknown

  bool KeepsAll() const {
    const uint64_t observed = observed_view.load(std::memory_order_acquire);
    return observed != 0 && observed != released_view.load(std::memory_order_acquire);
  }

  void NoteRowBytes(size_t bytes) {
    uint32_t length = static_cast<uint32_t>(bytes);
    uint32_t seen = shortest_row_bytes.load(std::memory_order_relaxed);
    while (length < seen && !shortest_row_bytes.compare_exchange_weak(seen, length, std::memory_order_relaxed)) {
    }
  }
};

// An open column family. The RocksDB handle lives as long as any copy of the Family; until then, a dropped one stays
// readable.
struct Family {
  FamilyDescriptor descriptor;
  uint32_t id = 0;  // of the RocksDB column family, named "f<id>"
  std::shared_ptr<rocksdb::ColumnFamilyHandle> handle;
  std::shared_ptr<FamilyState> state;
};

// Some columns of a family.
struct FamilyColumns {
  const Family* family = nullptr;
  std::vector<std::string> qualifiers;  // sorted, each once
};

// An index of a table (KLIP_INDEX$<name>, klip/index.h) is a column family beside the table's families. It is created,
// flushed, exported and dropped with them, but reads and writes of the table's columns do not see it. The layer above
// defines what its cells mean.
inline constexpr std::string_view kIndexAttribute = "KLIP_INDEX$";
inline constexpr char kIndexFamilyMark = ':';  // first byte of its name, which HBase's family names cannot have

// The families of the table, then those of its indexes.
std::vector<FamilyDescriptor> AllFamilies(const TableDescriptor& table);

// The requests to a region since the store was opened, through all front ends.
struct RegionRequests {
  std::atomic<int64_t> reads = 0;  // rows of gets, conditions, increments and appends, and rows that scans returned
  std::atomic<int64_t> filtered_reads = 0;  // rows that a scan with a filter read and did not return
  std::atomic<int64_t> writes = 0;          // mutations
};

struct Region {
  std::string start_key;
  std::string end_key;
  int64_t region_id = 0;
  std::shared_ptr<RegionRequests> requests = std::make_shared<RegionRequests>();  // shared by all copies of the region

  bool Contains(std::string_view row) const { return row >= start_key && (end_key.empty() || row < end_key); }
};

// A split (one region before, two after) or a merge (several before, one after).
struct RegionChange {
  std::vector<Region> before;
  std::vector<Region> after;
};

// A table at one moment. Immutable; a change of the table creates a new one.
struct TableView {
  uint64_t number = 0;  // among all views since the store was opened
  TableDescriptor descriptor;
  bool enabled = true;
  std::vector<Family> families;                        // sorted by name
  std::vector<Family> indexes;                         // sorted by name
  std::shared_ptr<const std::vector<Region>> regions;  // sorted, gapless
  std::vector<RegionChange> changes;                   // that led to these regions, see Regions::ForgetRegionChanges

  const Family* Find(std::string_view family) const;
  std::vector<Family> AllFamilies() const;  // and indexes
  const Region& RegionOf(std::string_view row) const;
  // By its full or its encoded name; null: not a region of this table.
  const Region* RegionNamed(std::string_view name) const;
  // HBase's short name of a region of this table.
  std::string EncodedNameOf(const Region& region) const;
};
using TablePtr = std::shared_ptr<const TableView>;

}  // namespace klip::engine
