// IndexUpdate: the effect of a write operation on the indexes of a table, in the same commit.
//
// Under the locks of the rows it reads the stored cells of the columns that indexes read. It merges the new cells over
// them, and compares the entries before and after. So one path handles all kinds of writes, four kinds of deletes, old
// timestamps and NEW_VERSION_BEHAVIOR.
//
// Example: row "r" has f:color=red, and the index on f:color has the entry "red>r". A put of f:color=blue gives the
// entries {"red>r"} before and {"blue>r"} after: the commit removes the first and puts the second. A put of f:size reads
// nothing, as no index reads f:size.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/store/row_locks.h"
#include "engine/store/store.h"
#include "klip/status.h"
#include "table/info/table_info.h"
#include "table/read/row_source.h"
#include "table/write/index_entries.h"

namespace klip::table {

class IndexUpdate {
 public:
  // All outlive it. REQUIRES: the table has indexes; the caller holds its lock, and those of the written rows.
  IndexUpdate(const RowSource& source, const TableInfo* table, int64_t now_ms)
      : source_(source), table_(table), now_ms_(now_ms), changes_(table->indexes->all.size()) {}

  // Collects the effect of the cells in `writes`. Errors: those of EntriesOf and CheckValues, and of reading.
  Status Collect(const engine::WriteSet& writes);
  // The same for one row. `fresh`: the new cells, of all families that indexes read.
  Status CollectRow(const std::string& row, IndexedCells fresh);
  // Collects the removal of a row's entries, when the whole row is removed.
  Status CollectRemoval(const std::string& row);
  // Collects the entries that stored rows should have in `index`, whatever the index contains. `rows`: ascending.
  Status CollectStored(const TableIndex& index, std::span<const std::string> rows);

  // The locks for the values that unique indexes get: to be held until the commit.
  std::vector<engine::RowLockId> UniqueLocks() const;
  // REQUIRES: those locks are held. Errors: kDoNotRetry naming index, value and the other row.
  Status CheckUnique() const;

  void AddTo(engine::WriteSet* writes) const;
  // Adds to the counters of the indexes. Not for what a transaction adds to its overlay, as its commit adds it again.
  void Count() const;

 private:
  // For one index, by the row of the table.
  struct Change {
    EntryCells puts;
    std::map<EntryKey, std::string> removals;  // -> row
    int64_t entries = 0;                       // that are put
    // Of a unique index: the entries that Gets show after the operation, of all rows that it changes: row of the entry -> row.
    std::map<std::string, std::string> shown;
    std::set<std::string> given;  // of these, those that Gets did not show before
  };

  // Notes what a Get of the row shows before and after the operation; empty: before it, the row has no cells.
  void NoteShown(size_t index, const std::string& row, const IndexedCells& before, const IndexedCells& after);
  Status Compare(size_t index, const std::string& row, const IndexedCells& before, const IndexedCells& after);
  Status CheckUnique(const TableIndex& index, const Change& change) const;

  const RowSource source_;
  const TableInfo* const table_;
  const int64_t now_ms_;
  std::vector<Change> changes_;  // as TableIndexes::all
  std::set<std::string> rows_;   // whose stored cells the operation changes, or that a build adds

  struct Beneath {
    const engine::Family* family;
    std::string row;
    model::StoredCell cell;
  };
  std::vector<Beneath> beneath_;  // puts to be written again, marked as beneath
};

}  // namespace klip::table
