#include "sql/plan/key_ranges.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "klip/bytes.h"
#include "sql/catalog/stored_value.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using filter::ByteInterval;
using filter::RowBox;
using filter::RowSegment;
using filter::RowSet;

// With more alternatives than this, they are merged: the scan reads more rows, and checks each.
constexpr size_t kMostBoxes = 2048;
// TUNING: of all boxes that an intersection may copy: 64 bytes and more each.
constexpr size_t kMostIntervals = size_t{1} << 17;

// --- Intervals of one column ---

bool LowBefore(const KeyInterval& a, const KeyInterval& b) {
  if (!a.low.has_value() || !b.low.has_value()) {
    return !a.low.has_value() && b.low.has_value();
  }
  return *a.low != *b.low ? *a.low < *b.low : a.include_low && !b.include_low;
}

bool HighBefore(const KeyInterval& a, const KeyInterval& b) {
  if (!a.high.has_value() || !b.high.has_value()) {
    return a.high.has_value() && !b.high.has_value();
  }
  return *a.high != *b.high ? *a.high < *b.high : !a.include_high && b.include_high;
}

bool IsEmpty(const KeyInterval& interval) {
  return interval.low.has_value() && interval.high.has_value() &&
         (*interval.low > *interval.high ||
          (*interval.low == *interval.high && !(interval.include_low && interval.include_high)));
}

// Whether nothing lies between the end of `a` and the start of `b`.
bool Touches(const KeyInterval& a, const KeyInterval& b) {
  return !a.high.has_value() || !b.low.has_value() || *b.low < *a.high ||
         (*b.low == *a.high && (a.include_high || b.include_low));
}

std::vector<KeyInterval> Normalized(std::vector<KeyInterval> intervals) {
  std::erase_if(intervals, IsEmpty);
  std::sort(intervals.begin(), intervals.end(), LowBefore);
  std::vector<KeyInterval> out;
  for (KeyInterval& interval : intervals) {
    if (out.empty() || !Touches(out.back(), interval)) {
      out.push_back(std::move(interval));
    } else if (HighBefore(out.back(), interval)) {
      out.back().high = std::move(interval.high);
      out.back().include_high = interval.include_high;
    }
  }
  return out;
}

KeyValues Intersect(const KeyValues& a, const KeyValues& b) {
  if (!a.has_value() || !b.has_value()) {
    return a.has_value() ? a : b;
  }
  std::vector<KeyInterval> out;
  for (size_t i = 0, j = 0; i < a->size() && j < b->size();) {
    const KeyInterval& x = (*a)[i];
    const KeyInterval& y = (*b)[j];
    KeyInterval both = LowBefore(x, y) ? y : x;
    const KeyInterval& first_to_end = HighBefore(x, y) ? x : y;
    both.high = first_to_end.high;
    both.include_high = first_to_end.include_high;
    if (!IsEmpty(both)) {
      out.push_back(std::move(both));
    }
    HighBefore(x, y) ? ++i : ++j;
  }
  return out;
}

// --- Boxes ---

bool IsNone(const std::vector<KeyValues>& box) {
  return std::any_of(box.begin(), box.end(),
                     [](const KeyValues& values) { return values.has_value() && values->empty(); });
}

// The only column in which two boxes differ; nullopt: none, or several.
std::optional<size_t> OnlyDifference(const std::vector<KeyValues>& a, const std::vector<KeyValues>& b) {
  std::optional<size_t> at;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) {
      if (at.has_value() || !a[i].has_value() || !b[i].has_value()) {
        return std::nullopt;
      }
      at = i;
    }
  }
  return at;
}

KeyBoxes All() { return {.any_of = {}, .all = true}; }

KeyBoxes Union(KeyBoxes a, KeyBoxes b) {
  if (a.all || b.all) {
    return All();
  }
  for (std::vector<KeyValues>& box : b.any_of) {
    // x = 1 OR x = 2 is one box with two intervals.
    std::vector<KeyValues>* const last = a.any_of.empty() ? nullptr : &a.any_of.back();
    if (const std::optional<size_t> at = last == nullptr ? std::nullopt : OnlyDifference(*last, box); at.has_value()) {
      std::vector<KeyInterval> both = *(*last)[*at];
      both.insert(both.end(), box[*at]->begin(), box[*at]->end());
      (*last)[*at] = Normalized(std::move(both));
    } else {
      a.any_of.push_back(std::move(box));
    }
  }
  return a.any_of.size() > kMostBoxes ? All() : a;
}

