// ScanTrial: tries a scan out on stretches of the table's rows (filter/rows/row_stretches.h), with the cursor and the policy that
// scans use, to predict how often it seeks. It needs no assumption on the distances of jumps, their order or their levels.
//
// A stretch shows all of a jump only if the jump starts in it, and if the rest of the stretch is longer than any walk. So jumps are
// counted by where they start, and the last rows of a stretch are only looked at. The first row of a stretch may be one that the
// scan passes without a look. The jump from there is not counted, but it leads to the next row that the scan does look at.
//
// Rare long jumps may start in none of the stretches, and after one a policy walks less far. Drawn rows show them: several of these lie
// in one jump. If the stretches can show few of them, the trial makes those in between.
//
// Example: the stretch b7 b8 b9 c1 c2, and a scan of "any letter, 2". b7 is not counted; from there the scan jumps to c2.
#pragma once

#include <vector>

#include "filter/rows/key_sample.h"
#include "filter/rows/row_set.h"
#include "klip/query.h"
#include "rowkey/planner.h"

namespace klip::rowkey {

struct TriedScan {
  double jumps = 0;
  double seeks = 0;    // besides the first one
  double steps = 0;    // over cells that are not wanted
  double skipped = 0;  // cells that jumps skip, by steps or a seek
  // False: the stretches show too few jumps. Then the others are of those jumps only.
  bool is_typical = false;
  double looks = 0;       // at rows where a jump would have counted
  double long_jumps = 0;  // that drawn rows show: each is a seek
  // [stretch]: its rows, those of them that are wanted, and of these, those that are neither deleted nor expired.
  std::vector<double> rows;
  std::vector<double> wanted;
  std::vector<double> live;
};

struct TrialSetup {
  const filter::RowSet* rows = nullptr;
  RowRange range;  // start below stop
  double rows_in_range = 0;
  CostModel costs;
  double runs_factor = 1;   // by which sorted runs increase the cost of a seek
  double expected_gap = 0;  // the hint that the scanner gets
  bool reversed = false;
};

// REQUIRES: `keys` has stretches.
TriedScan TryScan(const filter::SampledKeys& keys, const TrialSetup& setup);

}  // namespace klip::rowkey
