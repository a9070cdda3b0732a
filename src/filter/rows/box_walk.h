// BoxWalk: one box and a scan's place in it. The odometer of the row cursors: tests rows, and finds where the box goes on
// above or below a row.
//
// Both searches take a string as guide and walk the segments along it while its bytes fit. Where they do not, the segment takes
// its next value if there is one; otherwise the nearest earlier segment that can move does. What comes after the segment that
// moved takes its lowest (highest) value.
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
  // Keeps `box`. Rows shorter than `shortest_row_bytes` may be jumped over.
  BoxWalk(const CompiledBox* box, size_t shortest_row_bytes);

  const CompiledBox& box() const { return *box_; }
  int level() const { return level_; }

  bool Fits(std::string_view row);

  // A run of rows that fit: up to below *end (empty: to the end), or down to *end. Their length must be one that the box
  // allows; any_bytes: no row of the run has another. REQUIRES: Fits(row) was the last call and true.
  bool RunUp(std::string_view row, std::string* end, bool* any_bytes) const;
  bool RunDown(std::string_view row, std::string* end, bool* any_bytes) const;

  // As Ceil of the row that Fits was called with last, which did not fit, without walking it again.
  bool CeilOfLast(std::string_view row, std::string* out);

  // A string *out >= x such that no row in [x, *out) fits, as large as can be told. False: no row >= x fits.
  bool Ceil(std::string_view x, std::string* out);

  // A string *out <= x (nullptr: above every string, *open tells that *out is that too) such that no row in [*out, x) fits, as
  // small as can be told. False: no row < x fits.
  bool Floor(const std::string_view* x, std::string* out, bool* open);

 private:
  static constexpr size_t kNotThere = static_cast<size_t>(-1);

  // What a step of a search came to.
  enum class Found : uint8_t { kNone, kHere, kAgain };

  bool RangeAround(std::string_view row);
  bool SegmentFits(size_t index, std::string_view row, size_t* pos);
  bool RunPossible(std::string_view row) const;
  void RunLengths(bool* any_bytes) const;
  std::string_view ValueAt(size_t index, std::string_view x, bool* delimited) const;

  // Upward (box_ceil.cc). kAgain: go on from guide_.
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
  size_t shortest_row_bytes_;   // that the box allows and the table has
  std::vector<size_t> starts_;  // of the segments walked last
  std::vector<size_t> hints_;   // interval that each segment was in
  size_t depth_ = 0;            // segments that the last row filled
  size_t failed_ = 0;           // fixed segment whose bytes did not fit in the last row; kNotThere: something else
  size_t range_ = 0;            // range that the last row was in
  int level_ = 0;
  std::string guide_;  // where a search goes on
  std::string value_;
  std::string cut_;
};

// Makes *bytes the smallest string above all that start with it; false when there is none.
bool ToPrefixSuccessor(std::string* bytes);

}  // namespace klip::filter