size_t CountIntervals(const KeyBoxes& boxes) {
  size_t count = 0;
  for (const std::vector<KeyValues>& box : boxes.any_of) {
    for (const KeyValues& values : box) {
      count += values.has_value() ? values->size() : 0;
    }
  }
  return count;
}

KeyBoxes Intersect(KeyBoxes a, KeyBoxes b) {
  if (a.all || b.all) {
    return std::move(a.all ? b : a);
  }
  const size_t made = a.any_of.size() * b.any_of.size();
  const bool copies =
      made > 1 && a.any_of.size() * CountIntervals(b) + b.any_of.size() * CountIntervals(a) > kMostIntervals;
  if (made > kMostBoxes || copies) {
    return std::move(a.any_of.size() <= b.any_of.size() ? a : b);
  }
  KeyBoxes out;
  for (const std::vector<KeyValues>& x : a.any_of) {
    for (const std::vector<KeyValues>& y : b.any_of) {
      std::vector<KeyValues> box(x.size());
      for (size_t i = 0; i < x.size(); ++i) {
        box[i] = Intersect(x[i], y[i]);
      }
      if (!IsNone(box)) {
        out.any_of.push_back(std::move(box));
      }
    }
  }
  return out;
}

// --- Conditions ---

class Reader {
 public:
  Reader(const TableDefinition& table, const std::function<int(size_t)>& key_position)
      : table_(table), key_position_(key_position) {}

  KeyBoxes Read(BoundExpression& condition) const {
    using Kind = BoundExpression::Kind;
    switch (condition.kind()) {
      case Kind::kConstant: {
        const Value& value = *condition.constant();
        return value.is_null() || !value.boolean() ? KeyBoxes() : All();
      }
      case Kind::kAnd:
        return ReadHalves(condition.operands(),
                          [](KeyBoxes a, KeyBoxes b) { return Intersect(std::move(a), std::move(b)); });
      case Kind::kOr:
        return ReadHalves(condition.operands(),
                          [](KeyBoxes a, KeyBoxes b) { return Union(std::move(a), std::move(b)); });
      case Kind::kCompare:
        return ReadCompare(condition);
      case Kind::kIsNull:
        return ReadIsNull(condition);
      case Kind::kIn:
        return condition.negated() ? All() : ReadIn(condition);
      case Kind::kLike:
        return condition.negated() ? All() : ReadLike(condition);
      default:
        return All();
    }
  }

 private:
  // The key column of an expression, perhaps converted to a type with the same order and all its values; null: none.
  const TableColumn* KeyColumnOf(const BoundExpression& expression) const {
    const BoundExpression* inner = &expression;
    while (inner->kind() == BoundExpression::Kind::kConvert) {
      const DataType& from = inner->operands()[0]->type();
      const DataType& to = inner->type();
      const bool ordered = (IsNumber(from.type) && IsNumber(to.type)) || (IsTime(from.type) && IsTime(to.type));
      if (!ordered || to.scale >= 0 || CommonType(from, to).type != to.type) {  // CAST may round
        return nullptr;
      }
      inner = inner->operands()[0].get();
    }
    if (inner->kind() != BoundExpression::Kind::kColumn) {
      return nullptr;
    }
    const int position = key_position_(inner->column());
    return position < 0 ? nullptr : &table_.key(static_cast<size_t>(position));
  }

  KeyBoxes Only(const TableColumn& column, std::vector<KeyInterval> values) const {
    KeyBoxes boxes;
    std::vector<KeyValues> box(table_.key_columns);
    box[static_cast<size_t>(column.key_position)] = Normalized(std::move(values));
    if (!IsNone(box)) {
      boxes.any_of.push_back(std::move(box));
    }
    return boxes;
  }

