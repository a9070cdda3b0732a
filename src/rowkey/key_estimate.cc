// Estimates the seeks and rows that conditions on a row key cost, for each number of leading fields used to jump.
//
// It has three parts. ConditionsOf converts the boxes of a row set to a condition for each slot (field) of the key. The
// set may be divided differently from the schema, so segments are cut into pieces and recombined (FromPieces). ShareOf
// estimates the share of a slot's values that match: exact for points and for numbers and dates within the statistics, a
// guess otherwise (TUNING below). EstimateDepths multiplies the shares, slot by slot.
//
// The model assumes that every value of the leading fields is followed by equally many distinct values, and that shares
// are independent. It is crude, but sufficient: plans differ by factors, and a jump that turns out short is stepped
// (JumpPolicy).
//
// Example: the key user(4) date(8) domain(4), 1,000 users, 365 dates for each user and 30 domains for each date,
// 10,950,000 rows. The query is "any user, date = 20140628". Distinct prefixes: 1,000, then 365,000, then 10,950,000.
//   depth 0   nothing is used:                     1 seek,      10,950,000 rows
//   depth 1   user is not restricted:              1 seek,      10,950,000 rows
//   depth 2   one date of 365, below each user:    1,000 seeks, 10,950,000 / 365 = 30,000 rows
//   depth 3   domain is not restricted:            1,000 seeks, 30,000 rows
// The planner (planner.cc) weighs these against each other and takes depth 2: a seek to each user's date.
#include "rowkey/key_estimate.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "klip/bytes.h"
#include "rowkey/key_codec.h"
#include "rowkey/key_parts.h"
#include "rowkey/schema_parser.h"

namespace klip::rowkey {
namespace {

using filter::ByteInterval;
using filter::RowBox;
using filter::RowSegment;

// TUNING: the share of a range whose values are unknown. Half-open ranges get more. Both err on the side of reading: the
// executor steps when jumps turn out short.
constexpr double kRangeShare = 0.1;
constexpr double kHalfOpenShare = 1.0 / 3;
// TUNING: distinct bytes at one position of a text, for prefixes and masks: names and host names have 10 to 30.
constexpr double kBytesPerPlace = 16;
// If several segments make up a field, its values are listed up to this number.
constexpr size_t kMaxListed = 4096;

// --- Boxes, slot by slot ---

// Bytes of a segment: [from, from + count) of it.
struct Piece {
  const RowSegment* segment;
  size_t from;
  size_t count;
};

size_t Width(const RowSegment& segment) { return static_cast<size_t>(segment.width_bytes); }

// Reads the segments of a box from left to right.
class SegmentReader {
 public:
  explicit SegmentReader(const RowBox& box) : segments_(box.segments) {}

  // The pieces that make up the next `bytes` bytes; false: their position is unknown.
  bool Take(size_t bytes, std::vector<Piece>* pieces) {
    while (bytes > 0 && next_ < segments_.size()) {
      const RowSegment& segment = segments_[next_];
      if (segment.kind != RowSegment::Kind::kFixed) {
        return false;
      }
      size_t count = std::min(bytes, Width(segment) - used_);
      pieces->push_back({&segment, used_, count});
      used_ += count;
      bytes -= count;
      if (used_ == Width(segment)) {
        ++next_;
        used_ = 0;
      }
    }
    return true;
  }

  // The segment for a field of variable width, or null: none, or its position is unknown.
  const RowSegment* TakeVariable() {
    if (used_ != 0 || next_ == segments_.size()) {
      return nullptr;
    }
    return &segments_[next_++];
  }

