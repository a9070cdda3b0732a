// What a scan of some rows costs, from a sample of the table's keys (filter/rows/key_sample.h): key_estimate.h without
// the assumption that values are spread evenly.
#pragma once

#include <optional>
#include <vector>

#include "filter/rows/key_sample.h"
#include "filter/rows/row_set.h"
#include "klip/query.h"
#include "rowkey/key_estimate.h"

namespace klip::rowkey {

struct SampleQuestion {
  const std::vector<KeySlot>* slots = nullptr;
  const std::vector<std::vector<SlotCondition>>* lines = nullptr;  // a line per way to be in the set
  const std::vector<SlotCondition>* bounds = nullptr;              // what `range` asks of each slot
  const filter::RowSet* rows = nullptr;                            // null: all in the range
  RowRange range;                                                  // start below stop
  double seek_factor = 1;                                          // what sorted runs make of the cost of a seek
  double cells_per_row = 1;
  double table_rows = 0;    // stored, whether live or not
  double expected_gap = 0;  // rows of a jump, as a hint for the scanner
};

struct SampleAnswer {
  double rows = 0;           // wanted, and neither deleted nor expired
  double in_range = 0;       // stored in the range
  double seeks = 1;          // that a scan makes which steps to near rows and seeks far ones
  double rows_read = 0;      // by that scan
  double stored_wanted = 0;  // rows wanted, live or not
  double gap = 0;            // rows that a jump leads over, on average
  std::vector<bool> jumps;   // [slot]: its condition is met by seeks
};

// nullopt: there is no sample, or it is of other key parts.
std::optional<SampleAnswer> EstimateFromSample(const filter::SampledKeys& keys, const SampleQuestion& question);

}  // namespace klip::rowkey
