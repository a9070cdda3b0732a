// Which entries an index has for a row, from the row's stored cells.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/store.h"
#include "klip/status.h"
#include "model/shown_versions.h"
#include "table/info/table_index.h"
#include "table/read/row_source.h"

namespace klip::table {

// Where the cell of an entry is, or that of a record, whose row is kNoEntryRow.
struct EntryKey {
  std::string row;
  std::string qualifier = "";

  auto operator<=>(const EntryKey&) const = default;
};
struct EntryCell {
  std::string value;
  int64_t until_ms = model::kNoEnd;

  bool operator==(const EntryCell&) const = default;
};
using EntryCells = std::map<EntryKey, EntryCell>;

// Where an index records something about a row: `kind` is kSkipped or kTooMany.
EntryKey RecordOf(std::string_view kind, std::string_view row);

// The stored cells of the columns that indexes read, for each of TableIndexes::families.
using IndexedCells = std::vector<std::vector<model::StoredCell>>;
Expected<IndexedCells> ReadIndexedCells(const RowSource& source, const TableIndexes& indexes, std::string_view row);

// The versions that entries are made of. They point into the cells.
struct IndexVersions {
  std::vector<std::vector<model::ShownVersion>> columns;  // of each stored column of the index
  bool too_many =
      false;  // with HISTORY: older versions are left out, since they have more combinations than an index keeps
};
IndexVersions VersionsOf(const TableIndexes& indexes, const TableIndex& index, const IndexedCells& cells,
                         int64_t now_ms);
// Without the older versions that an index with HISTORY keeps.
IndexVersions NewestVersionsOf(const TableIndexes& indexes, const TableIndex& index, const IndexedCells& cells,
                               int64_t now_ms);

// The entries of the row. A version whose value does not have the column's type has no entry; CheckValues rejects such
// values when they are written, unless the index skips them: then the row "" gets a cell that names the row, as it does for
// too many versions. Errors:
// kInvalidArgument: the row does not fit the table's schema, or SQL cannot compute an expression, and the index does not skip it; an
// entry is too long for a row.
Expected<EntryCells> EntriesOf(const TableIndex& index, std::string_view row, const IndexVersions& versions);

// The row of the one entry that a Get of the row shows at `now_ms`; nullopt: none. Entries of deleted and hidden versions, which may come
// back, are not it.
std::optional<std::string> ShownEntry(const TableIndexes& indexes, const TableIndex& index, std::string_view row,
                                      const IndexedCells& cells, int64_t now_ms);

void AddEntryCells(const engine::Family& family, const EntryCells& cells, engine::WriteSet* writes);

// Checks that the new puts of indexed columns have values of their types, visible or not, unless the index skips others.
// Errors: kInvalidArgument naming index and column.
Status CheckValues(const TableIndexes& indexes, std::string_view row, const IndexedCells& cells);
Status CheckValue(const TableIndex& index, std::string_view row, std::string_view family, std::string_view qualifier,
                  std::string_view value);
// The same for a value that is being written: counts the error.
Status CheckNewValue(const TableIndex& index, std::string_view row, std::string_view family, std::string_view qualifier,
                     std::string_view value);

}  // namespace klip::table
