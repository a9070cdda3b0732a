// The planner: finds the cheapest way to the rows of a scan. Pure: its input is statistics and costs, its output a plan;
// no I/O, no table. The same plan runs on the embedded store and on a cluster. scan_planner.h calls it for each path.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/key_sample.h"
#include "filter/rows/row_set.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/row_key.h"

namespace klip::rowkey {

// The cost of each operation on this table, in microseconds. The defaults are those of one sorted run with a warm cache
// (bench/RESULTS.md).
struct CostModel {
  double seek_us = 2.5;      // right after another seek
  double far_seek_us = 2.5;  // after kFarCells cells, when what a seek needs has left the processor's caches
  double step_us = 0.25;
  double short_step_us = 0.25;  // of a walk over few cells
  double return_us = 0.1;
  double look_us = 0;      // at a row that is not wanted, besides its steps, if the wanted ones are not adjacent
  double fetch_us = 4;     // reading a row of the table by the key from an index, besides return_us
  double adjacent_us = 4;  // the same, if it is the next row of the table
  // Of blocks of files. For the table that an index leads to, those of rows that are far apart.
  struct Blocks {
    double cells = 0;    // of a block; 0: unknown
    double cached = 1;   // the share that is in the block cache
    double near_us = 0;  // reading one into the cache, right after the previous one
    double far_us = 0;   // reading another
  };
  Blocks blocks;
  Blocks fetch_blocks;
  // On this table, with its sorted runs, and scans start with these costs. Otherwise seeks are scaled by the number of runs, and
  // scans learn their cost from the first jumps.
  bool measured = false;

  static constexpr int kFarCells = 256;
  // Of a seek, if the scan reads so many cells between two.
  double SeekUs(double cells) const { return seek_us + (far_seek_us - seek_us) * std::min(1.0, cells / kFarCells); }
};

// What a scan of a path's wanted keys read in a moment.
struct BriefRun {
  double rows = 0;  // found, and visible
  double rows_read = 0;
  double seeks = 0;
  double dropping = 0;          // seeks besides these, per row that is read: a filter drops the rest of the row
  bool ended = false;           // these are all; false: there may be more
  double limit = 0;             // rows: it stops there, as the scan does; 0: none, or the scan has other conditions
  std::string stopped_at = {};  // the last row that it looked at, if it was stopped

  bool reached_limit() const { return limit > 0 && rows >= limit; }
};

struct SampleAnswer;  // sample_estimate.h

// Sorted keys that lead to the rows of a scan: the table's own, or those of an index.
struct AccessPath {
  std::string name;                      // of the index; empty: the table's own keys
  const RowKeySchema* schema = nullptr;  // of the keys; null: none
  // The wanted keys, for a table scan.where ∩ filter's rows ∩ [start, stop); null: all within the range.
  std::shared_ptr<const filter::RowSet> rows;
  std::optional<RowRange> range;  // start below stop; nullopt: that of the scan
  std::optional<TableStatistics> statistics;
  filter::SampledKeys
      keys;  // without a sample, values are assumed to be evenly spread. With one, planning takes up to some ms
  std::shared_ptr<const SampleAnswer> sampled = {};  // what the sample has answered for this scan; null: it is asked
  std::vector<std::string> columns;                  // whose values the keys of an index contain, besides the row
  // The number of parts of the keys that are each in the order of the scan's rows, so that a limit applies to each part.
  // 0: all are read before the first row is known.
  double runs = 1;
  bool only_by_cost = false;  // taken only if costs can be compared: its leading fields have no condition
  bool needs_fetch = false;  // the path lacks columns that the scan returns: each found row is then read from the table
  // Of the table, per row that an index finds. If these are adjacent, a scan of them steps from one to the next.
  double fetch_seeks = 1;
  double fetch_rows = 1;
  // That is so for so many found rows. Others lie between these: the more there are, the nearer they are to one another. 0: they do not.
  double fetched_together = 0;
  // Of the scan by this index, up to its limit, with what reading the entries took. Empty: it is not known.
  BriefRun to_limit = {};
  double entries_to_limit = 0;
  CostModel costs;
  BriefRun run = {};
};

struct Plan;

struct PlanInput {
  std::string table;
  const Scan* scan = nullptr;
  const AccessPath* path = nullptr;
  std::string residual_filter;  // text of the filter that is evaluated per row
  int threads = 1;
  std::optional<double> matching;  // rows that the scan returns without its limit, as far as all paths together show
  std::optional<PlanKind> forced;  // taken at any cost, if the path has it
  const Plan* before =
      nullptr;  // of the same path, for the same scan: what the sample answers is not asked again; null: none
};

// Whether it has all rows.
inline bool IsOpen(const RowRange& range) { return range.start.empty() && range.stop.empty(); }

// Why the plan is one that is not estimated to be the cheapest, for people.
std::string_view WhyForced(const Scan& scan);

struct Plan {
  klip::Explain explain;
  // The set that the scanner checks each row against and jumps through; null: every row within the bounds is wanted. A
  // range or a full walk may have it too: jumps are then not expected to pay off, but rows must be checked.
  std::shared_ptr<const filter::RowSet> rows;
  std::vector<std::string> points;  // kPointGets: the rows, in scan order
  RowRange bounds;                  // of the rows touched; start is below stop even if the scan is reversed
  double expected_gap_rows = 0;     // rows that a jump is expected to skip; 0: unknown
  bool counted = false;             // costs are estimates; false: these keys have no statistics, so costs are 0
  bool every_row = false;           // forced to read every row within the bounds
  double matching = 0;              // rows found, ignoring the scan's limit
  size_t possible = 0;              // the number of possible candidates in `explain`
  std::shared_ptr<const SampleAnswer> sampled;  // null: there is no sample of the keys
};

// TUNING: plans below this cost about as much as opening the scan, and the estimates are noise.
inline constexpr double kTrivialUs = 50;

// Never fails: if something cannot be estimated, the scanner adapts while it runs.
Plan MakePlan(const PlanInput& input);

}  // namespace klip::rowkey
