// Intersection of row sets, box by box.
//
// Segments of two boxes are aligned and divided wherever one of them ends. A segment of several values cannot be divided.
// If it cannot be combined with its counterpart, the intersection has no box form, and the caller tests rows instead.
//
// Example: a = [2 bytes: "ab"] [2: any], b = [1: any] [3: "b07"]. "ab" is a single value, so it divides into "a" and "b";
// b's "b07" divides into "b" and "07". Result: "a", "b", "07". With a = [2 bytes: "ab" or "cb"] the first segment cannot
// be divided.
#include <algorithm>
#include <optional>
#include <utility>

#include "filter/rows/row_ranges.h"
#include "filter/rows/row_set.h"

namespace klip::filter {
namespace {

using Kind = RowSegment::Kind;

bool IsAny(const RowSegment& segment) { return segment.intervals.empty(); }

bool IsPoint(const RowSegment& segment) {
  return segment.intervals.size() == 1 && segment.intervals[0].low == segment.intervals[0].high;
}

bool AllFixed(const std::vector<RowSegment>& segments) {
  return std::all_of(segments.begin(), segments.end(), [](const RowSegment& s) { return s.kind == Kind::kFixed; });
}

bool Constrains(const RowBox& box) {
  return std::any_of(box.segments.begin(), box.segments.end(),
                     [](const RowSegment& s) { return s.kind == Kind::kDelimited || !IsAny(s); });
}

std::vector<ByteInterval> IntersectIntervals(const std::vector<ByteInterval>& a, const std::vector<ByteInterval>& b) {
  std::vector<ByteInterval> out;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    ByteInterval both{.low = std::max(a[i].low, b[j].low), .high = std::min(a[i].high, b[j].high)};
    bool a_first = a[i].high < b[j].high;
    if (both.low <= both.high) {
      out.push_back(std::move(both));
    }
    ++(a_first ? i : j);
  }
  return out;
}

// Reads a list of fixed segments piece by piece.
class Pieces {
 public:
  explicit Pieces(const std::vector<RowSegment>& segments) : segments_(segments) {}

  bool done() const { return index_ == segments_.size(); }
  size_t left() const { return static_cast<size_t>(segments_[index_].width_bytes) - used_; }
  bool whole() const { return used_ == 0; }

  // The next `width` bytes. nullopt: the segment cannot be divided there.
  std::optional<RowSegment> Take(size_t width) {
    const RowSegment& segment = segments_[index_];
    RowSegment piece;
    piece.width_bytes = static_cast<int>(width);
    if (whole() && width == left()) {
      piece.intervals = segment.intervals;
    } else if (IsPoint(segment)) {
      std::string bytes = segment.intervals[0].low.substr(used_, width);
      piece.intervals = {{.low = bytes, .high = bytes}};
    } else if (!IsAny(segment)) {
      return std::nullopt;
    }
    used_ += width;
    if (left() == 0) {
      ++index_;
      used_ = 0;
    }
    return piece;
  }

  // `width` bytes of segments with one value each, or of any bytes, as one piece. nullopt: they are neither.
  std::optional<RowSegment> TakeJoined(size_t width) {
    std::optional<RowSegment> joined;
    while (width > 0 && !done()) {
      size_t part = std::min(width, left());
      std::optional<RowSegment> piece = Take(part);
      if (!piece || (!IsAny(*piece) && !IsPoint(*piece)) || (joined && IsAny(*joined) != IsAny(*piece))) {
        return std::nullopt;
      }
      if (!joined) {
        joined = std::move(piece);
      } else {
        joined->width_bytes += piece->width_bytes;
        if (!IsAny(*piece)) {
          joined->intervals[0].low += piece->intervals[0].low;
          joined->intervals[0].high = joined->intervals[0].low;
        }
      }
      width -= part;
    }
    if (width > 0 && joined && !IsAny(*joined)) {
      return std::nullopt;
    }
    if (!joined) {
      joined.emplace();
    }
    joined->width_bytes += static_cast<int>(width);
    return joined;
  }

  // Whether the current segment cannot be divided.
  bool rigid() const { return !done() && !IsAny(segments_[index_]) && !IsPoint(segments_[index_]); }