 private:
  const std::vector<RowSegment>& segments_;
  size_t next_ = 0;
  size_t used_ = 0;
};

// The values that the piece allows, as far as the piece alone decides them.
Intervals PieceIntervals(const Piece& piece) {
  Intervals out;
  for (const ByteInterval& interval : piece.segment->intervals) {
    bool same_before = interval.low.compare(0, piece.from, interval.high, 0, piece.from) == 0;
    if (!same_before) {
      return {};
    }
    out.push_back(
        {.low = interval.low.substr(piece.from, piece.count), .high = interval.high.substr(piece.from, piece.count)});
  }
  std::sort(out.begin(), out.end(), [](const ByteInterval& a, const ByteInterval& b) { return a.low < b.low; });
  Intervals merged;
  for (ByteInterval& interval : out) {
    if (merged.empty() || merged.back().high < interval.low) {
      merged.push_back(std::move(interval));
    } else {
      merged.back().high = std::max(merged.back().high, interval.high);
    }
  }
  return merged;
}

std::string MaskText(const std::vector<Piece>& pieces, size_t width) {
  std::string out;
  size_t bytes = 0;
  for (const Piece& piece : pieces) {
    Intervals intervals = PieceIntervals(piece);
    bool point = intervals.size() == 1 && IsPoint(intervals[0]);
    out += point ? ToStringBinary(intervals[0].low) : std::string(piece.count, '?');
    bytes += piece.count;
  }
  return out + std::string(width - bytes, '?');
}

std::vector<SlotCondition::MaskedPiece> MaskedPieces(const std::vector<Piece>& pieces) {
  std::vector<SlotCondition::MaskedPiece> out;
  size_t from = 0;
  for (const Piece& piece : pieces) {
    if (Intervals intervals = PieceIntervals(piece); !intervals.empty()) {
      out.push_back({.from = from, .intervals = std::move(intervals)});
    }
    from += piece.count;
  }
  return out;
}

// The pieces may end before the slot does: the rest may be anything.
SlotCondition FromPieces(const std::vector<Piece>& pieces, size_t width) {
  SlotCondition condition;
  Intervals values = {{.low = "", .high = ""}};
  bool open = false;  // a byte that may be anything was passed
  for (const Piece& piece : pieces) {
    Intervals intervals = PieceIntervals(piece);
    bool points = AllPoints(values);
    if (intervals.empty() || !points || open || (values.size() > 1 && values.size() * intervals.size() > kMaxListed)) {
      if (!intervals.empty()) {
        condition.restricted = true;
        condition.mask = MaskText(pieces, width);
        condition.masked = MaskedPieces(pieces);
      }
      open = true;
      for (ByteInterval& value : values) {
        value.low.append(piece.count, '\0');
        value.high.append(piece.count, '\xff');
      }
      continue;
    }
    condition.restricted = true;
    Intervals longer;
    for (const ByteInterval& value : values) {
      for (const ByteInterval& interval : intervals) {
        longer.push_back({.low = value.low + interval.low, .high = value.high + interval.high});
      }
    }
    values = std::move(longer);
  }
  for (ByteInterval& value : values) {
    value.low.resize(width, '\0');
    value.high.resize(width, '\xff');
  }
  bool whole = values.size() == 1 && values[0].low.find_first_not_of('\0') == std::string::npos &&
               values[0].high.find_first_not_of('\xff') == std::string::npos;
  if (condition.restricted && !whole) {
    condition.intervals = std::move(values);
  }
  return condition;
}

// A variable field has a segment of variable width, or one that contains known values and their delimiter. `open`: rows may
// continue after the last segment.
SlotCondition FromVariable(const RowSegment& segment, const KeySlot& slot, bool open, bool* lost) {
  SlotCondition condition;
  if (segment.kind != RowSegment::Kind::kFixed) {
    const bool delimited = segment.kind == RowSegment::Kind::kDelimited;
    if (delimited != slot.delimiter.has_value() || (delimited && segment.delimiter != *slot.delimiter)) {
      *lost = true;
      return {};
    }
    condition.restricted = !segment.intervals.empty();
    condition.intervals = segment.intervals;
    return condition;
  }
  for (const ByteInterval& interval : segment.intervals) {
    bool whole = !slot.delimiter || interval.low.find(*slot.delimiter) + 1 == interval.low.size();
    if (!IsPoint(interval) || !whole) {
      *lost = true;
      return {};
    }
    std::string value = interval.low.substr(0, interval.low.size() - (slot.delimiter ? 1 : 0));
    condition.intervals.push_back({.low = value, .high = value, .high_is_prefix = open && !slot.delimiter});
  }
  condition.restricted = !condition.intervals.empty();
  *lost = !condition.restricted;
  return condition;
}

std::vector<SlotCondition> FromBox(const std::vector<KeySlot>& slots, const RowBox& box) {
  std::vector<SlotCondition> conditions(slots.size());
  SegmentReader reader(box);
  const bool open = box.max_row_bytes == RowBox().max_row_bytes && !box.segments.empty() &&
                    box.segments.back().kind != RowSegment::Kind::kRest;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].width_bytes > 0) {
      std::vector<Piece> pieces;
      if (!reader.Take(static_cast<size_t>(slots[i].width_bytes), &pieces)) {
        return conditions;
      }
      conditions[i] = FromPieces(pieces, static_cast<size_t>(slots[i].width_bytes));
      continue;
    }
    const RowSegment* segment = reader.TakeVariable();
    bool lost = segment == nullptr;
    if (!lost) {
      conditions[i] = FromVariable(*segment, slots[i], open, &lost);
    }
    if (lost) {
      return conditions;
    }
  }
  return conditions;
}

