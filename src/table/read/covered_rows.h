// Covered scans: the entries of an index contain all that the scan returns, so the table is not read.
//
// An entry contains values and timestamps of the columns that the index includes, not of its sort columns. So a scan is
// covered if it names its columns, the index includes all of them, and its filter consists of SingleColumnValueFilters on
// these columns. The results are those of the scan on the table at the moment at which the entries are read.
//
// Example: an index on f:color that includes f:color and f:price. A scan of these two columns with the query "f:color=red"
// is covered. One of f:price alone is not, since its filter would not see f:color; nor is one that also names f:size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/row_set.h"
#include "klip/cell.h"
#include "klip/filter.h"
#include "klip/query.h"
#include "klip/table.h"
#include "rowkey/index_conditions.h"
#include "table/read/index_entry.h"

namespace klip::table {

struct ScanRequest;

struct CoveredRows {
  struct Row {
    std::string row;
    size_t first_cell = 0;
    size_t cells = 0;
  };

  Result cells;           // of all rows
  std::vector<Row> rows;  // in the order of the scan, each once
};

// Builds them from entries.
class RowCover {
 public:
  // Null: the scan is not covered. `index` and `scan` outlive it.
  static std::optional<RowCover> Of(const TableIndex& index, const Scan& scan);

  // Takes an entry that is right; keeps its row if the scan returns it.
  void Add(const EntryScanner::Entry& entry);
  size_t rows() const { return covered_.rows.size(); }
  size_t bytes() const { return bytes_; }
  CoveredRows Take() &&;

 private:
  struct Column {
    std::string family;
    std::string qualifier;
    size_t number = 0;      // of IndexDefinition::columns
    bool excluded = false;  // by the filter
    bool operator<(const Column& other) const;
  };

  explicit RowCover(const Scan& scan) : reversed_(scan.reversed) {}
  // The number in columns_; columns_.size(): the scan does not read it.
  size_t ColumnOf(const SingleColumnValue& test) const;
  // nullopt: the row does not have the column.
  std::optional<Cell> CellOf(const Column& column, const EntryScanner::Entry& entry) const;
  bool Passes(const rowkey::ColumnTest& test, const EntryScanner::Entry& entry) const;
  // Marks the columns that the test excludes. False: it refers to a column that the scan does not read.
  bool TakesConditions(const rowkey::ColumnTest& test);

  const bool reversed_;
  std::vector<Column> columns_;  // in order
  rowkey::ColumnTest conditions_;
  std::shared_ptr<const filter::RowSet> range_;  // null: all rows
  CoveredRows covered_;
  size_t bytes_ = 0;
};

// REQUIRES: request.by_index.covered.
std::unique_ptr<ResultScanner> OpenCoveredScan(ScanRequest request);

}  // namespace klip::table
