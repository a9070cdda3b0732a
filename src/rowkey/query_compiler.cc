// Compiles a KeyQuery to the set of matching row keys: a box per alternative, a segment per field.
//
// Hash and salt fields are computed if the fields that they hash are known. Rows in which they have other bytes than
// Encode computes are then not found.
//
// Example: "salt:salt(4,user) user:text(5) date:date" and the query "user=alice,carol date=2014". Each user gives one salt,
// 2 and 0. Result: the boxes [2][alice][20140101..20141231] and [0][carol][20140101..20141231]. Without a condition on user,
// it is one box: [any][any][20140101..20141231].
#include <algorithm>
#include <array>

#include "filter/rows/row_set.h"
#include "klip/row_key.h"
#include "rowkey/field_set.h"
#include "rowkey/key_codec.h"

namespace klip {
namespace {

using filter::RowBox;
using filter::RowSegment;
using filter::RowSet;
using rowkey::BytePattern;
using rowkey::FieldSet;
using rowkey::Intervals;

// The maximum number of combinations of hashed values for which hashes are computed. TUNING: above it, checking the many
// boxes of a row set costs more than reading all buckets.
constexpr size_t kMaxCombinations = 64;

// The conditions on one field in one alternative.
struct FieldState {
  FieldSet set;
  std::optional<BytePattern> pattern;
};
using Alternative = std::vector<FieldState>;

BytePattern Merge(const BytePattern& a, const BytePattern& b, bool* possible) {
  BytePattern out = a;
  for (size_t i = 0; i < out.size(); ++i) {
    *possible = *possible && (!a[i] || !b[i] || *a[i] == *b[i]);
    out[i] = a[i] ? a[i] : b[i];
  }
  return out;
}

// Strings that start with `fixed` and a byte in [low, high].
struct BytePath {
  std::string fixed;
  char low = 0;
  char high = 0;
};

// [low, high] as paths: along the bytes that both ends share, then along each end.
std::vector<BytePath> PathsOf(const filter::ByteInterval& interval) {
  const std::string& low = interval.low;
  const std::string& high = interval.high;
  size_t width = low.size();
  size_t shared = 0;
  while (shared + 1 < width && low[shared] == high[shared]) {
    ++shared;
  }
  auto next = [](char c) { return static_cast<char>(c + 1); };
  auto previous = [](char c) { return static_cast<char>(c - 1); };
  if (shared + 1 == width) {
    return {{.fixed = low.substr(0, shared), .low = low[shared], .high = high[shared]}};
  }
  std::vector<BytePath> paths;
  for (size_t i = width - 1; i > shared; --i) {
    char from = i + 1 == width ? low[i] : next(low[i]);
    if (i + 1 == width || low[i] != '\xff') {
      paths.push_back({.fixed = low.substr(0, i), .low = from, .high = '\xff'});
    }
  }
  if (next(low[shared]) != high[shared]) {
    paths.push_back({.fixed = low.substr(0, shared), .low = next(low[shared]), .high = previous(high[shared])});
  }
  for (size_t i = shared + 1; i < width; ++i) {
    char to = i + 1 == width ? high[i] : previous(high[i]);
    if (i + 1 == width || high[i] != '\0') {
      paths.push_back({.fixed = high.substr(0, i), .low = '\0', .high = to});
    }
  }
  return paths;
}

RowSegment FixedSegment(size_t width, Intervals intervals = {}) {
  RowSegment segment;
  segment.width_bytes = static_cast<int>(width);
  segment.intervals = std::move(intervals);
  return segment;
}

RowSegment PointSegment(std::string bytes) {
  size_t width = bytes.size();
  std::string high = bytes;
  return FixedSegment(width, {{.low = std::move(bytes), .high = std::move(high)}});
}

using Segments = std::vector<RowSegment>;

// Alternating runs of known bytes and of any bytes.
Segments PatternSegments(const BytePattern& pattern) {
  Segments segments;
  for (size_t i = 0; i < pattern.size();) {
    size_t end = i;
    std::string fixed;
    while (end < pattern.size() && pattern[end].has_value() == pattern[i].has_value()) {
      fixed.push_back(pattern[end].value_or('\0'));
      ++end;
    }
    segments.push_back(pattern[i] ? PointSegment(std::move(fixed)) : FixedSegment(end - i));
    i = end;
  }
  return segments;
}

// Lists of segments, each another way to match both a pattern and a set of intervals.
std::vector<Segments> PatternAndIntervals(const BytePattern& pattern, const Intervals& intervals) {
  std::vector<Segments> ways;
  for (const filter::ByteInterval& interval : intervals) {
    for (const BytePath& path : PathsOf(interval)) {
      BytePattern fixed(pattern.size());
      std::copy(path.fixed.begin(), path.fixed.end(), fixed.begin());
      bool possible = true;
      BytePattern merged = Merge(pattern, fixed, &possible);
      size_t at = path.fixed.size();
      std::array<unsigned char, 2> range = {static_cast<unsigned char>(path.low),
                                            static_cast<unsigned char>(path.high)};
      if (merged[at]) {
        auto byte = static_cast<unsigned char>(*merged[at]);
        possible = possible && range[0] <= byte && byte <= range[1];
      }
      if (!possible) {
        continue;
      }
      if (merged[at]) {
        ways.push_back(PatternSegments(merged));
        continue;
      }
      Segments segments = PatternSegments(BytePattern(merged.begin(), merged.begin() + static_cast<ptrdiff_t>(at)));
      segments.push_back(FixedSegment(1, {{.low = std::string(1, path.low), .high = std::string(1, path.high)}}));
      Segments rest = PatternSegments(BytePattern(merged.begin() + static_cast<ptrdiff_t>(at) + 1, merged.end()));
      segments.insert(segments.end(), rest.begin(), rest.end());
      ways.push_back(std::move(segments));
    }
  }
  return ways;
}

bool SameLength(const Intervals& points) {
  return std::all_of(points.begin(), points.end(),
                     [&points](const filter::ByteInterval& point) { return point.low.size() == points[0].low.size(); });
}

// The end of the row.
RowSegment NothingMore() {
  RowSegment segment;
  segment.kind = RowSegment::Kind::kRest;
  segment.intervals = {{.low = "", .high = ""}};
  return segment;
}

// A field of variable width. Known values of one length make a segment of fixed width, to which a scan can jump.
Segments VariableSegments(const KeyField& field, const FieldSet& set) {
  std::string end = field.delimiter ? std::string(1, *field.delimiter) : "";
  if (set && rowkey::AllPoints(*set) && SameLength(*set)) {
    Intervals intervals;
    for (const filter::ByteInterval& point : *set) {
      intervals.push_back({.low = point.low + end, .high = point.high + end});
    }
    Segments segments;
    if (size_t width = intervals[0].low.size(); width > 0) {
      segments.push_back(FixedSegment(width, std::move(intervals)));
    }
    if (!field.delimiter) {
      segments.push_back(NothingMore());
    }
    return segments;
  }
  RowSegment segment;
  segment.kind = field.delimiter ? RowSegment::Kind::kDelimited : RowSegment::Kind::kRest;
  segment.delimiter = field.delimiter.value_or('\0');
  segment.intervals = set.value_or(Intervals());
  return {std::move(segment)};
}

// The ways to write the bytes of a field as segments; several only for a mask and a range on the same field.
std::vector<Segments> WaysOf(const KeyField& field, const FieldState& state) {
  if (field.type == KeyFieldType::kLiteral) {
    return {{PointSegment(field.literal)}};
  }
  if (field.width_bytes == 0) {
    return {VariableSegments(field, state.set)};
  }
  if (state.pattern && state.set) {
    return PatternAndIntervals(*state.pattern, *state.set);
  }
  if (state.pattern) {
    return {PatternSegments(*state.pattern)};
  }
  return {{FixedSegment(static_cast<size_t>(field.width_bytes), state.set.value_or(Intervals()))}};
}

bool IsFixed(const RowSegment& segment) { return segment.kind == RowSegment::Kind::kFixed; }

// Sets the lengths that rows of the box can have.
void SetRowBytes(RowBox* box) {
  bool open = false;
  if (box->segments.back() == NothingMore() && std::all_of(box->segments.begin(), box->segments.end() - 1, IsFixed)) {
    box->segments.pop_back();  // the length implies it
  }
  for (const RowSegment& segment : box->segments) {
    open = open || !IsFixed(segment);
    box->min_row_bytes += segment.kind == RowSegment::Kind::kDelimited ? 1 : static_cast<size_t>(segment.width_bytes);
  }
  if (!open) {
    box->max_row_bytes = box->min_row_bytes;
  }
}

class Compiler {
 public:
  explicit Compiler(const RowKeySchema& schema) : schema_(schema), fields_(schema.fields()) {}