SlotCondition Both(const SlotCondition& a, const SlotCondition& b) {
  if (!a.restricted || !b.restricted) {
    return a.restricted ? a : b;
  }
  SlotCondition out = a;
  out.mask = a.mask.empty() ? b.mask : a.mask;
  out.masked = a.mask.empty() ? b.masked : a.masked;
  if (!a.intervals.empty() && !b.intervals.empty()) {
    out.intervals = *Intersect(FieldSet(a.intervals), FieldSet(b.intervals));
  } else {
    out.intervals = a.intervals.empty() ? b.intervals : a.intervals;
  }
  return out;
}

// --- Shares ---

double Number(std::string_view bytes) {
  double value = 0;
  for (char c : bytes) {
    value = value * 256 + static_cast<unsigned char>(c);
  }
  return value;
}

double DecimalNumber(std::string_view digits) {
  double value = 0;
  for (char c : digits) {
    value = value * 10 + std::clamp(c - '0', 0, 9);
  }
  return value;
}

// Approximate days since year 0, good enough for counting the days between two dates, even 20140600 or 20140699.
double DayNumber(std::string_view digits) {
  double day = std::clamp(DecimalNumber(digits.substr(6, 2)), 1.0, 31.0);
  return DecimalNumber(digits.substr(0, 4)) * 365.25 + DecimalNumber(digits.substr(4, 2)) * 30.44 + day;
}

// The number of values in the interval; negative: unknown.
double ValuesIn(const KeySlot& slot, const ByteInterval& interval) {
  if (IsPoint(interval)) {
    return 1;
  }
  if (slot.field == nullptr || slot.width_bytes == 0) {
    return -1;
  }
  std::string low = interval.low;
  std::string high = interval.high;
  Flip(*slot.field, &low);
  Flip(*slot.field, &high);
  switch (slot.field->type) {
    case KeyFieldType::kDigits:
      return std::abs(DecimalNumber(high) - DecimalNumber(low)) + 1;
    case KeyFieldType::kDate:
      return std::abs(DayNumber(high) - DayNumber(low)) + 1;
    case KeyFieldType::kUnsigned:
    case KeyFieldType::kSigned:
    case KeyFieldType::kTimestamp:
    case KeyFieldType::kReverseTimestamp:
    case KeyFieldType::kSalt:
      return std::abs(Number(high) - Number(low)) + 1;
    case KeyFieldType::kText:
    case KeyFieldType::kBytes:
    case KeyFieldType::kHash:
    case KeyFieldType::kLiteral:
      break;
  }
  return -1;
}

bool AllBytes(std::string_view bytes, char c) { return bytes.find_first_not_of(c) == std::string_view::npos; }

double ShareOfInterval(const KeySlot& slot, const ByteInterval& interval, double distinct) {
  double values = ValuesIn(slot, interval);
  if (values >= 0 && values <= distinct) {
    return values / distinct;  // as if every value existed
  }
  bool half_open = AllBytes(interval.low, '\0') || AllBytes(interval.high, '\xff');
  double guess = half_open ? kHalfOpenShare : kRangeShare;
  if (values < 0) {
    auto differ =
        std::mismatch(interval.low.begin(), interval.low.end(), interval.high.begin(), interval.high.end()).first;
    guess = std::min(guess, std::pow(kBytesPerPlace, -static_cast<double>(differ - interval.low.begin())));
  }
  return std::clamp(guess, std::min(1.0, 1 / distinct), 1.0);
}

