// The planner: finds the cheapest way to reach the rows of a scan. Pure: statistics and costs come in, a plan
// goes out; no I/O, no table. The same plan runs on the embedded store and on a cluster. scan_planner.h calls it for each path.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "filter/rows/key_sample.h"
#include "filter/rows/row_set.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/row_key.h"

namespace klip::rowkey {

// What one operation costs on this table, in microseconds. Measured while scans run; the defaults are those of one
// sorted run on a warm cache (bench/RESULTS.md).
struct CostModel {
  double seek_us = 2.5;
  double step_us = 0.25;
  double return_us = 0.1;
  double fetch_us = 4;    // a row of the table, looked up by the key that an index has for it
  bool measured = false;  // on this table, with the sorted runs it has; else seek_us is scaled by their number
};

// Sorted keys by which the rows of a scan can be reached: the table's own, or those of an index.
struct AccessPath {
  std::string name;                      // of the index; empty: the table's own keys
  const RowKeySchema* schema = nullptr;  // of the keys; null: there is none
  // The keys wanted, for a table scan.where ∩ filter's rows ∩ [start, stop); null: all within the range.
  std::shared_ptr<const filter::RowSet> rows;
  std::optional<RowRange> range;  // start below stop; nullopt: that of the scan
  std::optional<TableStatistics> statistics;
  filter::SampledKeys
      keys;  // without a sample, values are taken to be spread evenly. With one a plan takes up to some ms
  std::vector<std::string> columns;  // that the keys of an index tell, besides the row
  // So many parts of the keys are each in the order of the scan's rows, so that with a limit only the first of each are read. 0: all are
  // read before the first row is known.
  double runs = 1;
  bool needs_fetch = false;  // the path lacks columns that the scan returns: each row found is then read from the table
  CostModel costs;
};

struct PlanInput {
  std::string table;
  const Scan* scan = nullptr;
  const AccessPath* path = nullptr;
  std::string residual_filter;  // text of what is evaluated per row
  int threads = 1;
  std::optional<double>
      matching;  // rows that the scan returns without its limit, as far as all paths together can tell
  std::optional<PlanKind> forced;  // is taken whatever it costs, where the path has it
};

struct Plan {
  klip::Explain explain;
  // What the scanner looks each row up in and jumps over; null: every row within the bounds is wanted. A range or a
  // full walk may have it too: jumps are then not expected to pay, but the rows must still be checked.
  std::shared_ptr<const filter::RowSet> rows;
  std::vector<std::string> points;  // kPointGets: the rows, in scan order
  RowRange bounds;                  // of the rows touched, start below stop also when the scan is reversed
  double expected_gap_rows = 0;     // rows a jump is expected to skip; 0: unknown
  bool counted = false;    // costs are estimates; false: there are no statistics of these keys, so that they are 0
  bool every_row = false;  // it is forced to look at every row within the bounds
  double matching = 0;     // rows found, without the scan's limit
  size_t possible = 0;     // so many of the explain's candidates could be taken
};

// TUNING: plans below this all cost about what opening the scan does, and the estimates are noise.
inline constexpr double kTrivialUs = 200;

// Never fails: what cannot be estimated is left to the scanner, which adapts while it runs.
Plan MakePlan(const PlanInput& input);

}  // namespace klip::rowkey