  KeyBoxes ReadCompare(BoundExpression& condition) const {
    BoundExpression* a = condition.operands()[0].get();
    BoundExpression* b = condition.operands()[1].get();
    Compare compare = condition.compare();
    if (a->constant() != nullptr) {
      std::swap(a, b);
      compare = Mirrored(compare);
    }
    const TableColumn* const column = KeyColumnOf(*a);
    if (b->constant() == nullptr || column == nullptr || compare == Compare::kNotEqual) {
      return All();
    }
    if (b->constant()->is_null()) {
      return {};
    }
    bool exact = true;
    const std::optional<std::string> bytes = ComparableBytes(column->type, *b->constant(), &exact);
    if (IsWhole(column->type.type) && IsNumber(b->constant()->type()) && !(bytes.has_value() && exact)) {
      return ReadOutside(*column, compare, *b->constant());
    }
    if (!bytes.has_value()) {
      return All();
    }
    // A rounded value is within one step of the column's value.
    if (!exact && (compare == Compare::kEqual || !IsTime(column->type.type))) {
      return All();
    }
    KeyInterval interval;
    if (compare == Compare::kEqual || compare == Compare::kGreater || compare == Compare::kGreaterOrEqual) {
      interval.include_low = compare != Compare::kGreater || !exact;
      interval.low = interval.include_low ? LeastEqual(column->type, *bytes) : GreatestEqual(column->type, *bytes);
    }
    if (compare == Compare::kEqual || compare == Compare::kLess || compare == Compare::kLessOrEqual) {
      interval.include_high = compare != Compare::kLess || !exact;
      interval.high = interval.include_high ? GreatestEqual(column->type, *bytes) : LeastEqual(column->type, *bytes);
    }
    return Only(*column, {std::move(interval)});
  }

  // NULL has no bytes, so in ascending order it is before all values; in descending order it is not behind them. A row
  // ends before its last NULLs, so it has an interval only for a column that some value follows.
  KeyBoxes ReadIsNull(BoundExpression& condition) const {
    BoundExpression& operand = *condition.operands()[0];
    if (const Value* const value = operand.constant(); value != nullptr) {
      return value->is_null() != condition.negated() ? All() : KeyBoxes();
    }
    const int position = operand.kind() == BoundExpression::Kind::kColumn ? key_position_(operand.column()) : -1;
    if (position < 0 || condition.negated()) {
      return All();
    }
    const TableColumn& column = table_.key(static_cast<size_t>(position));
    if (table_.HasValue(column)) {
      return {};
    }
    const auto keys = table_.keys();
    const bool followed = position == 0 || std::any_of(keys.begin() + position + 1, keys.end(),
                                                       [this](const TableColumn& key) { return table_.HasValue(key); });
    const bool is_first = followed && !column.descending && FixedBytes(column.type) == 0;
    return is_first ? Only(column, {{.low = "", .high = ""}}) : All();
  }

  // For a number that a column of whole numbers does not have: a fraction, or one outside its range.
  static KeyBoxes ReadOutside(const TableColumn& column, Compare compare, const Value& number) {
    if (compare == Compare::kEqual) {
      return {};
    }
    const bool inside = Convert(number, column.type, /*cast=*/true).ok();  // a fraction
    const bool above = CompareValues(number, Value(Type::kBigint, int64_t{0})) > 0;
    const bool wants_above = compare == Compare::kGreater || compare == Compare::kGreaterOrEqual;
    return inside || above != wants_above ? All() : KeyBoxes();
  }

  // Half by half: combining one operand after the other with all intervals before takes quadratic time. REQUIRES: there are operands.
  template <typename Combine>
  KeyBoxes ReadHalves(std::span<const BoundPtr> operands, Combine combine) const {
    if (operands.size() == 1) {
      return Read(*operands[0]);
    }
    const size_t half = operands.size() / 2;
    return combine(ReadHalves(operands.first(half), combine), ReadHalves(operands.subspan(half), combine));
  }