double ShareOf(const KeySlot& slot, const SlotCondition& condition, double distinct) {
  if (!condition.restricted) {
    return 1;
  }
  double share = condition.intervals.empty() ? 1 : 0;
  for (const ByteInterval& interval : condition.intervals) {
    share += ShareOfInterval(slot, interval, distinct);
  }
  if (!condition.mask.empty()) {
    auto known = static_cast<double>(condition.mask.size()) -
                 static_cast<double>(std::count(condition.mask.begin(), condition.mask.end(), '?'));
    share = std::min(share, std::max(std::pow(kBytesPerPlace, -known), 1 / distinct));
  }
  return std::min(share, 1.0);
}

// --- Text ---

std::string ShownValue(const KeySlot& slot, const std::string& bytes) {
  if (slot.field != nullptr) {
    if (Expected<std::string> value = DecodeField(*slot.field, bytes); value.ok()) {
      return ToStringBinary(*value);
    }
  }
  return ToStringBinary(bytes);
}

std::string IntervalText(const KeySlot& slot, const ByteInterval& interval) {
  if (IsPoint(interval)) {
    return "= " + ShownValue(slot, interval.low);
  }
  size_t shared = static_cast<size_t>(
      std::mismatch(interval.low.begin(), interval.low.end(), interval.high.begin(), interval.high.end()).first -
      interval.low.begin());
  bool backwards = slot.field != nullptr && SortsBackwards(*slot.field);
  std::string_view low_rest = std::string_view(interval.low).substr(shared);
  std::string_view high_rest = std::string_view(interval.high).substr(shared);
  bool prefix = (AllBytes(low_rest, '\0') && (AllBytes(high_rest, '\xff') || interval.high_is_prefix)) ||
                (AllBytes(low_rest, '0') && AllBytes(high_rest, '9'));
  if (shared > 0 && prefix && !backwards) {
    return ToStringBinary(interval.low.substr(0, shared)) + "*";
  }
  bool from_start = AllBytes(interval.low, '\0');
  bool to_end = AllBytes(interval.high, '\xff');
  std::string low = from_start ? "" : ShownValue(slot, interval.low);
  std::string high = to_end ? "" : ShownValue(slot, interval.high);
  return backwards ? high + ".." + low : low + ".." + high;
}

}  // namespace

bool SlotCondition::FitsValue(std::string_view value) const {
  if (!restricted) {
    return true;
  }
  if (!intervals.empty()) {
    const auto above = std::upper_bound(intervals.begin(), intervals.end(), value,
                                        [](std::string_view a, const ByteInterval& b) { return a < b.low; });
    if (above == intervals.begin() || !Fits(*std::prev(above), value)) {
      return false;
    }
  }
  return std::all_of(masked.begin(), masked.end(), [value](const MaskedPiece& piece) {
    const size_t bytes = piece.intervals[0].low.size();
    return value.size() >= piece.from + bytes && Fits(piece.intervals, value.substr(piece.from, bytes));
  });
}

std::vector<KeySlot> SlotsOf(const RowKeySchema* schema, const filter::RowSet* rows) {
  std::vector<KeySlot> slots;
  if (schema != nullptr) {
    for (const KeyField& field : schema->fields()) {
      slots.push_back({.name = field.type == KeyFieldType::kLiteral ? "" : field.name,
                       .field = &field,
                       .width_bytes = field.width_bytes,
                       .delimiter = field.delimiter});
    }
    return slots;
  }
  std::set<size_t> cuts;
  for (size_t i = 0; rows != nullptr && i < rows->boxes().size(); ++i) {
    size_t offset = 0;
    for (const RowSegment& segment : rows->boxes()[i].segments) {
      if (segment.kind != RowSegment::Kind::kFixed || cuts.size() >= kMaxFields) {
        break;
      }
      offset += Width(segment);
      cuts.insert(offset);
    }
  }
  size_t start = 0;
  for (size_t cut : cuts) {
    slots.push_back({.name = "bytes " + std::to_string(start) + ".." + std::to_string(cut - 1),
                     .width_bytes = static_cast<int>(cut - start)});
    start = cut;
  }
  return slots;
}

namespace {

// If both begin with the same value of a delimited slot and are longer, takes it from both.
bool TakeSharedValue(const KeySlot& slot, std::string_view* start, std::string_view* stop, SlotCondition* condition) {
  const size_t end = slot.delimiter.has_value() ? start->find(*slot.delimiter) : std::string_view::npos;
  if (end == std::string_view::npos || stop->size() <= end + 1 || !stop->starts_with(start->substr(0, end + 1))) {
    return false;
  }
  const std::string value(start->substr(0, end));
  *condition = {.restricted = true, .intervals = {{.low = value, .high = value}}};
  start->remove_prefix(end + 1);
  stop->remove_prefix(end + 1);
  return true;
}

}  // namespace

