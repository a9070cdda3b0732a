// A RowBox in the form that cursors walk: bounds adjacent in memory, neighbouring segments merged, and data for jumps
// precomputed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rows/row_set.h"

namespace klip::filter {

struct CompiledSegment {
  RowSegment::Kind kind = RowSegment::Kind::kFixed;
  char delimiter = 0;
  size_t width = 0;  // kFixed
  size_t count = 0;  // intervals; 0: any value
  std::string lows;  // kFixed: `count` values of `width` bytes
  std::string highs;
  const std::vector<ByteInterval>* intervals = nullptr;  // the other kinds
  // this and every later segment is kFixed: rows may end inside it
  bool fixed_to_end = false;
  bool point = false;  // kFixed with one value
  int level = 0;       // index in RowBox::segments

  bool any() const { return count == 0; }
  const char* low(size_t index) const { return lows.data() + index * width; }
  const char* high(size_t index) const { return highs.data() + index * width; }

  // The first interval that does not end below the `width` bytes at `value`, else `count`. Tries `hint` first.
  size_t FirstNotBelow(const char* value, size_t hint) const;
  // The number of intervals with a low whose first value.size() bytes are below `value`.
  size_t CountLowsBelow(std::string_view value) const;
  // Whether some value starts with these bytes, fewer than `width`.
  bool PrefixFits(std::string_view value) const;

  // The same for kDelimited and kRest. REQUIRES: not any().
  size_t FirstNotBelow(std::string_view value) const;
  size_t CountLowsBelowVariable(std::string_view value) const;
  bool FitsVariable(std::string_view value) const;
};

// Half-open; an empty stop is the end of the table.
struct CompiledRange {
  std::string start;
  std::string stop;
};

class CompiledBox {
 public:
  // Points into `box`.
  explicit CompiledBox(const RowBox& box);

  const std::vector<CompiledRange>& ranges() const { return ranges_; }  // empty: all rows
  const std::vector<CompiledSegment>& segments() const { return segments_; }
  size_t min_row_bytes() const { return min_row_bytes_; }
  size_t max_row_bytes() const { return max_row_bytes_; }

 private:
  void AddSegment(const RowSegment& segment, int level);

  std::vector<CompiledRange> ranges_;
  std::vector<CompiledSegment> segments_;
  size_t min_row_bytes_;
  size_t max_row_bytes_;
};

}  // namespace klip::filter