  KeyBoxes ReadIn(BoundExpression& condition) const {
    const TableColumn* const column = KeyColumnOf(*condition.operands()[0]);
    if (column == nullptr) {
      return All();
    }
    std::vector<KeyInterval> values;
    for (size_t i = 1; i < condition.operands().size(); ++i) {
      const Value* const value = condition.operands()[i]->constant();
      if (value == nullptr) {
        return All();
      }
      if (value->is_null()) {
        continue;
      }
      bool exact = true;
      const std::optional<std::string> bytes = ComparableBytes(column->type, *value, &exact);
      if (bytes.has_value() && exact) {
        values.push_back({.low = LeastEqual(column->type, *bytes), .high = GreatestEqual(column->type, *bytes)});
      } else if (!bytes.has_value() && !(IsWhole(column->type.type) && IsNumber(value->type()))) {
        return All();
      }
    }
    return Only(*column, std::move(values));
  }

  // The part before the first % or _ is a prefix.
  KeyBoxes ReadLike(BoundExpression& condition) const {
    const TableColumn* const column = KeyColumnOf(*condition.operands()[0]);
    const Value* const pattern = condition.operands()[1]->constant();
    if (column == nullptr || pattern == nullptr || condition.ignore_case()) {
      return All();
    }
    if (pattern->is_null()) {
      return {};
    }
    std::string prefix;
    const std::string& text = pattern->text();
    for (size_t i = 0; i < text.size() && text[i] != '%' && text[i] != '_'; ++i) {
      i += text[i] == '\\' && i + 1 < text.size() ? 1 : 0;
      prefix.push_back(text[i]);
    }
    if (prefix.empty() || prefix.back() == '\\') {
      return All();
    }
    KeyInterval interval = {.low = prefix, .high = PrefixSuccessor(prefix), .include_high = false};
    if (interval.high->empty()) {
      interval.high.reset();
    }
    return Only(*column, {std::move(interval)});
  }

  const TableDefinition& table_;
  const std::function<int(size_t)>& key_position_;
};

// --- Boxes of values to boxes of bytes ---

// The next or previous value of the same width. False: none.
bool Step(std::string* bytes, int by) {
  const auto limit = static_cast<unsigned char>(by > 0 ? 0xFF : 0);
  const auto restart = static_cast<char>(by > 0 ? 0 : 0xFF);
  for (size_t i = bytes->size(); i-- > 0;) {
    if (static_cast<unsigned char>((*bytes)[i]) != limit) {
      (*bytes)[i] = static_cast<char>((*bytes)[i] + by);
      return true;
    }
    (*bytes)[i] = restart;
  }
  return false;
}

// nullopt: it contains no value of that width.
std::optional<ByteInterval> FixedInterval(const KeyInterval& interval, const TableColumn& column) {
  const auto width = static_cast<size_t>(FixedBytes(column.type));
  std::string low = interval.low.value_or(std::string(width, '\0'));
  std::string high = interval.high.value_or(std::string(width, '\xFF'));
  bool include_low = interval.include_low;
  bool include_high = interval.include_high;
  if (low.size() < width) {  // a prefix
    low.resize(width, '\0');
    include_low = true;
  }
  if (high.size() < width) {
    high.resize(width, include_high ? '\xFF' : '\0');
  }
  if ((!include_low && !Step(&low, 1)) || (!include_high && !Step(&high, -1)) || low > high) {
    return std::nullopt;
  }
  if (column.descending) {
    InvertBytes(column.type.type, low.data(), low.data() + low.size());
    InvertBytes(column.type.type, high.data(), high.data() + high.size());
    std::swap(low, high);
  }
  return ByteInterval{.low = std::move(low), .high = std::move(high)};
}

// Up to the last text below `bytes`: for "abc", all up to those that start with "abb".
void EndBelow(std::string bytes, ByteInterval* interval) {
  interval->high_is_prefix = !bytes.empty() && bytes.back() != '\0';
  if (interval->high_is_prefix) {
    bytes.back() = static_cast<char>(bytes.back() - 1);
  } else if (!bytes.empty()) {
    bytes.pop_back();
  }
  interval->high = std::move(bytes);
}

void AppendUnlessEmpty(ByteInterval interval, std::vector<ByteInterval>* out) {
  if (interval.low <= interval.high || (interval.high_is_prefix && interval.low.starts_with(interval.high))) {
    out->push_back(std::move(interval));
  }
}

