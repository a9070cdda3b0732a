// From a scan to its plan, in one way for all backends: which rows the scan reads, by which path they are reached, and what is left
// to check row by row. Where backends differ is in Capabilities. Pure: no I/O, no table.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "filter/rows/row_set.h"
#include "klip/filter.h"
#include "klip/query.h"
#include "klip/row_key.h"
#include "klip/status.h"
#include "rowkey/planner.h"

namespace klip::rowkey {

// What the backend that will run the plan can do.
struct Capabilities {
  // It reads the rows itself and can jump from any row to any other. Then the rows that the scan's filter can pass, and the scan's
  // range, are intersected with the rows wanted, and a filter that passes just these rows is dropped. False: a server runs the
  // filter, as it is.
  bool jumps = true;
  // It can cut a scan into pieces and read them on several threads.
  bool parallel = false;
  // If not null: a filter for the server that passes every row of the set and jumps over others, or null if none helps. *exact:
  // it passes no other row.
  FilterPtr (*push_down)(const filter::RowSet& rows, bool reversed, bool* exact) = nullptr;
};

// What a scan asks of whichever path is taken.
struct ScanNeeds {
  std::shared_ptr<const filter::RowSet> rows;  // of the table; null: all rows of the scan's range
  FilterPtr filter;                            // to be evaluated per row; null: none
  int threads = 1;                             // at most
};

// `schema`: the table's; null: none. Errors: kInvalidArgument: conditions on key fields without a schema, or on a field that it
// does not have.
Expected<ScanNeeds> NeedsOf(const Scan& scan, std::string_view table, const RowKeySchema* schema,
                            const Capabilities& can);

struct ScanPlan {
  size_t path = 0;    // index of the path taken
  Plan plan;          // of that path; its explain also names the other paths and why they were not taken
  FilterPtr filter;   // of the needs, with what was pushed down; null: none
  std::string names;  // of the plans that could be taken, for people
};

// Plans the scan on each path and takes the cheapest, or the one that Scan::plan names; of equal ones the first. `paths`: at least
// one, the table's own first, with the rows of the needs.
ScanPlan PlanScan(const Scan& scan, std::string_view table, const ScanNeeds& needs, std::span<const AccessPath> paths,
                  const Capabilities& can);

// The rows of the scan, start below stop also if it is reversed.
RowRange RangeOf(const Scan& scan);
void SetRange(const RowRange& range, Scan* scan);

}  // namespace klip::rowkey
