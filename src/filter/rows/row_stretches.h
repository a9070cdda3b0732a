// RowStretches: rows that follow one another in a table, from places spread over it. Unlike drawn rows (key_sample.h), they show
// how far the rows of a scan lie from one another, and in which order near and far ones come.
//
// Example: of the rows a1 a2 b1 b2 c1 c2 d1, the stretches a1 a2 b1 and c1 c2 d1. To find "any letter, 2", a scan passes one row
// before each: a1, b1, c1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace klip::filter {

// Consecutive rows, in key order.
class RowStretch {
 public:
  void Add(std::string_view row, uint32_t cells) {
    bytes_.append(row);
    ends_.push_back(static_cast<uint32_t>(bytes_.size()));
    cells_.push_back(cells_.back() + cells);
  }

  size_t size() const { return ends_.size(); }
  std::string_view row(size_t i) const {
    const size_t start = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(start, ends_[i] - start);
  }
  // Of the rows before row i. REQUIRES: i <= size().
  uint32_t cells_before(size_t i) const { return cells_[i]; }

  size_t bytes() const { return bytes_.capacity() + (ends_.capacity() + cells_.capacity()) * sizeof(uint32_t); }

  // The first row from row `from` on that is at or above `bound`; size() if there is none. Fast if it is near.
  size_t LowerBound(size_t from, std::string_view bound) const {
    size_t step = 1;
    size_t low = from;
    while (low + step < size() && row(low + step - 1) < bound) {
      low += step;
      step *= 2;
    }
    size_t high = low + step < size() ? low + step : size();
    while (low < high) {
      const size_t middle = low + (high - low) / 2;
      if (row(middle) < bound) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

 private:
  std::string bytes_;
  std::vector<uint32_t> ends_;
  std::vector<uint32_t> cells_ = {0};
};

struct RowStretches {
  static constexpr size_t kPlaces = 64;
  // TUNING: with rows of 30 bytes, 64 of these take 600 kB. More would show more of a table, but take longer to read.
  static constexpr size_t kCells = 256;

  std::vector<RowStretch> stretches;  // none empty, in key order, with rows between them
  bool from_start = false;            // the first one starts with the table's first row
  bool to_end = false;                // the last one ends with the table's last row

  size_t bytes() const {
    size_t all = sizeof(RowStretches);
    for (const RowStretch& stretch : stretches) {
      all += sizeof(RowStretch) + stretch.bytes();
    }
    return all;
  }
  bool whole() const { return stretches.size() == 1 && from_start && to_end; }
};

}  // namespace klip::filter
