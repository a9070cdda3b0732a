// Programs for HBase request bytes: a range, a prefix, a FuzzyRowFilter. The query log records their meaning. A row set
// is cut at the fields of the schema (ConditionsOf), and its condition on a field becomes the narrowest condition of the
// query language that contains it.
//
// With "user:text(5) date:date", the fuzzy row ?????201406?? means "date=201406*". The range from "alice20140601" to
// before "alice20140701" means "user=alice date>=20140601 date<20140701": its last eight bytes, 20140700, are not a date,
// but the next ones are.
#include "rowkey/query_of.h"

#include <algorithm>
#include <bit>
#include <string>
#include <utility>
#include <vector>

#include "base/utf8.h"
#include "klip/bytes.h"
#include "rowkey/field_set.h"
#include "rowkey/index_conditions.h"
#include "rowkey/key_codec.h"
#include "rowkey/key_estimate.h"
#include "rowkey/query_names.h"

namespace klip::rowkey {
namespace {

constexpr size_t kMaxAlternatives = 16;  // per query
constexpr size_t kMaxValues = 64;        // per field

// The common prefix of all values in the interval, in the order of values, if the interval contains every value with it.
std::optional<std::string> PrefixOf(const KeyField& field, filter::ByteInterval interval) {
  if (SortsBackwards(field)) {
    std::swap(interval.low, interval.high);
  }
  Flip(field, &interval.low);
  Flip(field, &interval.high);
  const bool digits = field.type == KeyFieldType::kDigits || field.type == KeyFieldType::kDate;
  const auto [low, high] = std::ranges::mismatch(interval.low, interval.high);
  const bool from_first =
      std::all_of(low, interval.low.end(), [&](char c) { return c == '\0' || (digits && c == '0'); });
  const bool to_last =
      std::all_of(high, interval.high.end(), [&](char c) { return c == '\xff' || (digits && c == '9'); });
  if (low == interval.low.begin() || !from_first || !to_last ||
      (interval.high_is_prefix && interval.low != interval.high)) {
    return std::nullopt;
  }
  return std::string(interval.low.begin(), low);
}

// A part of a value, in the format of queries.
std::string TextOf(const KeyField& field, std::string_view bytes) {
  return field.type == KeyFieldType::kBytes ? ToStringBinary(bytes) : std::string(bytes);
}

// One end of an interval as a value, or as its excluded neighbour outside.
struct Bound {
  std::optional<std::string> value;
  bool included = true;
};
Bound BoundOf(const KeyField& field, const std::string& bytes, bool (*step_outside)(std::string*)) {
  std::string outside = bytes;
  if (!step_outside(&outside)) {
    return {};  // there is no greater value
  }
  if (Expected<std::string> inside = DecodeField(field, bytes); inside.ok()) {
    return {.value = *std::move(inside)};
  }
  Expected<std::string> next = DecodeField(field, outside);
  return next.ok() ? Bound{.value = *std::move(next), .included = false} : Bound{};
}

FieldMatch RangeOf(const KeyField& field, const filter::ByteInterval& interval) {
  if (const std::optional<std::string> prefix = PrefixOf(field, interval)) {
    if (FieldMatch starts = StartsWith{TextOf(field, *prefix)}; CheckMatch(field, starts).ok()) {
      return starts;
    }
  }
  Bound low = BoundOf(field, interval.low, Decrement);
  Bound high = BoundOf(field, interval.high, Increment);
  if (SortsBackwards(field)) {
    std::swap(low, high);
  }
  FieldMatch between = Between{.low = std::move(low.value),
                               .high = std::move(high.value),
                               .include_low = low.included,
                               .include_high = high.included};
  const auto& made = std::get<Between>(between);
  return (made.low || made.high) && CheckMatch(field, between).ok() ? between : AnyValue{};
}

FieldMatch MatchOf(const KeyField& field, const SlotCondition& condition) {
  if (!condition.restricted || field.derived()) {
    return AnyValue{};
  }
  if (!condition.mask.empty()) {
    const std::string known = condition.mask.substr(0, condition.mask.find_last_not_of('?') + 1);
    FieldMatch mask = StartsWith{TextOf(field, known)};
    if (known.find('?') != std::string::npos || !CheckMatch(field, mask).ok()) {
      mask = ByteMask{TextOf(field, condition.mask)};
    }
    return !SortsBackwards(field) && CheckMatch(field, mask).ok() ? mask : AnyValue{};
  }
  const Intervals& intervals = condition.intervals;
  if (intervals.empty()) {
    return AnyValue{};
  }
  if (AllPoints(intervals) && intervals.size() <= kMaxValues) {
    std::vector<std::string> values;
    for (const filter::ByteInterval& interval : intervals) {
      if (Expected<std::string> value = DecodeField(field, interval.low); value.ok()) {
        values.push_back(*std::move(value));
      }
    }
    if (values.size() == intervals.size()) {
      return values.size() == 1 ? FieldMatch(Exact{values[0]}) : FieldMatch(OneOf{std::move(values)});
    }
  }
  return RangeOf(
      field,
      {.low = intervals.front().low, .high = intervals.back().high, .high_is_prefix = intervals.back().high_is_prefix});
}

bool IsAny(const KeyBox& box) { return box.fields.empty(); }

// The leading fields that are the same in all rows of a range, and the common prefix of the next one. Unlike
// ConditionsOf, it supports fields of variable width.
KeyBox SharedFields(const RowKeySchema& schema, const RowRange& range) {
  const bool is_prefix =
      !range.stop.empty() && range.include_start && !range.include_stop && range.stop == PrefixSuccessor(range.start);
  std::string_view shared = range.start;
  if (!is_prefix) {
    shared =
        shared.substr(0, static_cast<size_t>(std::ranges::mismatch(range.start, range.stop).in1 - range.start.begin()));
  }
  KeyBox box;
  for (const KeyField& field : schema.fields()) {
    const size_t width = field.width_bytes > 0 ? static_cast<size_t>(field.width_bytes)
                         : field.delimiter     ? shared.find(*field.delimiter)
                                               : std::string_view::npos;
    const size_t delimiter = field.delimiter ? 1 : 0;
    const bool whole = width != std::string_view::npos && width + delimiter <= shared.size();
    if (!field.derived() && (whole || (is_prefix && !shared.empty()))) {
      Expected<std::string> value = whole ? DecodeField(field, shared.substr(0, width)) : std::string(shared);
      FieldMatch match =
          whole && value.ok() ? FieldMatch(Exact{*value}) : FieldMatch(StartsWith{TextOf(field, shared)});
      if (value.ok() && CheckMatch(field, match).ok()) {
        box.fields.emplace_back(field.name, std::move(match));
      }
    }
    if (!whole) {
      break;
    }
    shared.remove_prefix(width + delimiter);
  }
  return box;
}

KeyBox BoxOf(const std::vector<KeySlot>& slots, const std::vector<SlotCondition>& conditions) {
  KeyBox box;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (slots[i].field == nullptr) {
      continue;
    }
    if (FieldMatch match = MatchOf(*slots[i].field, conditions[i]); !std::holds_alternative<AnyValue>(match)) {
      box.fields.emplace_back(slots[i].name, std::move(match));
    }
  }
  return box;
}

// Whether it is UTF-8 without control characters.
bool IsText(std::string_view bytes) {
  return ToStringBinary(bytes) == bytes ||
         (base::IsUtf8(bytes) && std::ranges::none_of(bytes, [](unsigned char c) { return c < 0x20; }));
}

// The type as in ColumnMatch.
std::string GuessType(const Intervals& values) {
  std::vector<std::string_view> ends;
  for (const filter::ByteInterval& interval : values) {
    ends.push_back(interval.low);
    ends.push_back(interval.high_is_prefix ? std::string_view() : interval.high);
  }
  std::erase_if(ends, [](std::string_view end) { return end.empty(); });
  if (std::ranges::all_of(ends, IsText)) {
    return "";
  }
  const size_t width = ends.front().size();
  const bool number = std::has_single_bit(width) && width <= 8 &&
                      std::ranges::all_of(ends, [width](std::string_view end) { return end.size() == width; });
  return number ? "u" + std::to_string(8 * width) : "bytes";
}

}  // namespace

