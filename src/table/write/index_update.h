// IndexUpdate: what a write operation does to the indexes of a table, in the same commit.
//
// Under the locks of the rows it reads the stored cells of the columns that indexes read, lays what is written over them, and takes
// the entries before from those after. So all kinds of writes, four kinds of deletes, old timestamps and NEW_VERSION_BEHAVIOR go
// one way.
#pragma once

#include <cstdint>
#include <map>
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
  // All outlive it. REQUIRES: the table has indexes; its lock is held, and those of the rows that are written.
  IndexUpdate(const RowSource& source, const TableInfo* table, int64_t now_ms)
      : source_(source), table_(table), now_ms_(now_ms), changes_(table->indexes->all.size()) {}

  // What the cells in `writes` do. Errors: those of EntriesOf and CheckValues, and of reading.
  Status Collect(const engine::WriteSet& writes);
  // The same of one row. `fresh`: what is written, of all families that indexes read.
  Status CollectRow(const std::string& row, IndexedCells fresh);
  // What becomes of the entries of a row of which nothing is left.
  Status CollectRemoval(const std::string& row);
  // What a row as it is stored should have, whatever the index has. `index` only.
  Status CollectStored(const TableIndex& index, std::string_view row);

  // The locks of the values that a unique index gets: to be held until the commit.
  std::vector<engine::RowStripe> UniqueStripes() const;
  // REQUIRES: they are held. Errors: kDoNotRetry naming index, value and the other row.
  Status CheckUnique() const;

  void AddTo(engine::WriteSet* writes) const;

 private:
  // Of one index, by the row of the table.
  struct Change {
    EntryCells puts;
    std::map<EntryKey, std::string> removals;    // -> row
    std::map<std::string, std::string> entries;  // row of an entry that is put -> row
  };

  Status Compare(size_t index, const std::string& row, const IndexedCells& before, const IndexedCells& after);
  Status CheckUnique(const TableIndex& index, const Change& change) const;
  bool IsRemoved(const Change& change, std::string_view entry) const;

  const RowSource source_;
  const TableInfo* const table_;
  const int64_t now_ms_;
  std::vector<Change> changes_;  // as TableIndexes::all

  struct Beneath {
    const engine::Family* family;
    std::string row;
    model::StoredCell cell;
  };
  std::vector<Beneath> beneath_;  // puts to be written once more, as such
};

}  // namespace klip::table
