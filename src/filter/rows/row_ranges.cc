#include "filter/rows/row_ranges.h"

#include <algorithm>
#include <utility>

namespace klip::filter {
namespace {

// Bounds of both kinds as places between rows: (row, false) lies just before the row, (row, true) just after it.
using Place = std::pair<std::string_view, bool>;

Place LowPlace(const RowRange& range) { return {range.start, !range.include_start && !range.start.empty()}; }
Place HighPlace(const RowRange& range) { return {range.stop, range.include_stop}; }  // REQUIRES: stop not empty

bool EndsBefore(const RowRange& a, const RowRange& b) {
  if (a.stop.empty()) {
    return false;
  }
  return b.stop.empty() || HighPlace(a) < HighPlace(b);
}

}  // namespace

bool IsEmptyRange(const RowRange& range) { return !range.stop.empty() && LowPlace(range) >= HighPlace(range); }

bool RangeContains(const RowRange& range, std::string_view row) {
  return LowPlace(range) <= Place(row, false) && (range.stop.empty() || Place(row, false) < HighPlace(range));
}

std::vector<RowRange> NormalizeRanges(std::vector<RowRange> ranges) {
  std::erase_if(ranges, IsEmptyRange);
  std::sort(ranges.begin(), ranges.end(),
            [](const RowRange& a, const RowRange& b) { return LowPlace(a) < LowPlace(b); });
  std::vector<RowRange> out;
  for (RowRange& range : ranges) {
    if (out.empty() || (!out.back().stop.empty() && HighPlace(out.back()) < LowPlace(range))) {
      out.push_back(std::move(range));
    } else if (EndsBefore(out.back(), range)) {
      out.back().stop = std::move(range.stop);
      out.back().include_stop = range.include_stop;
    }
  }
  return out;
}

std::vector<RowRange> IntersectRanges(const std::vector<RowRange>& a, const std::vector<RowRange>& b) {
  std::vector<RowRange> out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const RowRange& low = LowPlace(a[i]) < LowPlace(b[j]) ? b[j] : a[i];
    const RowRange& high = EndsBefore(a[i], b[j]) ? a[i] : b[j];
    RowRange both{low.start, low.include_start, high.stop, high.include_stop};
    if (!IsEmptyRange(both)) {
      out.push_back(std::move(both));
    }
    ++(EndsBefore(a[i], b[j]) ? i : j);
  }
  return out;
}

std::string FirstRowOf(const RowRange& range) {
  std::string row = range.start;
  if (LowPlace(range).second) {
    row.push_back('\0');
  }
  return row;
}

std::string EndOf(const RowRange& range) {
  std::string row = range.stop;
  if (!row.empty() && range.include_stop) {
    row.push_back('\0');
  }
  return row;
}

}  // namespace klip::filter
