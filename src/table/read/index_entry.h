// Reads entries of indexes, and decides which of them are right.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/read/row_scanner.h"
#include "klip/cell.h"
#include "klip/status.h"
#include "table/info/table_info.h"
#include "table/read/row_source.h"

namespace klip::table {

// Whether a row of the table with these cells (all columns of the index that it has) has this entry.
bool HasEntry(const TableIndex& index, std::string_view entry, std::string_view row, const Result& cells);

// The Get of these columns.
Get ColumnsOf(const TableIndex& index, std::string_view row);

// Whether the index skips a row with these cells because of a value that is not of its field's type.
bool IsSkipped(const TableIndex& index, std::string_view row, const Result& cells);

// The rows of which the index has a record of that kind, in order; at most `most` of them. kSkipped: the rows that it skips
// because of their values, perhaps more. kTooMany: those of which it may lack entries of older versions. Errors: those of
// reading.
Expected<std::vector<std::string>> RecordedRows(const RowSource& source, const TableIndex& index, std::string_view kind,
                                                size_t most = SIZE_MAX);
// The rows that the index may have no entries of, each once, in no order.
Expected<std::vector<std::string>> IncompleteRows(const RowSource& source, const TableIndex& index, size_t most);

// Walks the right entries, in the order of the index.
class EntryScanner {
 public:
  struct Entry {
    std::string_view key;                    // the row of the entry
    std::string_view row;                    // of the table
    bool certain = false;                    // otherwise the row was read: it had the entry at that moment
    std::span<const CoveredColumn> covered;  // if it is certain
    const Result* fetched = nullptr;         // the columns of the index, if the row was read

    // The row's column of that number; null: it has none, or the entry is not certain.
    const CoveredColumn* Covered(size_t column) const;
  };

  // `scan`: of the entries as a table. Both infos outlive the scanner. Errors: those of RowSource::Open.
  static Expected<EntryScanner> Open(const RowSource& source, const TableInfo& table, const TableIndex& index,
                                     engine::RowScanSpec spec);

  // False: no more entries. *entry is valid until the next call.
  Expected<bool> Next(Entry* entry);
  // The same, including entries that turn out to be wrong.
  Expected<bool> NextStored(Entry* entry);

  // Its reads of the index.
  ScanStatistics statistics() const;

 private:
  EntryScanner(const RowSource& source, const TableInfo& table, const TableIndex& index,
               std::unique_ptr<engine::RowScanner> scanner)
      : source_(source), table_(&table), index_(&index), now_ms_(source.now_ms()), scanner_(std::move(scanner)) {}

  RowSource source_;
  const TableInfo* table_;
  const TableIndex* index_;
  int64_t now_ms_;
  std::unique_ptr<engine::RowScanner> scanner_;
  std::unique_ptr<Result> cells_ = std::make_unique<Result>();
  std::vector<CoveredColumn> covered_;
  std::unique_ptr<Result> row_ = std::make_unique<Result>();
};

}  // namespace klip::table
