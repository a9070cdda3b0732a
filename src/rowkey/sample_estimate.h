// Estimates the cost of a scan from a sample of the table's keys (filter/rows/key_sample.h): like key_estimate.h, but
// without the assumption that values are evenly spread.
#pragma once

#include <optional>
#include <vector>

#include "filter/rows/key_sample.h"
#include "filter/rows/row_set.h"
#include "klip/query.h"
#include "rowkey/key_estimate.h"
#include "rowkey/limit_reach.h"
#include "rowkey/planner.h"

namespace klip::rowkey {

struct SampleQuestion {
  const std::vector<KeySlot>* slots = nullptr;
  const std::vector<std::vector<SlotCondition>>* lines = nullptr;  // a line per alternative
  const std::vector<SlotCondition>* bounds = nullptr;              // the conditions that `range` implies for each slot
  const filter::RowSet* rows = nullptr;                            // null: all in the range
  RowRange range;                                                  // start below stop
  CostModel costs;
  double runs_factor = 1;  // by which sorted runs increase the cost of a seek
  double cells_per_row = 1;
  double table_rows = 0;    // stored, visible or not
  double expected_gap = 0;  // rows per jump, as a hint for the scanner
  BriefRun run = {};        // of this scan
  bool reversed = false;
};

struct SampleAnswer {
  double rows = 0;           // wanted, and neither deleted nor expired
  double in_range = 0;       // stored in the range
  double seeks = 1;          // of a scan that steps to near rows and seeks far ones
  double rows_read = 0;      // by that scan
  double stored_wanted = 0;  // wanted rows, visible or not
  double gap = 0;            // rows skipped per jump, on average
  std::vector<bool> jumps;   // [slot]: seeks serve its condition
  WantedPlaces places;       // of the rows of the range
  ScannedPart part;          // what the brief run has passed
};

// The share that matches, if `hits` of so many tested rows do. `prior`: the share that is assumed without them; counts as if
// `prior_hits` rows had shown it, or less if those tested show something else, but not as less than `least_hits`: rows that did.
double BlendedShare(double hits, double tested, double prior, double prior_hits, double least_hits = 0);

// The rows of the table, each once, even if several files contain it. `counted`: by files, each.
double StoredRows(const filter::KeySample& sample, double counted);

// nullopt: there is no sample, or it has other key parts.
std::optional<SampleAnswer> EstimateFromSample(const filter::SampledKeys& keys, const SampleQuestion& question);

}  // namespace klip::rowkey
