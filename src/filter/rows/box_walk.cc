#include "filter/rows/box_walk.h"

#include <algorithm>
#include <cstring>

namespace klip::filter {

using Kind = RowSegment::Kind;

bool ToPrefixSuccessor(std::string* bytes) {
  while (!bytes->empty() && bytes->back() == '\xff') {
    bytes->pop_back();
  }
  if (bytes->empty()) {
    return false;
  }
  bytes->back() = static_cast<char>(bytes->back() + 1);
  return true;
}

BoxWalk::BoxWalk(const CompiledBox* box, size_t shortest_row_bytes)
    : box_(box),
      shortest_row_bytes_(std::max(shortest_row_bytes, box->min_row_bytes())),
      starts_(box->segments().size() + 1),
      hints_(box->segments().size()) {}

// Sets range_ to the row's range, or to the first one above the row.
bool BoxWalk::RangeAround(std::string_view row) {
  const std::vector<CompiledRange>& ranges = box_->ranges();
  if (ranges.empty()) {
    return true;
  }
  auto is_above = [row](const CompiledRange& range) { return range.stop.empty() || row < range.stop; };
  auto is_first_above = [&](size_t i) { return is_above(ranges[i]) && (i == 0 || !is_above(ranges[i - 1])); };
  if (range_ >= ranges.size() || !is_first_above(range_)) {
    auto first = std::partition_point(ranges.begin(), ranges.end(),
                                      [&](const CompiledRange& range) { return !is_above(range); });
    range_ = static_cast<size_t>(first - ranges.begin());
  }
  return range_ < ranges.size() && ranges[range_].start <= row;
}

bool BoxWalk::Fits(std::string_view row) {
  depth_ = 0;
  failed_ = kNotThere;
  if (row.size() < box_->min_row_bytes() || row.size() > box_->max_row_bytes() || !RangeAround(row)) {
    return false;
  }
  size_t pos = 0;
  const size_t count = box_->segments().size();
  for (size_t i = 0; i < count; ++i) {
    starts_[i] = pos;
    const CompiledSegment& segment = box_->segments()[i];
    if (segment.kind == Kind::kFixed && row.size() - pos < segment.width) {
      return segment.fixed_to_end && segment.PrefixFits(row.substr(pos));
    }
    if (!SegmentFits(i, row, &pos)) {
      failed_ = segment.kind == Kind::kFixed ? i : kNotThere;
      return false;
    }
    depth_ = i + 1;
  }
  starts_[count] = pos;
  return true;
}

// REQUIRES: a fixed segment's bytes are complete. Moves *pos to the end of the segment.
bool BoxWalk::SegmentFits(size_t index, std::string_view row, size_t* pos) {
  const CompiledSegment& segment = box_->segments()[index];
  switch (segment.kind) {
    case Kind::kFixed: {
      const char* value = row.data() + *pos;
      *pos += segment.width;
      if (segment.any()) {
        return true;
      }
      if (segment.point) {
        return std::memcmp(segment.low(0), value, segment.width) == 0;
      }
      size_t i = segment.FirstNotBelow(value, hints_[index]);
      if (i == segment.count) {
        return false;
      }
      hints_[index] = i;
      return std::memcmp(segment.low(i), value, segment.width) <= 0;
    }
    case Kind::kDelimited: {
      bool delimited = false;
      starts_[index] = *pos;
      std::string_view value = ValueAt(index, row, &delimited);
      *pos += value.size() + 1;
      return delimited && segment.FitsVariable(value);
    }
    case Kind::kRest: {
      std::string_view value = row.substr(*pos);
      *pos = row.size();
      return segment.FitsVariable(value);
    }
  }
  return false;
}

// The value of a segment of variable width: up to its delimiter, or to the end without one.
std::string_view BoxWalk::ValueAt(size_t index, std::string_view x, bool* delimited) const {
  std::string_view rest = x.substr(starts_[index]);
  if (box_->segments()[index].kind == Kind::kRest) {
    *delimited = false;
    return rest;
  }
  size_t end = rest.find(box_->segments()[index].delimiter);
  *delimited = end != std::string_view::npos;
  return rest.substr(0, end);
}

// Only a row that fills all segments starts a run; one that ends inside them is single.
bool BoxWalk::RunPossible(std::string_view row) const {
  return depth_ == box_->segments().size() && starts_[depth_] <= row.size();
}

void BoxWalk::RunLengths(bool* any_bytes) const {
  // The rows of a run share all bytes before the last segment, and that segment's bytes too if it has only one value.
  size_t shared = 0;
  if (depth_ > 0) {
    const CompiledSegment& last = box_->segments()[depth_ - 1];
    bool whole = last.point || last.kind == Kind::kDelimited;
    shared = whole ? starts_[depth_] : starts_[depth_ - 1] + (last.kind == Kind::kFixed ? 1 : 0);
  }
  *any_bytes = box_->min_row_bytes() <= shared && box_->max_row_bytes() == std::numeric_limits<size_t>::max();
}

bool BoxWalk::RunUp(std::string_view row, std::string* end, bool* any_bytes) const {
  if (!RunPossible(row)) {
    return false;
  }
  end->clear();
  if (depth_ > 0) {
    size_t last = depth_ - 1;
    const CompiledSegment& segment = box_->segments()[last];
    end->assign(row.substr(0, starts_[last]));
    if (segment.kind == Kind::kFixed) {
      end->append(segment.high(hints_[last]), segment.width);
      ToPrefixSuccessor(end);
    } else if (segment.kind == Kind::kDelimited) {
      end->assign(row.substr(0, starts_[depth_]));
      ToPrefixSuccessor(end);
    } else {
      const ByteInterval& interval = (*segment.intervals)[segment.FirstNotBelow(row.substr(starts_[last]))];
      end->append(interval.high);
      if (interval.high_is_prefix) {
        ToPrefixSuccessor(end);
      } else {
        end->push_back('\0');
      }
    }
  }
  if (!box_->ranges().empty()) {
    const std::string& stop = box_->ranges()[range_].stop;
    if (!stop.empty() && (end->empty() || stop < *end)) {
      end->assign(stop);
    }
  }
  RunLengths(any_bytes);
  return true;
}

bool BoxWalk::RunDown(std::string_view row, std::string* end, bool* any_bytes) const {
  if (!RunPossible(row)) {
    return false;
  }
  end->clear();
  if (depth_ > 0) {
    size_t last = depth_ - 1;
    const CompiledSegment& segment = box_->segments()[last];
    end->assign(row.substr(0, starts_[last]));
    if (segment.kind == Kind::kFixed) {
      end->append(segment.low(hints_[last]), segment.width);
    } else if (segment.kind == Kind::kDelimited) {
      end->assign(row.substr(0, starts_[depth_]));
    } else {
      end->append((*segment.intervals)[segment.FirstNotBelow(row.substr(starts_[last]))].low);
    }
  }
  if (!box_->ranges().empty() && box_->ranges()[range_].start > *end) {
    end->assign(box_->ranges()[range_].start);
  }
  RunLengths(any_bytes);
  return true;
}

}  // namespace klip::filter