// `delimited`: a value contains no 00, so the next one after "x" starts with 78 01.
void AppendAscending(const KeyInterval& interval, bool delimited, std::vector<ByteInterval>* out) {
  ByteInterval bytes = {.low = interval.low.value_or("")};
  if (interval.low.has_value() && !interval.include_low) {
    bytes.low.push_back(delimited ? '\x01' : '\0');
  }
  if (interval.high.has_value() && !interval.include_high) {
    EndBelow(*interval.high, &bytes);
  } else {
    bytes.high = interval.high.value_or("");
    bytes.high_is_prefix = !interval.high.has_value();
  }
  AppendUnlessEmpty(std::move(bytes), out);
}

// In descending order, the separator FF matters: 'y' is 86 FF and sorts after 'yy', 86 86 FF. But an interval compares
// the bytes before the separator. So the values below 'yy' are those after all that start with 86 86, and in addition the
// prefixes of 'yy': 'y'.
void AppendDescending(const KeyInterval& interval, const TableColumn& column, std::vector<ByteInterval>* out) {
  const auto inverted = [&](std::string bytes) {
    InvertBytes(column.type.type, bytes.data(), bytes.data() + bytes.size());
    return bytes;
  };
  if (interval.low.has_value() && interval.low == interval.high) {
    const std::string point = inverted(*interval.low);
    out->push_back({.low = point, .high = point});
    return;
  }
  std::string start;
  if (interval.high.has_value()) {
    const std::string end = inverted(*interval.high);
    constexpr size_t kMostBeginnings = 16;  // for a longer end, values with its prefix are checked row by row
    const bool is_short = end.size() <= kMostBeginnings;
    start = is_short ? PrefixSuccessor(end) : end.substr(0, 1);
    for (size_t bytes = 1; is_short && bytes <= end.size(); ++bytes) {
      if (bytes < end.size() || interval.include_high) {
        out->push_back({.low = end.substr(0, bytes), .high = end.substr(0, bytes)});
      }
    }
    if (start.empty()) {
      return;
    }
  }
  if (!interval.low.has_value()) {
    out->push_back({.low = start, .high = "", .high_is_prefix = true});
    return;
  }
  const std::string last = inverted(*interval.low);
  if (interval.include_low) {
    AppendUnlessEmpty({.low = start, .high = last, .high_is_prefix = true}, out);
    return;
  }
  ByteInterval before = {.low = start};
  EndBelow(last, &before);
  AppendUnlessEmpty(std::move(before), out);
  AppendUnlessEmpty({.low = std::max(start, last + '\0'), .high = last, .high_is_prefix = true}, out);
}

// The later one of two ends: that of all values that start with 3D is after 3D FD.
void TakeFartherEnd(const ByteInterval& other, ByteInterval* interval) {
  const bool covers = interval->high_is_prefix && other.high.starts_with(interval->high);
  const bool is_covered = other.high_is_prefix && interval->high.starts_with(other.high);
  if (is_covered || (!covers && interval->high < other.high)) {
    interval->high = other.high;
    interval->high_is_prefix = other.high_is_prefix;
  }
}

// `rest`: the row ends with the value. `of_last`: it is the key's last column; values of the others contain no separator,
// wherever the row ends. Sets *none if no row can match.
RowSegment SegmentOf(const TableColumn& column, const KeyValues& values, bool rest, bool of_last, bool* none) {
  RowSegment segment;
  const std::optional<char> separator = KeySeparator(column);
  segment.kind = !separator.has_value() ? RowSegment::Kind::kFixed
                 : rest                 ? RowSegment::Kind::kRest
                                        : RowSegment::Kind::kDelimited;
  segment.width_bytes = separator.has_value() ? 0 : FixedBytes(column.type);
  segment.delimiter = separator.value_or('\0');
  if (!values.has_value()) {
    return segment;
  }
  for (const KeyInterval& interval : *values) {
    if (separator.has_value()) {
      column.descending ? AppendDescending(interval, column, &segment.intervals)
                        : AppendAscending(interval, /*delimited=*/!of_last, &segment.intervals);
    } else if (std::optional<ByteInterval> fixed = FixedInterval(interval, column); fixed.has_value()) {
      segment.intervals.push_back(*std::move(fixed));
    }
  }
  if (segment.intervals.empty()) {
    *none = true;
    return segment;
  }
  std::sort(segment.intervals.begin(), segment.intervals.end(),
            [](const ByteInterval& a, const ByteInterval& b) { return a.low < b.low; });
  // Excluded ends have become inclusive, so neighbours may touch.
  std::vector<ByteInterval> disjoint;
  for (ByteInterval& interval : segment.intervals) {
    ByteInterval* const last = disjoint.empty() ? nullptr : &disjoint.back();
    if (last != nullptr &&
        (interval.low <= last->high || (last->high_is_prefix && interval.low.starts_with(last->high)))) {
      TakeFartherEnd(interval, last);
    } else {
      disjoint.push_back(std::move(interval));
    }
  }
  segment.intervals = std::move(disjoint);
  return segment;
}

