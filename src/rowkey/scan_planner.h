// Plans a scan in the same way for all backends: which rows it reads, by which path, and what remains to be checked per
// row. Capabilities describe the differences between backends. Pure: no I/O, no table.
//
// Example: the query "user=bob f:city=berlin" on a table with an index on f:city. NeedsOf converts it to the row set of
// bob's rows and a filter on f:city. PlanScan estimates both paths: by the table, it checks the 365 rows of bob; by the index,
// it reads the 40,000 entries of berlin. It takes the table's path, and `explain` lists the other.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/row_set.h"
#include "klip/filter.h"
#include "klip/query.h"
#include "klip/row_key.h"
#include "klip/status.h"
#include "rowkey/planner.h"

namespace klip::rowkey {

// What the backend of the plan supports.
struct Capabilities {
  // Whether it reads the rows itself and can jump from any row to any other. If so, the wanted rows are intersected with
  // the rows that the filter can pass and with the scan's range, and a filter that passes exactly these rows is dropped.
  // False: a server runs the unchanged filter.
  bool jumps = true;
  // Whether it can divide a scan into pieces and read them on several threads.
  bool parallel = false;
  // If not null: returns a filter for the server that passes every row of the set and jumps over others, or null if none
  // helps. *exact: it passes no other row.
  FilterPtr (*push_down)(const filter::RowSet& rows, bool reversed, bool* exact) = nullptr;
};

// How many sampled rows have what the scan asks of rows besides their keys.
struct TestedRows {
  double wanted = 0;  // rows with wanted keys
  double wanted_passed = 0;
  double others = 0;
  double others_passed = 0;
  bool all_wanted = false;  // that the table has
};

// The parts of a scan that are the same for every path.
struct ScanNeeds {
  std::shared_ptr<const filter::RowSet> rows;  // of the table; null: all rows of the scan's range
  FilterPtr filter;                            // evaluated per row; null: none
  int threads = 1;                             // maximum
  std::optional<TestedRows> tested = {};       // to estimate the rows that pass; nullopt: all pass, or nothing is known
};

// `schema`: the table's; null: none. Errors: kInvalidArgument: conditions on key fields without a schema, or on a field that it
// does not have.
Expected<ScanNeeds> NeedsOf(const Scan& scan, std::string_view table, const RowKeySchema* schema,
                            const Capabilities& can);

struct ScanPlan {
  size_t path = 0;    // index of the path taken
  Plan plan;          // of that path; its explain also lists the other paths, and why they were not taken
  FilterPtr filter;   // of the needs, including what was pushed down; null: none
  std::string names;  // of the possible plans, for people
  std::vector<std::shared_ptr<const SampleAnswer>> sampled = {};  // [path]
};

// Plans the scan on each path and takes the cheapest, or the one that Scan::plan names; among equal ones, the first.
// `paths`: at least one, the table's own first, with the rows of the needs. `taken`: explains the plan of this name, which the scan
// took before; empty: none yet.
ScanPlan PlanScan(const Scan& scan, std::string_view table, const ScanNeeds& needs, std::span<const AccessPath> paths,
                  const Capabilities& can, std::string_view taken = {});

// The rows of the scan; start is below stop even if it is reversed.
RowRange RangeOf(const Scan& scan);
void SetRange(const RowRange& range, Scan* scan);

}  // namespace klip::rowkey
