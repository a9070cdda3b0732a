#include "filter/rows/compiled_box.h"

#include <algorithm>
#include <cstring>

#include "filter/rows/row_ranges.h"

namespace klip::filter {
namespace {

bool EndsBelow(const ByteInterval& interval, std::string_view value) {
  return interval.high < value && !(interval.high_is_prefix && value.starts_with(interval.high));
}

// The first of `count` for which `below` is false.
template <typename Below>
size_t PartitionPoint(size_t count, Below below) {
  size_t first = 0;
  while (count > 0) {
    size_t half = count / 2;
    if (below(first + half)) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return first;
}

}  // namespace

size_t CompiledSegment::FirstNotBelow(const char* value, size_t hint) const {
  auto below = [&](size_t i) { return std::memcmp(high(i), value, width) < 0; };
  if (count == 1) {
    return below(0) ? 1 : 0;
  }
  // Rows come in order, so the value is mostly the last one or the next.
  for (size_t i = hint; i < count && i < hint + 2; ++i) {
    if (!below(i) && (i == 0 || below(i - 1))) {
      return i;
    }
  }
  return PartitionPoint(count, below);
}

size_t CompiledSegment::CountLowsBelow(std::string_view value) const {
  return PartitionPoint(count, [&](size_t i) { return std::memcmp(low(i), value.data(), value.size()) < 0; });
}

bool CompiledSegment::PrefixFits(std::string_view value) const {
  if (any() || value.empty()) {
    return true;
  }
  size_t i = PartitionPoint(count, [&](size_t k) { return std::memcmp(high(k), value.data(), value.size()) < 0; });
  return i < count && std::memcmp(low(i), value.data(), value.size()) <= 0;
}

size_t CompiledSegment::FirstNotBelow(std::string_view value) const {
  return PartitionPoint(count, [&](size_t i) { return EndsBelow((*intervals)[i], value); });
}

size_t CompiledSegment::CountLowsBelowVariable(std::string_view value) const {
  return PartitionPoint(count, [&](size_t i) { return (*intervals)[i].low < value; });
}

bool CompiledSegment::FitsVariable(std::string_view value) const {
  if (any()) {
    return true;
  }
  size_t i = FirstNotBelow(value);
  return i < count && (*intervals)[i].low <= value;
}

CompiledBox::CompiledBox(const RowBox& box) : min_row_bytes_(box.min_row_bytes), max_row_bytes_(box.max_row_bytes) {
  for (const RowRange& range : box.ranges) {
    ranges_.push_back({FirstRowOf(range), EndOf(range)});
  }
  for (size_t i = 0; i < box.segments.size(); ++i) {
    AddSegment(box.segments[i], static_cast<int>(i));
  }
  // A trailing segment that may be anything is no constraint.
  while (!segments_.empty() && segments_.back().any() && segments_.back().kind != RowSegment::Kind::kDelimited) {
    segments_.pop_back();
  }
  bool fixed = true;
  for (auto segment = segments_.rbegin(); segment != segments_.rend(); ++segment) {
    fixed = fixed && segment->kind == RowSegment::Kind::kFixed;
    segment->fixed_to_end = fixed;
  }
}

void CompiledBox::AddSegment(const RowSegment& segment, int level) {
  CompiledSegment compiled;
  compiled.kind = segment.kind;
  compiled.delimiter = segment.delimiter;
  compiled.count = segment.intervals.size();
  compiled.level = level;
  if (segment.kind != RowSegment::Kind::kFixed) {
    compiled.intervals = &segment.intervals;
    segments_.push_back(std::move(compiled));
    return;
  }
  compiled.width = static_cast<size_t>(segment.width_bytes);
  if (compiled.width == 0) {
    return;
  }
  for (const ByteInterval& interval : segment.intervals) {
    compiled.lows += interval.low;
    compiled.highs += interval.high;
  }
  compiled.point = compiled.count == 1 && compiled.lows == compiled.highs;
  if (!segments_.empty() && segments_.back().kind == RowSegment::Kind::kFixed) {
    CompiledSegment& last = segments_.back();
    if ((last.any() && compiled.any()) || (last.point && compiled.point)) {
      last.width += compiled.width;
      last.lows += compiled.lows;
      last.highs += compiled.highs;
      last.level = level;
      return;
    }
  }
  segments_.push_back(std::move(compiled));
}

}  // namespace klip::filter