// Appends the row boxes of one box: several if NULLs give rows other formats.
void AppendRowBoxes(const std::vector<KeyValues>& box, const TableDefinition& table, std::vector<RowBox>* out) {
  size_t end = box.size();  // after the last restricted column
  while (end > 0 && !box[end - 1].has_value()) {
    --end;
  }
  std::vector<RowBox> made(1);
  bool none = false;
  for (size_t i = 0; i < end; ++i) {
    const TableColumn& column = table.key(i);
    const size_t before = made.size();
    const bool last = i + 1 == table.key_columns;
    const bool ascending_text = !column.descending && KeySeparator(column).has_value();
    // If all later columns may be NULL, the row ends with this value, without a separator.
    const bool may_end = i + 1 == end && ascending_text;
    for (size_t b = 0; b < before; ++b) {
      if (may_end && !last) {
        RowBox ending = made[b];
        ending.segments.push_back(SegmentOf(column, box[i], /*rest=*/true, last, &none));
        made.push_back(std::move(ending));
      }
      if (column.descending && KeySeparator(column).has_value() && !box[i].has_value()) {
        RowBox null = made[b];  // a NULL is 00, however values end
        null.segments.push_back({.kind = RowSegment::Kind::kFixed,
                                 .width_bytes = 1,
                                 .intervals = {{.low = std::string(1, '\0'), .high = std::string(1, '\0')}}});
        made.push_back(std::move(null));
      }
      made[b].segments.push_back(SegmentOf(column, box[i], last && ascending_text, last, &none));
    }
  }
  if (!none) {
    std::move(made.begin(), made.end(), std::back_inserter(*out));
  }
}

}  // namespace

bool IsPoint(const KeyInterval& interval) {
  return interval.low.has_value() && interval.low == interval.high && interval.include_low && interval.include_high;
}

KeyBoxes KeyBoxesOf(BoundExpression& condition, const TableDefinition& table,
                    const std::function<int(size_t)>& key_position) {
  return Reader(table, key_position).Read(condition);
}

namespace {

// Appends the rows of the box to `out`; false: it contains more than single rows.
bool AppendPoints(const std::vector<KeyValues>& box, const TableDefinition& table, size_t most,
                  std::vector<std::string>* out) {
  std::vector<std::string> rows(1);
  for (size_t i = 0; i < box.size(); ++i) {
    const TableColumn& column = table.key(i);
    const std::optional<char> separator = KeySeparator(column);
    if (!box[i].has_value() || !std::all_of(box[i]->begin(), box[i]->end(), IsPoint) ||
        rows.size() * box[i]->size() > most) {
      return false;
    }
    std::vector<std::string> longer;
    for (const std::string& row : rows) {
      for (const KeyInterval& point : *box[i]) {
        if (point.low->size() != static_cast<size_t>(FixedBytes(column.type)) && !separator.has_value()) {
          return false;
        }
        std::string& made = longer.emplace_back(row + *point.low);
        if (column.descending) {
          InvertBytes(column.type.type, made.data() + row.size(), made.data() + made.size());
        }
        if (separator.has_value() && (column.descending || i + 1 < box.size())) {
          made.push_back(*separator);
        }
      }
    }
    rows = std::move(longer);
  }
  std::move(rows.begin(), rows.end(), std::back_inserter(*out));
  return out->size() <= most;
}

}  // namespace

