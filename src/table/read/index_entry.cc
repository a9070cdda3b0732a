#include "table/read/index_entry.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "klip/filter.h"

namespace klip::table {
namespace {

constexpr std::string_view kFirstEntry("\0", 1);  // above the row "", which is not an entry

// The row's cell of each column; null: it has none.
std::vector<const Cell*> CellsOfColumns(const rowkey::IndexDefinition& definition, std::string_view row,
                                        const Result& cells, rowkey::ComputedCells* computed) {
  std::vector<const Cell*> of_columns;
  for (const rowkey::IndexColumn& column : definition.stored_columns()) {
    of_columns.push_back(cells.Find(column.family, column.qualifier));
  }
  rowkey::AddComputedCells(definition, row, &of_columns, computed);
  return of_columns;
}

}  // namespace

bool HasEntry(const TableIndex& index, std::string_view entry, std::string_view row, const Result& cells) {
  const rowkey::IndexDefinition& definition = index.definition;
  rowkey::ComputedCells computed;
  const std::vector<const Cell*> of_columns = CellsOfColumns(definition, row, cells, &computed);
  std::string key;
  return rowkey::AppendEntryKey(definition, row, of_columns, &key) && key == entry;
}

bool IsSkipped(const TableIndex& index, std::string_view row, const Result& cells) {
  const rowkey::IndexDefinition& definition = index.definition;
  rowkey::ComputedCells computed;
  const std::vector<const Cell*> of_columns = CellsOfColumns(definition, row, cells, &computed);
  std::string key;
  return rowkey::ShouldHaveEntry(definition, of_columns) && !rowkey::AppendEntryKey(definition, row, of_columns, &key);
}

Get ColumnsOf(const TableIndex& index, std::string_view row) {
  Get get = {.row = std::string(row)};
  for (const rowkey::IndexColumn& column : index.definition.stored_columns()) {
    get.columns.push_back({column.family, column.qualifier});
  }
  return get;
}

Expected<std::vector<std::string>> RecordedRows(const RowSource& source, const TableIndex& index, std::string_view kind,
                                                size_t most) {
  std::vector<std::string> rows;
  const IndexDescriptor& declared = index.definition.descriptor;
  if (!(kind == kSkipped ? declared.skip_invalid : declared.history) || index.entries == nullptr) {
    return rows;
  }
  Get get = {.row = kNoEntryRow, .filter = ColumnPrefixFilter(std::string(kind))};
  if (most < static_cast<size_t>(INT32_MAX)) {
    get.max_results_per_family = static_cast<int32_t>(most);
  }
  Result cells;
  KLIP_RETURN_IF_ERROR(source.Get(*index.entries, get, &cells));
  for (const Cell& cell : cells) {
    rows.emplace_back(cell.qualifier.substr(kind.size()));
  }
  return rows;
}

Expected<std::vector<std::string>> IncompleteRows(const RowSource& source, const TableIndex& index, size_t most) {
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> rows, RecordedRows(source, index, kSkipped, most));
  if (rows.size() >= most) {
    return rows;
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> more, RecordedRows(source, index, kTooMany, most - rows.size()));
  std::erase_if(more, [&](const std::string& row) { return std::ranges::binary_search(rows, row); });
  std::ranges::move(more, std::back_inserter(rows));
  return rows;
}

const CoveredColumn* EntryScanner::Entry::Covered(size_t column) const {
  const auto found = std::ranges::find(covered, column, &CoveredColumn::column);
  return found == covered.end() ? nullptr : &*found;
}

Expected<EntryScanner> EntryScanner::Open(const RowSource& source, const TableInfo& table, const TableIndex& index,
                                          engine::RowScanSpec spec) {
  std::string& first = spec.scan.reversed ? spec.scan.stop_row : spec.scan.start_row;
  first = std::max(first, std::string(kFirstEntry));
  spec.scan.include_stop = spec.scan.include_stop || spec.scan.reversed;
  KLIP_ASSIGN_OR_RETURN(auto scanner, source.Open(*index.entries, std::move(spec)));
  return EntryScanner(source, table, index, std::move(scanner));
}

ScanStatistics EntryScanner::statistics() const {
  ScanStatistics of_entries = scanner_->statistics();
  of_entries.entries_read = std::exchange(of_entries.rows_read, 0);
  of_entries.rows_returned = 0;
  return of_entries;
}

Expected<bool> EntryScanner::NextStored(Entry* entry) {
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, scanner_->Next(cells_.get()));
    if (!more) {
      return false;
    }
    const Cell* const state = cells_->Find(kEntryFamily, "");
    if (cells_->empty() || state == nullptr) {
      continue;  // a pause; or a cell of an older version is left of an entry that has expired
    }
    KLIP_ASSIGN_OR_RETURN(const std::string_view row, rowkey::TableRowOf(index_->definition, cells_->row()));
    const bool certain = ReadEntryValue(index_->definition, state->value, now_ms_, &covered_);
    *entry = {.key = cells_->row(), .row = row, .certain = certain, .covered = covered_};
    return true;
  }
}

Expected<bool> EntryScanner::Next(Entry* entry) {
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool more, NextStored(entry));
    if (!more || entry->certain) {
      return more;
    }
    KLIP_RETURN_IF_ERROR(source_.Get(*table_, ColumnsOf(*index_, entry->row), row_.get()));
    IndexCounters::Add(&index_->counters->rows_fetched, 1);
    if (HasEntry(*index_, entry->key, entry->row, *row_)) {
      entry->fetched = row_.get();
      return true;
    }
    IndexCounters::Add(&index_->counters->rows_dropped, 1);
  }
}

}  // namespace klip::table
