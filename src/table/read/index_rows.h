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

#include "engine/store/storage.h"
#include "filter/rows/row_set.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/status.h"
#include "table/info/table_info.h"
#include "table/read/covered_rows.h"
#include "table/read/row_source.h"

namespace klip::table {

struct IndexedRows {
  std::string index;                           // that was read; empty: none
  std::shared_ptr<const filter::RowSet> rows;  // null: every row has to be read, unless they are covered
  std::shared_ptr<const CoveredRows> covered;  // all that the scan returns; null: rows have to be read
  std::vector<Explain::Candidate> not_taken;   // for explain
  size_t entries = 0;    // how many were read, if not all: `rows` has the first ones up to last_row
  std::string last_row;  // empty: all were read
};

std::shared_ptr<const filter::RowSet> SetOfRows(std::vector<std::string> rows);

// Reads the index that has most leading fields with conditions, and gives it up when it has too many rows. Where entries are in the order
// of the scan's rows and it has a limit, it reads only as many as may be enough, `first_entries` at least.
// Errors: those of reading, kCancelled.
Expected<IndexedRows> RowsByIndex(const RowSource& source, engine::Storage* storage, const TableInfo& table,
                                  const Scan& scan, size_t first_entries);

}  // namespace klip::table
