#include "filter/rows/row_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "filter/rows/compiled_box.h"
#include "filter/rows/row_ranges.h"
#include "klip/bytes.h"

namespace klip::filter {
namespace {

using Kind = RowSegment::Kind;

bool ValueFits(const RowSegment& segment, std::string_view value) {
  return segment.intervals.empty() ||
         std::any_of(segment.intervals.begin(), segment.intervals.end(), [value](const ByteInterval& interval) {
           return interval.low <= value &&
                  (value <= interval.high || (interval.high_is_prefix && value.starts_with(interval.high)));
         });
}

bool CouldBegin(const RowSegment& segment, std::string_view bytes) {
  return segment.intervals.empty() ||
         std::any_of(segment.intervals.begin(), segment.intervals.end(), [bytes](const ByteInterval& interval) {
           return std::string_view(interval.low).substr(0, bytes.size()) <= bytes &&
                  bytes <= std::string_view(interval.high).substr(0, bytes.size());
         });
}

// Trailing segments that may be anything are no constraint.
bool ConstrainsNothing(const RowSegment& segment) {
  return segment.kind != Kind::kDelimited && segment.intervals.empty();
}

bool SegmentsContain(const RowBox& box, std::string_view row) {
  size_t count = box.segments.size();
  while (count > 0 && ConstrainsNothing(box.segments[count - 1])) {
    --count;
  }
  size_t pos = 0;
  for (size_t i = 0; i < count; ++i) {
    const RowSegment& segment = box.segments[i];
    std::string_view rest = row.substr(pos);
    size_t width = rest.size();
    if (segment.kind == Kind::kFixed) {
      width = static_cast<size_t>(segment.width_bytes);
      if (rest.size() < width) {
        bool all_fixed = std::all_of(box.segments.begin() + static_cast<std::ptrdiff_t>(i),
                                     box.segments.begin() + static_cast<std::ptrdiff_t>(count),
                                     [](const RowSegment& later) { return later.kind == Kind::kFixed; });
        return all_fixed && CouldBegin(segment, rest);
      }
    } else if (segment.kind == Kind::kDelimited) {
      width = rest.find(segment.delimiter);
      if (width == std::string_view::npos) {
        return false;
      }
    }
    if (!ValueFits(segment, rest.substr(0, width))) {
      return false;
    }
    pos += width + (segment.kind == Kind::kDelimited ? 1 : 0);
  }
  return true;
}

bool BoxContains(const RowBox& box, std::string_view row) {
  if (row.size() < box.min_row_bytes || row.size() > box.max_row_bytes) {
    return false;
  }
  bool in_range = box.ranges.empty() || std::any_of(box.ranges.begin(), box.ranges.end(),
                                                    [row](const RowRange& range) { return RangeContains(range, row); });
  return in_range && SegmentsContain(box, row);
}

bool HasNoSegments(const RowBox& box) {
  return std::all_of(box.segments.begin(), box.segments.end(), ConstrainsNothing);
}

bool AnyLength(const RowBox& box) {
  return box.min_row_bytes == 0 && box.max_row_bytes == std::numeric_limits<size_t>::max();
}

// Shows single bytes as they are, other pieces as their intervals.
std::string SegmentText(const RowSegment& segment) {
  std::string out;
  if (segment.intervals.empty()) {
    out = segment.kind == Kind::kFixed ? std::string(static_cast<size_t>(segment.width_bytes), '?') : "*";
  } else if (segment.intervals.size() == 1 && segment.intervals[0].low == segment.intervals[0].high &&
             !segment.intervals[0].high_is_prefix) {
    out = ToStringBinary(segment.intervals[0].low);
  } else {
    constexpr size_t kShown = 4;
    out = "{";
    for (size_t i = 0; i < segment.intervals.size() && i < kShown; ++i) {
      const ByteInterval& interval = segment.intervals[i];
      out += i > 0 ? "," : "";
      out += ToStringBinary(interval.low);
      if (interval.low != interval.high) {
        out += ".." + ToStringBinary(interval.high);
      }
      out += interval.high_is_prefix ? "*" : "";
    }
    if (segment.intervals.size() > kShown) {
      out += ",... " + std::to_string(segment.intervals.size());
    }
    out += "}";
  }
  if (segment.kind == Kind::kDelimited) {
    out += ToStringBinary(std::string_view(&segment.delimiter, 1));
  }
  return out;
}

std::string RangeText(const RowRange& range) {
  return (range.include_start ? "[" : "(") + ToStringBinary(range.start) + "," + ToStringBinary(range.stop) +
         (range.include_stop ? "]" : ")");
}

std::string BoxText(const RowBox& box) {
  std::string out;
  for (const RowRange& range : box.ranges) {
    out += (out.empty() ? "" : "+") + RangeText(range);
  }
  std::string segments;
  for (const RowSegment& segment : box.segments) {
    segments += SegmentText(segment);
  }
  if (!segments.empty()) {
    out += (out.empty() ? "" : " & ") + segments;
  }
  if (!AnyLength(box)) {
    out += out.empty() ? "bytes " : " bytes ";
    out += std::to_string(box.min_row_bytes) + "..";
    out += box.max_row_bytes == std::numeric_limits<size_t>::max() ? "" : std::to_string(box.max_row_bytes);
  }
  return out.empty() ? "all" : out;
}

// Merges boxes that only have ranges into one box with many ranges.
void MergeRangeBoxes(std::vector<RowBox>* boxes) {
  std::vector<RowRange> ranges;
  bool all = false;
  auto is_plain = [](const RowBox& box) { return HasNoSegments(box) && AnyLength(box); };
  for (const RowBox& box : *boxes) {
    if (is_plain(box)) {
      all = all || box.ranges.empty();
      ranges.insert(ranges.end(), box.ranges.begin(), box.ranges.end());
    }
  }
  if (!all && ranges.empty()) {
    return;
  }
  std::erase_if(*boxes, is_plain);
  ranges = NormalizeRanges(std::move(ranges));
  all = all || (ranges.size() == 1 && ranges[0].start.empty() && ranges[0].stop.empty());
  if (all) {
    boxes->assign(1, RowBox());
  } else if (!ranges.empty()) {
    boxes->insert(boxes->begin(), RowBox{.ranges = std::move(ranges)});
  }
}

// False: no row fits.
bool NormalizeBox(RowBox* box) {
  if (box->min_row_bytes > box->max_row_bytes) {
    return false;
  }
  if (!box->ranges.empty()) {
    box->ranges = NormalizeRanges(std::move(box->ranges));
    if (box->ranges.empty()) {
      return false;
    }
    if (box->ranges.size() == 1 && box->ranges[0].start.empty() && box->ranges[0].stop.empty()) {
      box->ranges.clear();
    }
  }
  return true;
}

// Sorts boxes by their texts, so that equal ones become neighbours and are removed.
void SortAndUnify(std::vector<RowBox>* boxes) {
  std::vector<std::pair<std::string, size_t>> order;
  order.reserve(boxes->size());
  for (size_t i = 0; i < boxes->size(); ++i) {
    order.emplace_back(BoxText((*boxes)[i]), i);
  }
  std::sort(order.begin(), order.end());
  std::vector<RowBox> sorted;
  sorted.reserve(boxes->size());
  for (const auto& [text, index] : order) {
    if (sorted.empty() || sorted.back() != (*boxes)[index]) {
      sorted.push_back(std::move((*boxes)[index]));
    }
  }
  *boxes = std::move(sorted);
}

// Appends the box's rows to *rows. False: they are not single complete keys, or too many.
bool AddPoints(const RowBox& box, size_t limit, std::vector<std::string>* rows) {
  std::vector<std::string> found(1);
  if (HasNoSegments(box)) {
    found.clear();
    for (const RowRange& range : box.ranges) {
      if (range.start != range.stop || range.start.empty() || found.size() == limit) {
        return false;
      }
      found.push_back(range.start);
    }
    if (box.ranges.empty()) {
      return false;
    }
  } else {
    size_t bytes = 0;
    for (const RowSegment& segment : box.segments) {
      if (segment.kind != Kind::kFixed || segment.intervals.empty() ||
          segment.intervals.size() * found.size() > limit) {
        return false;
      }
      bytes += static_cast<size_t>(segment.width_bytes);
      std::vector<std::string> longer;
      for (const std::string& row : found) {
        for (const ByteInterval& interval : segment.intervals) {
          if (interval.low != interval.high) {
            return false;
          }
          longer.push_back(row + interval.low);
        }
      }
      found = std::move(longer);
    }
    if (box.min_row_bytes != bytes || box.max_row_bytes != bytes) {
      return false;
    }
  }
  std::erase_if(found, [&box](const std::string& row) { return !BoxContains(box, row); });
  std::move(found.begin(), found.end(), std::back_inserter(*rows));
  return true;
}

}  // namespace

RowSet::RowSet(std::vector<RowBox> boxes) : boxes_(std::move(boxes)) {
  std::vector<CompiledBox> compiled;
  compiled.reserve(boxes_.size());
  for (const RowBox& box : boxes_) {
    compiled.emplace_back(box);
  }
  compiled_ = std::make_shared<const std::vector<CompiledBox>>(std::move(compiled));
}

std::shared_ptr<const RowSet> RowSet::FromBoxes(std::vector<RowBox> boxes) {
  std::erase_if(boxes, [](RowBox& box) { return !NormalizeBox(&box); });
  MergeRangeBoxes(&boxes);
  if (boxes.size() > 1) {
    SortAndUnify(&boxes);
  }
  RowSet set(std::move(boxes));
  if (set.all()) {
    return All();
  }
  return std::make_shared<const RowSet>(std::move(set));
}

std::shared_ptr<const RowSet> RowSet::All() {
  static const std::shared_ptr<const RowSet> all(new RowSet(std::vector<RowBox>(1)));
  return all;
}

std::shared_ptr<const RowSet> RowSet::None() {
  static const std::shared_ptr<const RowSet> none(new RowSet(std::vector<RowBox>()));
  return none;
}

std::shared_ptr<const RowSet> RowSet::FromRanges(std::vector<RowRange> ranges) {
  return ranges.empty() ? None() : FromBoxes({RowBox{.ranges = std::move(ranges)}});
}

std::shared_ptr<const RowSet> RowSet::FromRows(std::vector<std::string> rows) {
  std::ranges::sort(rows);
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<RowRange> ranges;
  ranges.reserve(rows.size());
  for (std::string& row : rows) {
    ranges.push_back({.start = row, .stop = row, .include_stop = true});
  }
  return FromRanges(std::move(ranges));
}

std::shared_ptr<const RowSet> RowSet::Union(const RowSet& a, const RowSet& b) {
  std::vector<RowBox> boxes = a.boxes_;
  boxes.insert(boxes.end(), b.boxes_.begin(), b.boxes_.end());
  return FromBoxes(std::move(boxes));
}

bool RowSet::all() const {
  return std::any_of(boxes_.begin(), boxes_.end(),
                     [](const RowBox& box) { return box.ranges.empty() && HasNoSegments(box) && AnyLength(box); });
}

bool RowSet::Contains(std::string_view row) const {
  return std::any_of(boxes_.begin(), boxes_.end(), [row](const RowBox& box) { return BoxContains(box, row); });
}

RowRange RowSet::Bounds() const {
  constexpr size_t kShortestRowBytes = 1;  // there is no empty row
  std::unique_ptr<RowCursor> up = NewCursor(false, {.shortest_row_bytes = kShortestRowBytes});
  std::unique_ptr<RowCursor> down = NewCursor(true, {.shortest_row_bytes = kShortestRowBytes});
  if (!up->First() || !down->First()) {
    return {.start = std::string(1, '\0'), .stop = std::string(1, '\0')};
  }
  return {.start = std::string(up->target()), .stop = std::string(down->target())};
}

std::vector<std::string> RowSet::Points(size_t limit) const {
  std::vector<std::string> rows;
  for (const RowBox& box : boxes_) {
    if (!AddPoints(box, limit, &rows) || rows.size() > boxes_.size() * limit) {
      return {};
    }
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  return rows.size() <= limit ? rows : std::vector<std::string>();
}

std::string RowSet::ToString() const {
  constexpr size_t kShown = 8;
  std::string out;
  for (size_t i = 0; i < boxes_.size() && i < kShown; ++i) {
    out += (i > 0 ? " | " : "") + BoxText(boxes_[i]);
  }
  if (boxes_.size() > kShown) {
    out += " | ... " + std::to_string(boxes_.size()) + " boxes";
  }
  return out.empty() ? "none" : out;
}

}  // namespace klip::filter