  Status Add(const KeyBox& box);
  Expected<std::shared_ptr<const RowSet>> Finish() { return RowSet::FromBoxes(std::move(boxes_)); }

 private:
  Status AddConditions(const KeyBox& box, Alternative* alternative, bool* possible) const;
  // Converts a mask with few open bytes to a set of values, and drops the values that a mask excludes.
  void SimplifyPattern(FieldState* state) const;
  Status AddWithDerived(const Alternative& alternative);
  std::vector<size_t> ComputableFields(const Alternative& alternative) const;
  Status AddCombinations(const Alternative& alternative, const std::vector<size_t>& computable,
                         const std::vector<size_t>& sources, size_t combinations);
  bool SetDerived(const std::vector<size_t>& computable, Alternative* alternative) const;
  Status Emit(const Alternative& alternative);

  const RowKeySchema& schema_;
  const std::vector<KeyField>& fields_;
  std::vector<RowBox> boxes_;
};

Status Compiler::Add(const KeyBox& box) {
  Alternative alternative(fields_.size());
  bool possible = true;
  KLIP_RETURN_IF_ERROR(AddConditions(box, &alternative, &possible));
  for (FieldState& state : alternative) {
    SimplifyPattern(&state);
    possible = possible && (!state.set || !state.set->empty());
  }
  return possible ? AddWithDerived(alternative) : Status::Ok();
}

Status Compiler::AddConditions(const KeyBox& box, Alternative* alternative, bool* possible) const {
  for (const auto& [name, match] : box.fields) {
    std::optional<int> index = schema_.FieldIndex(name);
    if (!index) {
      return Status(Code::kInvalidArgument, rowkey::UnknownField(fields_, name));
    }
    const KeyField& field = fields_[static_cast<size_t>(*index)];
    FieldState& state = (*alternative)[static_cast<size_t>(*index)];
    if (const auto* mask = std::get_if<ByteMask>(&match)) {
      KLIP_ASSIGN_OR_RETURN(BytePattern pattern, rowkey::PatternOf(field, *mask));
      state.pattern = state.pattern ? Merge(*state.pattern, pattern, possible) : std::move(pattern);
    } else {
      KLIP_ASSIGN_OR_RETURN(FieldSet set, rowkey::SetOf(field, match));
      state.set = rowkey::Intersect(state.set, set);
    }
  }
  return Status::Ok();
}

void Compiler::SimplifyPattern(FieldState* state) const {
  if (!state->pattern) {
    return;
  }
  const BytePattern& pattern = *state->pattern;
  size_t known = static_cast<size_t>(
      std::count_if(pattern.begin(), pattern.end(), [](const auto& byte) { return byte.has_value(); }));
  bool leading = std::all_of(pattern.begin(), pattern.begin() + static_cast<ptrdiff_t>(known),
                             [](const auto& byte) { return byte.has_value(); });
  if (leading) {  // the whole field, or a prefix of it
    filter::ByteInterval interval;
    for (const std::optional<char>& byte : pattern) {
      interval.low.push_back(byte.value_or('\0'));
      interval.high.push_back(byte.value_or('\xff'));
    }
    state->set = known == 0 ? state->set : rowkey::Intersect(state->set, Intervals{std::move(interval)});
    state->pattern.reset();
  } else if (state->set && rowkey::AllPoints(*state->set)) {
    std::erase_if(*state->set, [&pattern](const auto& point) { return !rowkey::Fits(pattern, point.low); });
    state->pattern.reset();
  }
}

bool IsKnown(const FieldState& state) { return state.set && !state.pattern && rowkey::AllPoints(*state.set); }

// Hash and salt fields with known sources, in key order, as long as there are few combinations of values.
std::vector<size_t> Compiler::ComputableFields(const Alternative& alternative) const {
  std::vector<size_t> computable;
  std::vector<bool> counted(fields_.size(), false);
  size_t combinations = 1;
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (!fields_[i].derived() || fields_[i].type == KeyFieldType::kLiteral) {
      continue;
    }
    size_t with_this = combinations;
    std::vector<bool> counted_with_this = counted;
    for (int source : fields_[i].source_fields) {
      auto index = static_cast<size_t>(source);
      bool known = IsKnown(alternative[index]) && with_this <= kMaxCombinations;
      if (!counted_with_this[index]) {
        with_this = known ? with_this * alternative[index].set->size() : kMaxCombinations + 1;
        counted_with_this[index] = true;
      }
    }
    if (with_this <= kMaxCombinations) {
      computable.push_back(i);
      combinations = with_this;
      counted = std::move(counted_with_this);
    }
  }
  return computable;
}

Status Compiler::AddWithDerived(const Alternative& alternative) {
  std::vector<size_t> computable = ComputableFields(alternative);
  if (computable.empty()) {
    return Emit(alternative);
  }
  std::vector<size_t> sources;  // with several values
  size_t combinations = 1;
  for (size_t field : computable) {
    for (int source : fields_[field].source_fields) {
      auto index = static_cast<size_t>(source);
      if (alternative[index].set->size() > 1 && std::find(sources.begin(), sources.end(), index) == sources.end()) {
        sources.push_back(index);
        combinations *= alternative[index].set->size();
      }
    }
  }
  return AddCombinations(alternative, computable, sources, combinations);
}

bool SameDerived(const Alternative& a, const Alternative& b, const std::vector<size_t>& computable) {
  return std::all_of(computable.begin(), computable.end(), [&](size_t field) { return a[field].set == b[field].set; });
}

// One box per combination of source values. With a single source, values with the same hash share a box.
Status Compiler::AddCombinations(const Alternative& alternative, const std::vector<size_t>& computable,
                                 const std::vector<size_t>& sources, size_t combinations) {
  std::vector<Alternative> made;
  for (size_t number = 0; number < combinations; ++number) {
    Alternative one = alternative;
    size_t rest = number;
    for (size_t source : sources) {
      const Intervals& values = *alternative[source].set;
      one[source].set = Intervals{values[rest % values.size()]};
      rest /= values.size();
    }
    if (!SetDerived(computable, &one)) {
      continue;
    }
    auto same =
        sources.size() != 1 ? made.end() : std::find_if(made.begin(), made.end(), [&](const Alternative& other) {
          return SameDerived(one, other, computable);
        });
    if (same == made.end()) {
      made.push_back(std::move(one));
    } else {
      (*same)[sources[0]].set->push_back((*one[sources[0]].set)[0]);
    }
  }
  for (const Alternative& one : made) {
    KLIP_RETURN_IF_ERROR(Emit(one));
  }
  return Status::Ok();
}

// False: a condition on a derived field excludes the computed value.
bool Compiler::SetDerived(const std::vector<size_t>& computable, Alternative* alternative) const {
  std::vector<std::string_view> bytes(fields_.size());
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (IsKnown((*alternative)[i]) && !(*alternative)[i].set->empty()) {
      bytes[i] = (*(*alternative)[i].set)[0].low;
    }
  }
  for (size_t field : computable) {
    FieldState& state = (*alternative)[field];
    std::string derived = rowkey::DerivedBytes(fields_[field], bytes);
    if (state.set && !rowkey::Fits(*state.set, derived)) {
      return false;
    }
    state.set = Intervals{{.low = derived, .high = derived}};
  }
  return true;
}

