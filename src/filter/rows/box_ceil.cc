// The upward search of BoxWalk.
#include <algorithm>
#include <cstring>

#include "filter/rows/box_walk.h"

namespace klip::filter {

using Kind = RowSegment::Kind;

bool BoxWalk::Ceil(std::string_view x, std::string* out) {
  level_ = 0;
  for (;;) {
    if (!RangeAround(x)) {
      if (range_ == box_->ranges().size()) {
        return false;
      }
      guide_ = box_->ranges()[range_].start;
      x = guide_;
    }
    Found found = CeilSegments(x, out);
    if (found == Found::kNone) {
      return false;
    }
    if (found == Found::kAgain) {
      x = guide_;
      continue;
    }
    if (box_->ranges().empty() || box_->ranges()[range_].stop.empty() || *out < box_->ranges()[range_].stop) {
      return true;
    }
    guide_.swap(*out);
    x = guide_;
  }
}

bool BoxWalk::CeilOfLast(std::string_view row, std::string* out) {
  if (failed_ == kNotThere || !box_->ranges().empty()) {
    return Ceil(row, out);
  }
  level_ = 0;
  value_.assign(row, starts_[failed_], box_->segments()[failed_].width);
  Found found = CeilFixed(failed_, row, out);
  return found == Found::kAgain ? Ceil(std::string(guide_), out) : found == Found::kHere;
}

BoxWalk::Found BoxWalk::CeilSegments(std::string_view x, std::string* out) {
  if (x.size() > box_->max_row_bytes()) {
    return Above(x.substr(0, box_->max_row_bytes()));
  }
  const std::vector<CompiledSegment>& segments = box_->segments();
  size_t pos = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    starts_[i] = pos;
    const CompiledSegment& segment = segments[i];
    if (segment.kind == Kind::kFixed && x.size() - pos < segment.width) {
      return CeilShort(i, x, out);
    }
    if (SegmentFits(i, x, &pos)) {
      continue;
    }
    if (segment.kind == Kind::kFixed) {
      value_.assign(x.substr(starts_[i], segment.width));
      return CeilFixed(i, x, out);
    }
    bool delimited = false;
    std::string_view value = ValueAt(i, x, &delimited);
    return delimited ? Above(x.substr(0, starts_[i] + value.size() + 1)) : CeilUndelimited(i, x, out);
  }
  out->assign(x);
  if (out->size() < box_->min_row_bytes()) {
    out->resize(box_->min_row_bytes(), '\0');
  }
  return Found::kHere;
}

// Advances the nearest segment before `index` that has a higher value.
BoxWalk::Found BoxWalk::CeilBack(size_t index, std::string_view x, std::string* out) {
  for (size_t i = index; i-- > 0;) {
    const CompiledSegment& segment = box_->segments()[i];
    if (segment.kind == Kind::kDelimited) {
      level_ = segment.level;
      return Above(x.substr(0, starts_[i + 1]));
    }
    value_.assign(x.substr(starts_[i], segment.width));
    bool carry = true;
    for (size_t k = segment.width; carry && k-- > 0;) {
      value_[k] = static_cast<char>(value_[k] + 1);
      carry = value_[k] == '\0';
    }
    if (carry) {
      continue;
    }
    if (segment.any()) {
      return PlaceLow(i, x, out);
    }
    size_t next = segment.FirstNotBelow(value_.data(), hints_[i]);
    if (next < segment.count) {
      if (std::memcmp(segment.low(next), value_.data(), segment.width) > 0) {
        value_.assign(segment.low(next), segment.width);
      }
      return PlaceLow(i, x, out);
    }
  }
  return Found::kNone;
}

// Gives segment `index` the lowest value >= value_.
BoxWalk::Found BoxWalk::CeilFixed(size_t index, std::string_view x, std::string* out) {
  const CompiledSegment& segment = box_->segments()[index];
  if (!segment.any()) {
    size_t next = segment.FirstNotBelow(value_.data(), hints_[index]);
    if (next == segment.count) {
      return CeilBack(index, x, out);
    }
    if (std::memcmp(segment.low(next), value_.data(), segment.width) > 0) {
      value_.assign(segment.low(next), segment.width);
    }
  }
  return PlaceLow(index, x, out);
}