 private:
  const std::vector<RowSegment>& segments_;
  size_t index_ = 0;
  size_t used_ = 0;
};

enum class Outcome : uint8_t { kBox, kEmpty, kNoForm };

// *both_sided: both boxes constrain some bytes, so a short row may begin a match of each box, but of no row in both.
Outcome IntersectFixed(const std::vector<RowSegment>& a, const std::vector<RowSegment>& b, std::vector<RowSegment>* out,
                       bool* both_sided) {
  Pieces x(a);
  Pieces y(b);
  while (!x.done() || !y.done()) {
    std::optional<RowSegment> p;
    std::optional<RowSegment> q;
    if (x.rigid() && (!y.rigid() || x.left() >= y.left())) {
      size_t width = x.left();
      p = x.Take(width);
      q = y.rigid() && y.whole() && y.left() == width ? y.Take(width) : y.TakeJoined(width);
    } else if (y.rigid()) {
      size_t width = y.left();
      q = y.Take(width);
      p = x.TakeJoined(width);
    } else {
      size_t width = x.done() ? y.left() : y.done() ? x.left() : std::min(x.left(), y.left());
      p = x.TakeJoined(width);
      q = y.TakeJoined(width);
    }
    if (!p || !q) {
      return Outcome::kNoForm;
    }
    if (!IsAny(*p) && !IsAny(*q)) {
      *both_sided = *both_sided || p->intervals != q->intervals;
      p->intervals = IntersectIntervals(p->intervals, q->intervals);
      if (p->intervals.empty()) {
        return Outcome::kEmpty;
      }
    } else if (IsAny(*p)) {
      p->intervals = std::move(q->intervals);
    }
    out->push_back(std::move(*p));
  }
  return Outcome::kBox;
}

size_t WidthOf(const std::vector<RowSegment>& segments) {
  size_t width = 0;
  for (const RowSegment& segment : segments) {
    width += static_cast<size_t>(segment.width_bytes);
  }
  return width;
}

Outcome IntersectSegments(const RowBox& a, const RowBox& b, RowBox* out) {
  if (!Constrains(a) || !Constrains(b)) {
    out->segments = Constrains(a) ? a.segments : b.segments;
    return Outcome::kBox;
  }
  if (a.segments == b.segments) {
    out->segments = a.segments;
    return Outcome::kBox;
  }
  if (!AllFixed(a.segments) || !AllFixed(b.segments)) {
    return Outcome::kNoForm;
  }
  bool both_sided = false;
  Outcome outcome = IntersectFixed(a.segments, b.segments, &out->segments, &both_sided);
  if (outcome == Outcome::kNoForm) {
    return outcome;
  }
  bool no_short_rows = out->min_row_bytes >= std::max(WidthOf(a.segments), WidthOf(b.segments));
  if (no_short_rows || (outcome == Outcome::kBox && !both_sided)) {
    return outcome;
  }
  return Outcome::kNoForm;
}

Outcome IntersectBoxes(const RowBox& a, const RowBox& b, RowBox* out) {
  out->min_row_bytes = std::max(a.min_row_bytes, b.min_row_bytes);
  out->max_row_bytes = std::min(a.max_row_bytes, b.max_row_bytes);
  if (out->min_row_bytes > out->max_row_bytes) {
    return Outcome::kEmpty;
  }
  if (a.ranges.empty() || b.ranges.empty()) {
    out->ranges = a.ranges.empty() ? b.ranges : a.ranges;
  } else {
    out->ranges = IntersectRanges(a.ranges, b.ranges);
    if (out->ranges.empty()) {
      return Outcome::kEmpty;
    }
  }
  return IntersectSegments(a, b, out);
}

}  // namespace

std::shared_ptr<const RowSet> RowSet::Intersect(const RowSet& a, const RowSet& b) {
  constexpr size_t kMaxPairs = size_t{1} << 18;
  if (a.boxes_.size() * b.boxes_.size() > kMaxPairs) {
    return nullptr;
  }
  std::vector<RowBox> boxes;
  for (const RowBox& x : a.boxes_) {
    for (const RowBox& y : b.boxes_) {
      RowBox both;
      Outcome outcome = IntersectBoxes(x, y, &both);
      if (outcome == Outcome::kNoForm || boxes.size() == kMaxBoxes) {
        return nullptr;
      }
      if (outcome == Outcome::kBox) {
        boxes.push_back(std::move(both));
      }
    }
  }
  return FromBoxes(std::move(boxes));
}

}  // namespace klip::filter