Status Compiler::Emit(const Alternative& alternative) {
  std::vector<RowBox> boxes(1);
  for (size_t i = 0; i < fields_.size(); ++i) {
    std::vector<Segments> ways = WaysOf(fields_[i], alternative[i]);
    if (boxes.size() * ways.size() + boxes_.size() > RowSet::kMaxBoxes) {
      return Status(Code::kInvalidArgument,
                    "the query has more than " + std::to_string(RowSet::kMaxBoxes) + " alternatives");
    }
    std::vector<RowBox> longer;
    for (const RowBox& box : boxes) {
      for (const Segments& way : ways) {
        longer.push_back(box);
        longer.back().segments.insert(longer.back().segments.end(), way.begin(), way.end());
      }
    }
    boxes = std::move(longer);
  }
  for (RowBox& box : boxes) {
    SetRowBytes(&box);
    boxes_.push_back(std::move(box));
  }
  return Status::Ok();
}

}  // namespace

Expected<std::shared_ptr<const RowSet>> RowKeySchema::Compile(const KeyQuery& query) const {
  Compiler compiler(*this);
  for (const KeyBox& box : query.any_of) {
    KLIP_RETURN_IF_ERROR(compiler.Add(box));
  }
  return compiler.Finish();
}

}  // namespace klip
