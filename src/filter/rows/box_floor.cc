// The downward search of BoxWalk.
#include <algorithm>
#include <cstring>

#include "filter/rows/box_walk.h"

namespace klip::filter {
namespace {

using Kind = RowSegment::Kind;

unsigned char Byte(char c) { return static_cast<unsigned char>(c); }

void Succeed(std::string* bytes, bool* open) { *open = !ToPrefixSuccessor(bytes); }

// Appends a bound above every value <= the interval's end, followed by the delimiter and anything. Values that end within
// the bound at a byte below the delimiter sort above it.
void AppendAboveDelimited(const ByteInterval& interval, char delimiter, std::string* out, bool* open) {
  const std::string& high = interval.high;
  size_t k = 0;
  while (k < high.size() && Byte(high[k]) > Byte(delimiter)) {
    ++k;
  }
  out->append(high, 0, k);
  if (k < high.size() || !interval.high_is_prefix) {
    out->push_back(delimiter);
  }
  Succeed(out, open);
}

}  // namespace

bool BoxWalk::Floor(const std::string_view* x, std::string* out, bool* open) {
  level_ = 0;
  const std::vector<CompiledRange>& ranges = box_->ranges();
  std::string_view at = x != nullptr ? *x : std::string_view();
  bool bounded = x != nullptr;
  size_t range = ranges.size();  // ranges before it are still to be searched
  for (;;) {
    if (!ranges.empty()) {
      auto end = ranges.begin() + static_cast<std::ptrdiff_t>(range);
      range = static_cast<size_t>(
          std::partition_point(ranges.begin(), end, [&](const CompiledRange& r) { return !bounded || r.start < at; }) -
          ranges.begin());
      if (range == 0) {
        return false;
      }
      const CompiledRange& below = ranges[--range];
      if (!below.stop.empty() && (!bounded || below.stop < at)) {
        at = below.stop;
        bounded = true;
      }
    }
    if (!FloorSegments(bounded ? &at : nullptr, out, open)) {
      return false;
    }
    if (!*open && bounded && *out > at) {
      out->assign(at);
    }
    if (ranges.empty() || *open || *out > ranges[range].start) {
      return true;
    }
    guide_.swap(*out);
    at = guide_;
    bounded = true;
  }
}

bool BoxWalk::FloorSegments(const std::string_view* bound, std::string* out, bool* open) {
  *open = false;
  const std::vector<CompiledSegment>& segments = box_->segments();
  if (bound == nullptr) {
    out->clear();
    AppendHighest(0, out, open);
    return true;
  }
  std::string_view x = *bound;
  if (x.size() > box_->max_row_bytes()) {
    cut_.assign(x.substr(0, box_->max_row_bytes()));
    cut_.push_back('\0');
    x = cut_;
  }
  size_t pos = 0;
  for (size_t i = 0; i < segments.size(); ++i) {
    starts_[i] = pos;
    const CompiledSegment& segment = segments[i];
    bool cut_short = segment.kind == Kind::kFixed && x.size() - pos < segment.width;
    if (cut_short || !SegmentFits(i, x, &pos) || (segment.kind == Kind::kRest)) {
      return FloorBack(i, x, out, open);
    }
  }
  if (!segments.empty() && pos == x.size()) {
    return FloorBack(segments.size() - 1, x, out, open);
  }
  out->assign(x);
  return !x.empty();
}

// Moves down the nearest segment, from `index` to the front, that has a lower value.
bool BoxWalk::FloorBack(size_t index, std::string_view x, std::string* out, bool* open) {
  for (size_t i = index + 1; i-- > 0;) {
    bool found = false;
    switch (box_->segments()[i].kind) {
      case Kind::kFixed:
        found = FloorFixed(i, x, out, open);
        break;
      case Kind::kDelimited:
        found = FloorDelimited(i, x, out, open);
        break;
      case Kind::kRest:
        found = FloorRest(i, x, out, open);
        break;
    }
    if (found) {
      level_ = box_->segments()[i].level;
      return true;
    }
  }
  return false;
}

bool BoxWalk::FloorFixed(size_t index, std::string_view x, std::string* out, bool* open) {
  const CompiledSegment& segment = box_->segments()[index];
  const size_t start = starts_[index];
  std::string_view value = x.substr(start, segment.width);
  if (value.empty()) {
    return false;
  }
  // Sets value_ to the highest value below the bytes of x.
  size_t lower = segment.any() ? 0 : segment.CountLowsBelow(value);
  bool found = segment.any() ? value.find_first_not_of('\0') != std::string_view::npos : lower > 0;
  if (found && lower > 0 && std::memcmp(segment.high(lower - 1), value.data(), value.size()) < 0) {
    value_.assign(segment.high(lower - 1), segment.width);
  } else if (found) {
    value_.assign(value);
    size_t k = value.size();
    while (value_[--k] == '\0') {
      value_[k] = '\xff';
    }
    value_[k] = static_cast<char>(value_[k] - 1);
    value_.resize(segment.width, '\xff');
  }
  // A row that ends within x is above all rows that differ from x at an earlier byte.
  if (segment.fixed_to_end && shortest_row_bytes_ < start + value.size()) {
    size_t same = 0;
    while (found && value_[same] == value[same]) {
      ++same;
    }
    size_t least = std::max(shortest_row_bytes_, start) - start;
    for (size_t k = value.size(); k-- > least && (!found || k > same);) {
      if (segment.PrefixFits(value.substr(0, k))) {
        out->assign(x.substr(0, start + k));
        out->push_back('\0');
        return true;
      }
    }
  }
  if (!found) {
    return false;
  }
  out->assign(x.substr(0, start));
  out->append(value_);
  AppendHighest(index + 1, out, open);
  return true;
}

bool BoxWalk::FloorDelimited(size_t index, std::string_view x, std::string* out, bool* open) {
  const CompiledSegment& segment = box_->segments()[index];
  bool delimited = false;
  std::string_view value = ValueAt(index, x, &delimited);
  std::string_view bound = x.substr(0, starts_[index] + value.size() + (delimited ? 1 : 0));
  std::string_view below = bound.substr(starts_[index]);
  if (below.empty()) {
    return false;
  }
  if (!segment.any()) {
    size_t lower = segment.CountLowsBelowVariable(below);
    if (lower == 0) {
      return false;
    }
    out->assign(x.substr(0, starts_[index]));
    AppendAboveDelimited((*segment.intervals)[lower - 1], segment.delimiter, out, open);
    if (!*open && *out < bound) {
      return true;
    }
    *open = false;
  }
  out->assign(bound);
  return true;
}

bool BoxWalk::FloorRest(size_t index, std::string_view x, std::string* out, bool* open) {
  const CompiledSegment& segment = box_->segments()[index];
  std::string_view value = x.substr(starts_[index]);
  size_t lower = segment.CountLowsBelowVariable(value);
  if (lower == 0) {
    return false;
  }
  const ByteInterval& interval = (*segment.intervals)[lower - 1];
  out->assign(x.substr(0, starts_[index]));
  out->append(interval.high);
  if (interval.high_is_prefix) {
    Succeed(out, open);
  } else {
    out->push_back('\0');
  }
  if (*open || *out > x) {
    *open = false;
    out->assign(x);
  }
  return true;
}

// Gives later segments their highest values; *out becomes the bound above all rows with this prefix.
void BoxWalk::AppendHighest(size_t from, std::string* out, bool* open) const {
  const std::vector<CompiledSegment>& segments = box_->segments();
  for (size_t i = from; i < segments.size(); ++i) {
    const CompiledSegment& segment = segments[i];
    if (segment.kind == Kind::kFixed) {
      if (segment.any()) {
        out->append(segment.width, '\xff');
      } else {
        out->append(segment.high(segment.count - 1), segment.width);
      }
      continue;
    }
    if (segment.any()) {
      break;
    }
    const ByteInterval& last = segment.intervals->back();
    if (segment.kind == Kind::kDelimited) {
      AppendAboveDelimited(last, segment.delimiter, out, open);
      return;
    }
    out->append(last.high);
    if (!last.high_is_prefix) {
      out->push_back('\0');
      return;
    }
    break;
  }
  Succeed(out, open);
}

}  // namespace klip::filter
