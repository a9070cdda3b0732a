// BoxWalk: one box and a scan's position in it. Tests rows, and finds the box's next possible row above or below a row.
// It works like an odometer.
//
// Both searches follow a guide string through the segments as long as its bytes fit. Where they do not, the segment takes
// its next value if there is one; otherwise the nearest earlier segment that can move does. The segments after the one
// that moved take their lowest (highest) values.
//
// Example: a box with segment 0 in {a, c} and segment 1 in {05, 20}. Ceil("a07"): "a" fits, 07 does not, and the next
// value gives "a20". Ceil("a30"): segment 1 has no higher value, so segment 0 moves to "c" and segment 1 to its lowest:
// "c05".
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/compiled_box.h"

namespace klip::filter {

class BoxWalk {
 public:
  // Keeps `box`. May jump over rows shorter than `shortest_row_bytes`.
  BoxWalk(const CompiledBox* box, size_t shortest_row_bytes);

  const CompiledBox& box() const { return *box_; }
  int level() const { return level_; }

  bool Fits(std::string_view row);

  // A run of rows that fit: up to but excluding *end (empty: to the end), or down to *end. Their length must be one that
  // the box allows; any_bytes: the run has no rows of other lengths. REQUIRES: the last call was Fits(row), and returned
  // true.
  bool RunUp(std::string_view row, std::string* end, bool* any_bytes) const;
  bool RunDown(std::string_view row, std::string* end, bool* any_bytes) const;

  // The same as Ceil for the row of the last Fits, which did not fit, without walking it again.
  bool CeilOfLast(std::string_view row, std::string* out);

  // The largest known string *out >= x such that no row in [x, *out) fits. False: no row >= x fits.
  bool Ceil(std::string_view x, std::string* out);

  // The smallest known string *out <= x such that no row in [*out, x) fits. A null x is above every string; *open: *out
  // is, too. False: no row < x fits.
  bool Floor(const std::string_view* x, std::string* out, bool* open);

 private:
  static constexpr size_t kNotThere = static_cast<size_t>(-1);

  // The result of a search step.
  enum class Found : uint8_t { kNone, kHere, kAgain };

  bool RangeAround(std::string_view row);
  bool SegmentFits(size_t index, std::string_view row, size_t* pos);
  bool RunPossible(std::string_view row) const;
  void RunLengths(bool* any_bytes) const;
  std::string_view ValueAt(size_t index, std::string_view x, bool* delimited) const;

  // Upward (box_ceil.cc). kAgain: continue from guide_.
  Found CeilSegments(std::string_view x, std::string* out);
  Found CeilBack(size_t index, std::string_view x, std::string* out);
  Found CeilFixed(size_t index, std::string_view x, std::string* out);
  Found CeilShort(size_t index, std::string_view x, std::string* out);
  Found CeilUndelimited(size_t index, std::string_view x, std::string* out);
  Found Above(std::string_view prefix);
  Found PlaceLow(size_t index, std::string_view x, std::string* out);
  void AppendLowest(size_t from, std::string* out) const;

  // Downward (box_floor.cc).
  bool FloorSegments(const std::string_view* x, std::string* out, bool* open);
  bool FloorBack(size_t index, std::string_view x, std::string* out, bool* open);
  bool FloorFixed(size_t index, std::string_view x, std::string* out, bool* open);
  bool FloorDelimited(size_t index, std::string_view x, std::string* out, bool* open);
  bool FloorRest(size_t index, std::string_view x, std::string* out, bool* open);
  void AppendHighest(size_t from, std::string* out, bool* open) const;

  const CompiledBox* box_;
  size_t shortest_row_bytes_;   // minimum of the box and of the table
  std::vector<size_t> starts_;  // of the segments walked last
  std::vector<size_t> hints_;   // the interval that contained each segment
  size_t depth_ = 0;            // number of segments that the last row filled
  size_t failed_ = 0;           // the fixed segment that did not fit in the last row; kNotThere: something else
  size_t range_ = 0;            // the range of the last row
  int level_ = 0;
  std::string guide_;  // where a search continues
  std::string value_;
  std::string cut_;
};

// Replaces *bytes by the smallest string above all strings with this prefix; false if there is none.
bool ToPrefixSuccessor(std::string* bytes);

}  // namespace klip::filter
