// RowStretches: rows that follow one another in a table, from places spread over it. Unlike drawn rows (key_sample.h), they show
// how far the rows of a scan lie from one another, and in which order near and far ones come.
//
// Example: of the rows a1 a2 b1 b2 c1 c2 d1, the stretches a1 a2 b1 and c1 c2 d1. To find "any letter, 2", a scan passes one row
// before each: a1, b1, c1.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace klip::filter {

// Consecutive rows, in key order.
class RowStretch {
 public:
  static constexpr int64_t kDeleted = std::numeric_limits<int64_t>::min();

  // `newest_ms`: timestamp of its newest put that no marker of the row deletes; kDeleted: none.
  void Add(std::string_view row, uint32_t cells, int64_t newest_ms = std::numeric_limits<int64_t>::max()) {
    bytes_.append(row);
    ends_.push_back(static_cast<uint32_t>(bytes_.size()));
    cells_.push_back(cells_.back() + cells);
    newest_ms_.push_back(newest_ms);
  }

  size_t size() const { return ends_.size(); }
  std::string_view row(size_t i) const {
    const size_t start = i == 0 ? 0 : ends_[i - 1];
    return std::string_view(bytes_).substr(start, ends_[i] - start);
  }
  // Of the rows before row i. REQUIRES: i <= size().
  uint32_t cells_before(size_t i) const { return cells_[i]; }
  int64_t newest_ms(size_t i) const { return newest_ms_[i]; }

  size_t bytes() const {
    return bytes_.capacity() + (ends_.capacity() + cells_.capacity()) * sizeof(uint32_t) +
           newest_ms_.capacity() * sizeof(int64_t);
  }

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
  std::vector<int64_t> newest_ms_;
};

struct RowStretches {
  static constexpr size_t kPlaces = 64;
  // TUNING: with rows of 30 bytes, 64 of these take 800 kB. More would show more of a table, but take longer to read.
  static constexpr size_t kRows = 256;

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