// x ends in segment `index`: it fits as it is, or the search continues as if x were followed by 00.
BoxWalk::Found BoxWalk::CeilShort(size_t index, std::string_view x, std::string* out) {
  const CompiledSegment& segment = box_->segments()[index];
  std::string_view value = x.substr(starts_[index]);
  if (segment.fixed_to_end && x.size() >= shortest_row_bytes_ && segment.PrefixFits(value)) {
    out->assign(x);
    return Found::kHere;
  }
  value_.assign(value);
  value_.resize(segment.width, '\0');
  return CeilFixed(index, x, out);
}

// x has no delimiter for segment `index`, or its rest does not fit a kRest. Higher rows have a value that extends x, a
// higher value, or one that ends within x at a byte below the delimiter.
BoxWalk::Found BoxWalk::CeilUndelimited(size_t index, std::string_view x, std::string* out) {
  const CompiledSegment& segment = box_->segments()[index];
  level_ = segment.level;
  std::string_view value = x.substr(starts_[index]);
  size_t next = segment.any() ? 0 : segment.FirstNotBelow(value);
  if (next < segment.count ? (*segment.intervals)[next].low <= value : segment.any()) {
    out->assign(x);
    return Found::kHere;
  }
  bool found = false;
  if (next < segment.count) {
    found = true;
    out->assign(x.substr(0, starts_[index]));
    out->append((*segment.intervals)[next].low);
  }
  if (segment.kind == Kind::kDelimited) {
    for (size_t k = value.size(); k-- > 0;) {
      if (static_cast<unsigned char>(value[k]) < static_cast<unsigned char>(segment.delimiter) &&
          segment.FitsVariable(value.substr(0, k))) {
        value_.assign(x.substr(0, starts_[index] + k));
        value_.push_back(segment.delimiter);
        if (!found || value_ < *out) {
          out->swap(value_);
        }
        return Found::kHere;
      }
    }
  }
  return found ? Found::kHere : CeilBack(index, x, out);
}

// Continues above every string that starts with `prefix`.
BoxWalk::Found BoxWalk::Above(std::string_view prefix) {
  value_.assign(prefix);
  if (!ToPrefixSuccessor(&value_)) {
    return Found::kNone;
  }
  guide_.swap(value_);
  return Found::kAgain;
}

// Gives segment `index` value_, which is not below its bytes of x, and later segments their lowest values.
BoxWalk::Found BoxWalk::PlaceLow(size_t index, std::string_view x, std::string* out) {
  const CompiledSegment& segment = box_->segments()[index];
  level_ = segment.level;
  out->assign(x.substr(0, starts_[index]));
  out->append(value_);
  AppendLowest(index + 1, out);
  // Shorter rows sort before the full rows that they begin. Keeps one byte more than x, so that the search moves up.
  if (segment.fixed_to_end && shortest_row_bytes_ < out->size()) {
    size_t same = starts_[index];
    size_t end = std::min(x.size(), out->size());
    while (same < end && (*out)[same] == x[same]) {
      ++same;
    }
    out->resize(std::min(out->size(), std::max(same + 1, shortest_row_bytes_)));
  }
  return Found::kHere;
}

void BoxWalk::AppendLowest(size_t from, std::string* out) const {
  const std::vector<CompiledSegment>& segments = box_->segments();
  for (size_t i = from; i < segments.size(); ++i) {
    const CompiledSegment& segment = segments[i];
    if (segment.kind == Kind::kFixed) {
      if (segment.any()) {
        out->append(segment.width, '\0');
      } else {
        out->append(segment.low(0), segment.width);
      }
      continue;
    }
    if (segment.any()) {
      return;
    }
    const std::vector<ByteInterval>& intervals = *segment.intervals;
    out->append(intervals[0].low);
    bool one_value = intervals[0].low == intervals[0].high && !intervals[0].high_is_prefix;
    bool next_starts_alike = segment.count > 1 && std::string_view(intervals[1].low).starts_with(intervals[0].low);
    if (segment.kind == Kind::kRest || !one_value || next_starts_alike) {
      return;
    }
    out->push_back(segment.delimiter);
  }
}

}  // namespace klip::filter
