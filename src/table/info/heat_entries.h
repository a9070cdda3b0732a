// What a time slot of a heat map consists of: sorted, disjoint ranges of keys with what was counted in them, as bytes when it is over.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/leading_values.h"
#include "klip/heat.h"

namespace klip::table {

struct HeatEntry {
  HeatRange range;
  HeatCell cell;

  double weight() const { return cell.reads + cell.writes; }
};
using HeatEntries = std::vector<HeatEntry>;

// Cuts rows where a field of the key ends. Rows in order are in order when they are cut. Immutable.
class HeatCutter {
 public:
  // The leading parts of the table's keys; none: rows have no fields.
  explicit HeatCutter(std::vector<filter::KeyPart> parts);

  // The finest level: whole rows, but for what is beyond 64 bytes.
  size_t finest() const { return levels_.size() + 1; }
  // Up to the end of field number `level`, from 1.
  std::string_view Cut(std::string_view row, size_t level) const;

 private:
  std::vector<std::vector<filter::KeyPart>> levels_;
};

// Makes at most `most` of them: cuts keys to fewer fields while that leaves enough to see, then merges neighbours of least weight,
// those of one value of the first field before others. Lowers *level to how keys are cut now.
void MergeColdest(const HeatCutter& cutter, size_t most, size_t* level, HeatEntries* entries);

// Cuts keys to this level.
void CutHeat(const HeatCutter& cutter, size_t level, HeatEntries* entries);

// Adds `more` to *entries; ranges that overlap become one. REQUIRES: both are cut at one level.
void MergeInto(HeatEntries more, HeatEntries* entries);

std::string Encode(const HeatEntries& entries);
// REQUIRES: made by Encode.
HeatEntries DecodeHeat(std::string_view bytes);

}  // namespace klip::table