std::vector<SlotCondition> ConditionsOf(const std::vector<KeySlot>& slots, const RowRange& range) {
  std::vector<SlotCondition> conditions(slots.size());
  std::string_view start = range.start;
  std::string_view stop = range.stop;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].width_bytes == 0) {
      if (!TakeSharedValue(slots[i], &start, &stop, &conditions[i])) {
        break;
      }
      continue;
    }
    auto width = static_cast<size_t>(slots[i].width_bytes);
    bool stop_goes_on = stop.size() > width || (stop.size() == width && range.include_stop);
    std::string low(start.substr(0, width));
    low.resize(width, '\0');
    std::string high(stop.substr(0, width));
    high.resize(width, range.include_stop ? '\xff' : '\0');
    if (range.stop.empty()) {
      high.assign(width, '\xff');
    } else if (!stop_goes_on && !range.include_stop) {
      for (auto c = high.rbegin(); c != high.rend() && static_cast<unsigned char>(--*c) == 0xff; ++c) {
      }
    }
    bool whole = AllBytes(low, '\0') && AllBytes(high, '\xff');
    conditions[i].restricted = !whole;
    if (!whole && low <= high) {
      conditions[i].intervals.push_back({.low = low, .high = high});
    }
    if (low != high || start.size() < width || !stop_goes_on) {
      break;
    }
    start.remove_prefix(width);
    stop.remove_prefix(width);
    if (start.empty() && stop.empty()) {
      break;
    }
  }
  return conditions;
}