std::vector<std::string> PointsOf(const KeyBoxes& boxes, const TableDefinition& table, size_t most) {
  std::vector<std::string> points;
  for (const std::vector<KeyValues>& box : boxes.any_of) {
    if (!AppendPoints(box, table, most, &points)) {
      return {};
    }
  }
  if (table.salt_buckets > 0) {
    for (std::string& point : points) {
      point.insert(point.begin(), SaltOf(point, table.salt_buckets));
    }
  }
  std::sort(points.begin(), points.end());
  points.erase(std::unique(points.begin(), points.end()), points.end());
  return points;
}

namespace {

// Types whose values all have one encoding, of which EncodeRow makes the bytes that PointsOf makes of an interval.
bool HasPlainPoints(const DataType& type) {
  static constexpr Type kPlain[] = {Type::kTinyint, Type::kSmallint, Type::kInteger, Type::kBigint,
                                    Type::kVarchar, Type::kDate,     Type::kTime,    Type::kTimestamp};
  return !type.array && std::ranges::find(kPlain, type.type) != std::end(kPlain);
}

}  // namespace

std::optional<PointKey> PointKey::Of(BoundExpression& condition, const TableDefinition& table,
                                     const std::function<int(size_t)>& key_position) {
  if (table.schema.has_value()) {
    return std::nullopt;
  }
  PointKey key;
  key.values_.resize(table.key_columns);
  if (condition.kind() != BoundExpression::Kind::kAnd) {
    key.Take(condition, key_position);
  } else {
    for (const BoundPtr& operand : condition.operands()) {
      key.Take(*operand, key_position);
    }
  }
  const bool whole = std::ranges::find(key.values_, nullptr) == key.values_.end();
  const size_t conditions = condition.kind() == BoundExpression::Kind::kAnd ? condition.operands().size() : 1;
  key.is_all_ = whole && conditions == key.values_.size();
  return whole ? std::optional(std::move(key)) : std::nullopt;
}

void PointKey::Take(BoundExpression& condition, const std::function<int(size_t)>& key_position) {
  if (condition.kind() != BoundExpression::Kind::kCompare || condition.compare() != Compare::kEqual) {
    return;
  }
  for (size_t side = 0; side < 2; ++side) {
    const BoundExpression& column = *condition.operands()[side];
    BoundExpression& value = *condition.operands()[1 - side];
    const int position = column.kind() == BoundExpression::Kind::kColumn ? key_position(column.column()) : -1;
    if (position >= 0 && value.kind() == BoundExpression::Kind::kConstant && HasPlainPoints(column.type()) &&
        value.type().type == column.type().type && !value.type().array) {
      values_[static_cast<size_t>(position)] = &value;
    }
  }
}

std::optional<std::string> PointKey::Row(const TableDefinition& table) const {
  std::vector<Value> values;
  values.reserve(values_.size());
  for (BoundExpression* const value : values_) {
    if (value->constant()->is_null()) {
      return std::nullopt;
    }
    values.push_back(*value->constant());
  }
  Expected<std::string> row = EncodeRow(table, values);
  return row.ok() ? std::optional(*std::move(row)) : std::nullopt;
}

std::shared_ptr<const RowSet> RowsOf(const KeyBoxes& boxes, const TableDefinition& table) {
  if (boxes.all) {
    return nullptr;
  }
  std::vector<RowBox> row_boxes;
  for (const std::vector<KeyValues>& box : boxes.any_of) {
    AppendRowBoxes(box, table, &row_boxes);
  }
  if (table.salt_buckets == 0) {
    return RowSet::FromBoxes(std::move(row_boxes));
  }
  const ByteInterval every_bucket = {.low = std::string(1, '\0'),
                                     .high = std::string(1, static_cast<char>(table.salt_buckets - 1))};
  for (RowBox& box : row_boxes) {
    box.segments.insert(box.segments.begin(),
                        RowSegment{.kind = RowSegment::Kind::kFixed, .width_bytes = 1, .intervals = {every_bucket}});
  }
  return RowSet::FromBoxes(std::move(row_boxes));
}

}  // namespace klip::sql
