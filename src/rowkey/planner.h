// The planner: from the rows a scan wants to the cheapest way to reach them. Pure: statistics and costs come in, a plan goes
// out; no I/O, no table. The same plan runs on the embedded store and on a cluster.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "filter/row_set.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/row_key.h"

namespace klip::rowkey {

// What one operation costs on this table, in microseconds. Measured while scans run; the defaults are those of one sorted
// run on a warm cache (bench/RESULTS.md).
struct CostModel {
  double seek_us = 2.5;
  double step_us = 0.25;
  double return_us = 0.1;
};

struct PlanInput {
  std::string table;
  const Scan* scan = nullptr;
  const RowKeySchema* schema = nullptr;           // null: the table has none
  std::shared_ptr<const filter::RowSet> rows;     // scan.where ∩ filter's rows ∩ [start, stop); null: all of [start, stop)
  std::string residual_filter;                    // text of what is evaluated per row
  TableStatistics statistics;
  bool has_statistics = false;
  CostModel costs;
  int threads = 1;
};

struct Plan {
  klip::Explain explain;
  std::shared_ptr<const filter::RowSet> rows;  // what the scanner jumps over; null: walk the bounds
  std::vector<std::string> points;             // kPointGets: the rows, in scan order
  RowRange bounds;                             // of the rows touched
  double expected_gap_rows = 0;                // rows a jump is expected to skip
};

Plan MakePlan(const PlanInput& input);

}  // namespace klip::rowkey
