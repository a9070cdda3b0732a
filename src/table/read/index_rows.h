// The rows that a scan's filter can let pass, by an index.
//
// The scan then runs as ever, filter and all, and jumps from one of these rows to the next: results, order, paging and limits are those
// of a scan that reads every row. A row that begins to match after the index was read is not among them, as if it had been written
// after the scan.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter/rows/row_set.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/status.h"
#include "rowkey/index_conditions.h"
#include "table/info/table_info.h"
#include "table/read/covered_rows.h"
#include "table/read/row_source.h"

namespace klip::table {

// An index by which the rows of a scan can be found.
struct IndexPath {
  const TableIndex* index = nullptr;
  rowkey::EntrySet set;
  bool covers = false;  // its entries hold all that the scan returns
};

struct IndexPaths {
  std::vector<IndexPath> usable;                // those with most fields in conditions first
  std::vector<Explain::Candidate> cannot_tell;  // and why not
};

// `keys`: the rows that the scan's conditions on keys allow; null: all. The paths point into the table.
IndexPaths IndexPathsOf(const TableInfo& table, const Scan& scan, const filter::RowSet* keys);

struct IndexedRows {
  std::string index;                           // that was read; empty: none
  std::shared_ptr<const filter::RowSet> rows;  // null: every row has to be read, unless they are covered
  std::shared_ptr<const CoveredRows> covered;  // all that the scan returns; null: rows have to be read
  size_t entries = 0;                          // so many of each run, at most, were asked for
  ScanStatistics read;                         // of the index
  std::string last_row;                        // `rows` has the first ones up to this one; empty: all were read
};

// Reads the entries, and gives up when more than `most` rows would have to be fetched: then nothing is set. Where entries are in runs
// in the order of the scan's rows and it has a limit, it reads only as many of each as may be enough, `first_entries` at least.
// Errors: those of reading, kCancelled.
Expected<IndexedRows> RowsByIndex(const RowSource& source, const TableInfo& table, const IndexPath& path,
                                  const Scan& scan, size_t most, size_t first_entries);

}  // namespace klip::table