std::vector<ColumnMatch> ColumnsAskedBy(const Scan& scan,
                                        const std::map<std::pair<std::string, std::string>, std::string>& types) {
  std::vector<ColumnMatch> columns;
  for (const ColumnCondition& condition : ColumnConditionsOf(scan)) {
    const auto declared = types.find({condition.family, condition.qualifier});
    ColumnMatch column = {.family = condition.family,
                          .qualifier = condition.qualifier,
                          .type = CaseOf(condition.function).has_value() ? TypeOfCase(*CaseOf(condition.function))
                                  : declared == types.end()              ? GuessType(condition.values)
                                                                         : declared->second};
    const Expected<KeyField> field = ColumnField(column);
    if (!field.ok()) {
      continue;
    }
    const FieldSet set = field->width_bytes > 0
                             ? KeyBytesOf({.field = *field, .column = {}, .key_field = {}}, condition)
                             : condition.values;  // text and bytes are stored as they are in keys
    column.match = MatchOf(*field, {.restricted = set.has_value(), .intervals = set.value_or(Intervals())});
    if (!std::holds_alternative<AnyValue>(column.match)) {
      columns.push_back(std::move(column));
    }
  }
  return columns;
}

std::optional<KeyQuery> QueryOf(const RowKeySchema& schema, const RowRange& range, const filter::RowSet* rows) {
  const std::vector<KeySlot> slots = SlotsOf(&schema, rows);
  KeyQuery query;
  if (rows == nullptr) {
    KeyBox shared = SharedFields(schema, range);
    KeyBox whole = BoxOf(slots, ConditionsOf(slots, range));
    query.any_of.push_back(whole.fields.size() >= shared.fields.size() ? std::move(whole) : std::move(shared));
  } else {
    const auto within = filter::RowSet::Intersect(*rows, *filter::RowSet::FromRanges({range}));
    for (const std::vector<SlotCondition>& line : ConditionsOf(slots, within == nullptr ? *rows : *within)) {
      KeyBox box = BoxOf(slots, line);
      if (std::ranges::find(query.any_of, box) == query.any_of.end()) {
        query.any_of.push_back(std::move(box));
      }
      if (query.any_of.size() > kMaxAlternatives) {
        return std::nullopt;
      }
    }
  }
  return query.any_of.empty() || std::ranges::any_of(query.any_of, IsAny) ? std::nullopt : std::optional(query);
}

std::optional<KeyQuery> QueryOfRow(const RowKeySchema& schema, std::string_view row) {
  Expected<std::vector<std::string>> values = schema.Decode(row);
  if (!values.ok()) {
    return std::nullopt;
  }
  KeyBox box;
  for (size_t i = 0; i < values->size(); ++i) {
    if (const KeyField& field = schema.fields()[i]; !field.derived()) {
      box.fields.emplace_back(field.name, Exact{std::move((*values)[i])});
    }
  }
  return KeyQuery{.any_of = {std::move(box)}};
}

}  // namespace klip::rowkey
