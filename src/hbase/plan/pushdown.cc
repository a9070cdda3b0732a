#include "hbase/plan/pushdown.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace klip::client {
namespace {

using filter::ByteInterval;
using filter::RowBox;
using filter::RowSegment;
using filter::RowSet;

constexpr size_t kMaxRanges = 1000;      // TUNING: some 50 KB of request, searched by bisection
constexpr size_t kMaxFuzzyKeys = 100;    // TUNING: FuzzyRowFilter tries each of them for every row
constexpr size_t kMaxFuzzyBytes = 4096;  // of one key

// The smallest string above all strings with `prefix`; empty: none.
std::string After(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xFF') {
    prefix.pop_back();
  }
  if (!prefix.empty()) {
    prefix.back() = static_cast<char>(static_cast<unsigned char>(prefix.back()) + 1);
  }
  return prefix;
}

// Ranges that contain the set. A box contributes the ranges of its leading segments, as long as those are single values.
class RangeList {
 public:
  // False: there would be too many, or the box's rows may start with anything.
  bool Add(const RowBox& box) {
    if (box.segments.empty()) {
      if (box.ranges.empty()) {
        return false;
      }
      ranges_.insert(ranges_.end(), box.ranges.begin(), box.ranges.end());
      exact_ = exact_ && box.min_row_bytes == 0 && box.max_row_bytes == std::numeric_limits<size_t>::max();
      return ranges_.size() <= kMaxRanges;
    }
    std::vector<std::string> prefixes = {""};
    size_t at = 0;
    for (size_t bytes = 0; at < box.segments.size(); ++at) {
      const RowSegment& segment = box.segments[at];
      bytes += static_cast<size_t>(segment.width_bytes);
      if (bytes > box.min_row_bytes) {
        return false;  // rows that end within the segment are below its intervals
      }
      const bool points =
          segment.kind == RowSegment::Kind::kFixed && !segment.intervals.empty() &&
          std::ranges::all_of(segment.intervals, [](const ByteInterval& one) { return one.low == one.high; });
      if (!points || prefixes.size() * segment.intervals.size() > kMaxRanges) {
        break;
      }
      std::vector<std::string> longer;
      for (const std::string& prefix : prefixes) {
        for (const ByteInterval& value : segment.intervals) {
          longer.push_back(prefix + value.low);
        }
      }
      prefixes = std::move(longer);
    }
    return AddEnds(box, at, prefixes);
  }

  bool exact() const { return exact_; }
  // Whether the set has conditions that the ranges do not cover.
  bool asks_more() const { return asks_more_; }
  std::vector<RowRange> Take() { return std::move(ranges_); }

 private:
  // Extends each prefix by the intervals of the next segment.
  bool AddEnds(const RowBox& box, size_t at, const std::vector<std::string>& prefixes) {
    exact_ = false;
    std::vector<ByteInterval> open = {{}};
    const std::vector<ByteInterval>* ends = &open;
    const bool more = at < box.segments.size();
    if (more && box.segments[at].kind == RowSegment::Kind::kFixed && !box.segments[at].intervals.empty() &&
        prefixes.size() * box.segments[at].intervals.size() <= kMaxRanges) {
      ends = &box.segments[at].intervals;
    } else if (at == 0) {
      return false;
    }
    // The fuzzy keys cover the conditions of later segments, unless there are none.
    for (size_t i = at + (ends == &open ? 0 : 1); i < box.segments.size(); ++i) {
      asks_more_ = asks_more_ || !box.segments[i].intervals.empty();
    }
    for (const std::string& prefix : prefixes) {
      for (const ByteInterval& end : *ends) {
        ranges_.push_back({.start = prefix + end.low, .stop = After(prefix + end.high)});
      }
    }
    return ranges_.size() <= kMaxRanges;
  }

  std::vector<RowRange> ranges_;
  bool exact_ = true;
  bool asks_more_ = false;
};

