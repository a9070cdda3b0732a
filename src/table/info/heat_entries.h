// The contents of a time slot of a heat map: sorted, disjoint ranges of keys with their counts. Finished slots are
// encoded as bytes.
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

// Cuts rows at the end of a key field. Cutting keeps the order of rows. Immutable.
class HeatCutter {
 public:
  // The leading parts of the table's keys; empty: rows have no fields.
  explicit HeatCutter(std::vector<filter::KeyPart> parts);

  // The finest level: whole rows, up to 64 bytes.
  size_t finest() const { return levels_.size() + 1; }
  // The row up to the end of field number `level`, from 1.
  std::string_view Cut(std::string_view row, size_t level) const;

 private:
  std::vector<std::vector<filter::KeyPart>> levels_;
};

// Reduces the entries to at most `most`. First it cuts keys to fewer fields, as long as enough entries remain to show a
// pattern. Then it merges the neighbours with the lowest counts, preferring those with the same first field. Lowers
// *level to the new level of the keys.
//
// Example: 1,000 entries with the key "user date", and `most` is 256. If they have 100 users, keys are cut to users: 100
// entries. With 3 users this would leave too few, so keys keep their dates, and the coldest neighbouring dates of a user
// merge: "alice 2014-06-01" to "alice 2014-06-04".
void MergeColdest(const HeatCutter& cutter, size_t most, size_t* level, HeatEntries* entries);

// Cuts keys to this level.
void CutHeat(const HeatCutter& cutter, size_t level, HeatEntries* entries);

// Adds `more` to *entries; overlapping ranges become one. REQUIRES: both are cut at the same level.
void MergeInto(HeatEntries more, HeatEntries* entries);

std::string Encode(const HeatEntries& entries);
// REQUIRES: made by Encode.
HeatEntries DecodeHeat(std::string_view bytes);

}  // namespace klip::table