std::vector<std::vector<SlotCondition>> ConditionsOf(const std::vector<KeySlot>& slots, const filter::RowSet& rows) {
  constexpr size_t kMaxRanges = 64;  // with more, a box is treated as the span from its first to its last range
  std::vector<std::vector<SlotCondition>> lines;
  for (const RowBox& box : rows.boxes()) {
    std::vector<SlotCondition> from_box = FromBox(slots, box);
    if (box.ranges.empty()) {
      lines.push_back(std::move(from_box));
      continue;
    }
    std::vector<RowRange> ranges = box.ranges;
    if (ranges.size() > kMaxRanges && !box.segments.empty()) {
      ranges[0].stop = ranges.back().stop;
      ranges[0].include_stop = ranges.back().include_stop;
      ranges.resize(1);
    }
    for (const RowRange& range : ranges) {
      std::vector<SlotCondition> line = ConditionsOf(slots, range);
      for (size_t i = 0; i < slots.size(); ++i) {
        line[i] = Both(from_box[i], line[i]);
      }
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

namespace {

// If the two differ in one slot only, widens *line to both.
bool Join(const std::vector<SlotCondition>& other, std::vector<SlotCondition>* line) {
  const auto [at, other_at] = std::mismatch(line->begin(), line->end(), other.begin());
  if (at == line->end()) {
    return true;
  }
  if (!std::equal(at + 1, line->end(), other_at + 1) || !at->mask.empty() || !other_at->mask.empty()) {
    return false;
  }
  if (!at->restricted || !other_at->restricted) {
    *at = {};
    return true;
  }
  if (at->intervals.empty() || other_at->intervals.empty()) {
    return false;
  }
  at->intervals.insert(at->intervals.end(), other_at->intervals.begin(), other_at->intervals.end());
  at->intervals = Unite(std::move(at->intervals));
  return true;
}

}  // namespace

std::vector<std::vector<SlotCondition>> JoinedLines(const std::vector<std::vector<SlotCondition>>& lines) {
  constexpr size_t kMostLines = 64;
  if (lines.size() > kMostLines) {
    return lines;
  }
  std::vector<std::vector<SlotCondition>> joined;
  for (const std::vector<SlotCondition>& line : lines) {
    const auto joins = [&line](std::vector<SlotCondition>& other) { return Join(line, &other); };
    if (std::ranges::none_of(joined, joins)) {
      joined.push_back(line);
    }
  }
  return joined;
}

double KeyCounts::DistinctOf(size_t slot) const {
  double before = slot == 0 ? 1 : distinct_prefixes[slot - 1];
  return distinct_prefixes[slot] / before;
}

KeyCounts CountsOf(const std::vector<KeySlot>& slots, const RowKeySchema& schema, const TableStatistics& statistics) {
  KeyCounts counts{.rows = std::max(1.0, static_cast<double>(statistics.rows)), .distinct_prefixes = {}};
  size_t parts = std::min(KeyParts(schema).size(), statistics.fields.size());
  size_t next = 0;
  double before = 1;
  for (const KeySlot& slot : slots) {
    if (!slot.name.empty()) {
      before = std::clamp(next < parts ? statistics.fields[next].distinct_prefixes : counts.rows, before,
                          std::max(before, counts.rows));
      ++next;
    }
    counts.distinct_prefixes.push_back(before);
  }
  return counts;
}

std::vector<DepthEstimate> EstimateDepths(const std::vector<KeySlot>& slots,
                                          const std::vector<SlotCondition>& conditions, const KeyCounts& counts) {
  std::vector<DepthEstimate> depths = {{.seeks = 1, .rows = counts.rows}};
  double prefixes = 1;  // distinct values, in the set, of the slots so far
  double seeks = 1;
  for (size_t i = 0; i < slots.size(); ++i) {
    double distinct = counts.DistinctOf(i);
    double share = ShareOf(slots[i], conditions[i], distinct);
    bool literal = slots[i].field != nullptr && slots[i].field->type == KeyFieldType::kLiteral;
    if (conditions[i].restricted && !literal) {
      double runs = conditions[i].mask.empty() ? static_cast<double>(conditions[i].intervals.size()) : distinct * share;
      seeks = prefixes * std::clamp(runs, 1.0, distinct + 1);
    }
    prefixes = std::min(counts.distinct_prefixes[i], prefixes * distinct * share);
    depths.push_back({.seeks = seeks, .rows = counts.rows * prefixes / counts.distinct_prefixes[i]});
  }
  return depths;
}

size_t BoundSlots(const std::vector<SlotCondition>& conditions) {
  size_t slots = 0;
  while (slots < conditions.size() && conditions[slots].IsOnePoint()) {
    ++slots;
  }
  if (slots < conditions.size() && conditions[slots].restricted && !conditions[slots].intervals.empty()) {
    ++slots;
  }
  return slots;
}

std::string ConditionText(const KeySlot& slot, const SlotCondition& condition) {
  if (!condition.restricted) {
    return "any";
  }
  if (!condition.mask.empty()) {
    return "matches " + condition.mask;
  }
  if (condition.intervals.size() == 1) {
    return IntervalText(slot, condition.intervals[0]);
  }
  return "in " + std::to_string(condition.intervals.size()) + (AllPoints(condition.intervals) ? " values" : " ranges");
}

std::string ConditionText(const FieldMatch& match) {
  if (const auto* exact = std::get_if<Exact>(&match)) {
    return "= " + ToStringBinary(exact->value);
  }
  if (const auto* starts = std::get_if<StartsWith>(&match)) {
    return ToStringBinary(starts->prefix) + "*";
  }
  if (const auto* one_of = std::get_if<OneOf>(&match)) {
    return "in " + std::to_string(one_of->values.size()) + " values";
  }
  if (const auto* none_of = std::get_if<NoneOf>(&match)) {
    return none_of->values.size() == 1 ? "not " + ToStringBinary(none_of->values[0])
                                       : "not in " + std::to_string(none_of->values.size()) + " values";
  }
  if (const auto* starts = std::get_if<NotStartsWith>(&match)) {
    return "not " + ToStringBinary(starts->prefix) + "*";
  }
  if (const auto* between = std::get_if<Between>(&match)) {
    std::string low = between->low ? ToStringBinary(*between->low) : "";
    std::string high = between->high ? ToStringBinary(*between->high) : "";
    if (between->low && between->high && between->include_low && between->include_high) {
      return low + ".." + high;
    }
    std::string out = between->low ? (between->include_low ? ">= " : "> ") + low : "";
    return between->high ? out + (out.empty() ? "" : ", ") + (between->include_high ? "<= " : "< ") + high : out;
  }
  if (const auto* mask = std::get_if<ByteMask>(&match)) {
    return "matches " + ToStringBinary(mask->pattern);
  }
  return "any";
}

}  // namespace klip::rowkey