size_t CommonPrefix(std::string_view a, std::string_view b) {
  return static_cast<size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

// Patterns that pass every value of the interval: each value if only a few last bytes differ, else the common prefix.
void AddPatterns(const ByteInterval& interval, std::vector<FuzzyKey>* patterns) {
  constexpr int kMaxValues = 16;
  const size_t width = interval.low.size();
  const size_t fixed = CommonPrefix(interval.low, interval.high);
  const int first = fixed < width ? static_cast<unsigned char>(interval.low[fixed]) : 0;
  const int last = fixed < width ? static_cast<unsigned char>(interval.high[fixed]) : 0;
  const bool few = last - first < kMaxValues && (fixed + 1 >= width);
  for (int byte = first; byte <= (few ? last : first); ++byte) {
    const size_t known = few ? width : fixed;
    FuzzyKey pattern = {interval.low, std::string(known, '\0') + std::string(width - known, '\x01')};
    if (few && fixed < width) {
      pattern.key[fixed] = static_cast<char>(byte);
    }
    std::fill(pattern.key.begin() + static_cast<std::ptrdiff_t>(known), pattern.key.end(), '\0');
    patterns->push_back(std::move(pattern));
  }
}

// Fuzzy keys that pass every row of the box; nullopt: they would fix no byte.
std::optional<std::vector<FuzzyKey>> FuzzyKeysOf(const RowBox& box, size_t max_keys) {
  std::vector<FuzzyKey> keys = {{}};
  bool holds = false;
  for (const RowSegment& segment : box.segments) {
    const auto width = static_cast<size_t>(segment.width_bytes);
    const size_t bytes = keys[0].key.size() + width;
    // For shorter rows, the result depends on where the filter's hints lead.
    if (segment.kind != RowSegment::Kind::kFixed || bytes > kMaxFuzzyBytes || bytes > box.min_row_bytes) {
      break;
    }
    std::vector<FuzzyKey> values;
    for (const ByteInterval& one : segment.intervals) {
      AddPatterns(one, &values);
      holds = holds || values.back().mask.find('\0') != std::string::npos;
    }
    if (values.empty()) {
      values.push_back({std::string(width, '\0'), std::string(width, '\x01')});
    } else if (keys.size() * values.size() > max_keys) {
      const size_t fixed = CommonPrefix(segment.intervals.front().low, segment.intervals.back().high);
      values = {{segment.intervals.front().low.substr(0, fixed) + std::string(width - fixed, '\0'),
                 std::string(fixed, '\0') + std::string(width - fixed, '\x01')}};
    }
    std::vector<FuzzyKey> longer;
    for (const FuzzyKey& key : keys) {
      for (const FuzzyKey& value : values) {
        longer.push_back({key.key + value.key, key.mask + value.mask});
      }
    }
    keys = std::move(longer);
  }
  // Trailing wildcards may be omitted.
  for (FuzzyKey& key : keys) {
    const size_t last = key.mask.find_last_of('\0');
    key.key.resize(last == std::string::npos ? 0 : last + 1);
    key.mask.resize(key.key.size());
    holds = holds && !key.key.empty();
  }
  return holds ? std::optional(std::move(keys)) : std::nullopt;
}

FilterPtr Fuzzy(const RowSet& rows) {
  std::vector<FuzzyKey> all;
  for (const RowBox& box : rows.boxes()) {
    const auto keys = FuzzyKeysOf(box, kMaxFuzzyKeys / rows.boxes().size());
    if (!keys.has_value() || all.size() + keys->size() > kMaxFuzzyKeys) {
      return nullptr;
    }
    all.insert(all.end(), keys->begin(), keys->end());
  }
  Expected<FilterPtr> fuzzy = FuzzyRowFilter(std::move(all));
  return fuzzy.ok() ? *std::move(fuzzy) : nullptr;
}

}  // namespace

FilterPtr PushDown(const RowSet& rows, bool reversed, bool* exact) {
  *exact = false;
  if (rows.empty() || rows.all()) {
    return nullptr;
  }
  RangeList list;
  const bool in_ranges = std::ranges::all_of(rows.boxes(), [&list](const RowBox& box) { return list.Add(box); });
  FilterPtr fuzzy = reversed || (in_ranges && !list.asks_more()) ? nullptr : Fuzzy(rows);
  if (!in_ranges) {
    return fuzzy;
  }
  *exact = list.exact();
  std::vector<RowRange> ranges = list.Take();
  // A single range is expressed by the scan's own bounds. In reversed scans, HBase takes a range without an upper bound
  // for the lowest one.
  const bool open = std::ranges::any_of(ranges, [](const RowRange& range) { return range.stop.empty(); });
  if (ranges.size() == 1 || (reversed && open)) {
    return fuzzy;
  }
  Expected<FilterPtr> in = MultiRowRangeFilter(std::move(ranges));
  if (!in.ok()) {
    return fuzzy;
  }
  return fuzzy == nullptr ? *std::move(in) : FilterList(ListOperator::kMustPassAll, {*std::move(in), std::move(fuzzy)});
}

}  // namespace klip::client
