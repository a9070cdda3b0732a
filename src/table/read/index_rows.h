// Finds the rows that a scan's filter can pass, by an index.
//
// The scan then runs as usual, with its filter, and jumps from one of these rows to the next. So results, order, paging
// and limits are those of a scan that reads every row. A row that starts to match after the index was read is missing, as
// if it had been written after the scan.
//
// Example: the query "f:color=red" on a million rows, with an index on f:color. Its entries "red>r17" and "red>r903" give
// the row set {r17, r903}, and the scan makes two jumps.
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
#include "rowkey/planner.h"
#include "table/info/table_info.h"
#include "table/read/covered_rows.h"
#include "table/read/row_source.h"

namespace klip::table {

// What reading the table by an index takes, per row that was found.
struct FetchedRow {
  double seeks = 1;
  double rows = 1;
  rowkey::BriefRun to_limit = {};  // as AccessPath's
  double entries_to_limit = 0;
};

// An index that can find the rows of a scan.
struct IndexPath {
  const TableIndex* index = nullptr;
  rowkey::EntrySet set;
  bool covers = false;                     // its entries contain all that the scan returns
  std::optional<FetchedRow> fetched = {};  // nullopt: not tried
};

struct IndexPaths {
  std::vector<IndexPath> usable;                // those with most fields in conditions first
  std::vector<Explain::Candidate> cannot_tell;  // and the reason
};

// `keys`: the rows that the scan's conditions on keys allow; null: all. The paths point into the table.
IndexPaths IndexPathsOf(const TableInfo& table, const Scan& scan, const filter::RowSet* keys);

struct IndexedRows {
  std::string index;                           // the index read; empty: none
  std::shared_ptr<const filter::RowSet> rows;  // null: every row has to be read, unless they are covered
  std::shared_ptr<const CoveredRows> covered;  // all that the scan returns; null: rows have to be read
  std::shared_ptr<IndexCounters> fetches;      // counts the rows that the scan reads; null: it reads none by the index
  size_t entries = 0;                          // the number of entries requested from each run, at most
  ScanStatistics read;                         // of the index
  std::string last_row;                        // `rows` is complete up to this row; empty: completely
};

// The rows of the first entries, at most `most`; some may be wrong. Empty: an error.
std::vector<std::string> FirstRows(const RowSource& source, const TableInfo& table, const IndexPath& path, size_t most);

// Reads the entries; gives up and finds no rows if there are more than `most`. If the scan has a limit,
// and each run of entries is in the order of its rows, reads only as many entries of each run as may suffice, but at
// least `first_entries`. Errors: those of reading, kCancelled.
Expected<IndexedRows> RowsByIndex(const RowSource& source, const TableInfo& table, const IndexPath& path,
                                  const Scan& scan, size_t most, size_t first_entries);

}  // namespace klip::table
