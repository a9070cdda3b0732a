// The indexes of a table at one moment: their declarations, and where their entries are.
//
// An entry is a row of the index's column family, written in the commit of the table's row and removed without a marker:
//
//   row    key bytes of the fields, then the row of the table (rowkey/index_definition.h)
//   ""     at time 0: the state and the covered columns (info/entry_value.h). Its TTL ends with the table's cells
//
// A certain entry contains what a Get of the row would show. Time or a compaction may still change what a Get shows for
// an entry to be checked (model/shown_versions.h), so a reader of the entry reads the row too.
//
// An index with HISTORY also has an entry to be checked for each set of values that older stored versions give. Writes add
// and remove them with the versions; those whose versions a compaction dropped are stale until they are swept.
//
// The row "" of the index is no entry. Its column "position" contains the position of the build. An index that skips rows
// with invalid values has a column "skipped:ROW" for each, so that queries which such rows may match find them. An index
// with HISTORY has a column "versions:ROW" for each row that has too many versions to have entries of the older ones.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/view/table_view.h"
#include "klip/status.h"
#include "rowkey/index_definition.h"
#include "table/info/entry_value.h"

namespace klip::table {

struct TableInfo;

inline constexpr int64_t kEntryMs = 0;            // the timestamp of all cells of an index
inline constexpr const char* kEntryFamily = ":";  // the family of the index as a table
inline constexpr const char* kNoEntryRow = "";    // in which positions and skipped rows are
inline constexpr std::string_view kSkipped = "skipped:";
inline constexpr std::string_view kTooMany = "versions:";
// TUNING: each write of a row compares all its entries; so many take some 100 us.
inline constexpr size_t kMostCombinations = 256;

// What happened to an index since its table was opened. Changes of the table keep the counts.
struct IndexCounters {
  std::atomic<int64_t> written = 0;       // entries put
  std::atomic<int64_t> removed = 0;       // entries removed
  std::atomic<int64_t> reads = 0;         // scans that read entries to find their rows
  std::atomic<int64_t> entries_read = 0;  // by these
  std::atomic<int64_t> rows_fetched = 0;  // rows of the table that these read
  std::atomic<int64_t> rows_dropped = 0;  // of them, those that were not returned
  std::atomic<int64_t> refused = 0;       // writes of values of another type, or not unique
  std::atomic<int64_t> built_rows = 0;    // rows that builds have read

  static void Add(std::atomic<int64_t>* counter, int64_t by) { counter->fetch_add(by, std::memory_order_relaxed); }
};

struct TableIndex {
  rowkey::IndexDefinition definition;
  bool building = false;
  bool unusable = false;                   // klip/index.h
  bool rebuilt = false;                    // is being built beside a complete one of the same name: only writes see it
  const engine::Family* family = nullptr;  // of the table's view
  std::shared_ptr<const TableInfo> entries;  // the index as a table of its own
  std::shared_ptr<IndexCounters> counters;   // never null

  // Why reads do not use it; null: they do.
  const char* why_unused() const;
  const std::string& name() const { return definition.descriptor.name; }
};

// The columns of a family that some index reads.
using IndexedFamily = engine::FamilyColumns;

// Belongs to a TableInfo, and points into its view.
struct TableIndexes {
  std::vector<TableIndex> all;  // by name; one that is being rebuilt follows the complete one
  std::vector<IndexedFamily> families;

  const TableIndex* Find(std::string_view name, bool rebuilt = false) const;
};

// Null: the table has none. Takes the counters of the same indexes from `before`, which may be null. Errors:
// kInvalidArgument, a declaration that this build cannot read.
Expected<std::shared_ptr<const TableIndexes>> MakeTableIndexes(const engine::TablePtr& view,
                                                               const TableIndexes* before);

}  // namespace klip::table
