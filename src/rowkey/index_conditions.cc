#include "rowkey/index_conditions.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "filter/common/visitors.h"
#include "filter/comparators/case_comparator.h"
#include "filter/filters/expression_condition.h"
#include "klip/bytes.h"
#include "rowkey/key_codec.h"
#include "rowkey/key_estimate.h"
#include "rowkey/scan_planner.h"

namespace klip::rowkey {
namespace {

bool IsOfOlder(const ColumnCondition& condition) { return condition.of != OfVersions::kNewest; }

// The values that the conditions allow for the column; nullopt: any.
FieldSet AllowedBy(const std::vector<ColumnCondition>& conditions, const ColumnCondition& column) {
  FieldSet allowed;
  for (const ColumnCondition& one : conditions) {
    if (one.IsOn(column)) {
      allowed = Intersect(allowed, one.values);
    }
  }
  return allowed;
}

// What holds if the conditions of one branch do: for "a=1 b=2" and "a=3", that `a` is 1 or 3.
std::vector<ColumnCondition> AnyOf(const std::vector<std::vector<ColumnCondition>>& branches) {
  std::vector<ColumnCondition> out;
  for (ColumnCondition column : branches.empty() ? std::vector<ColumnCondition>() : branches.front()) {
    column.values.clear();
    const bool everywhere = std::ranges::all_of(branches, [&](const std::vector<ColumnCondition>& branch) {
      FieldSet allowed = AllowedBy(branch, column);
      for (const ColumnCondition& one : branch) {
        column.of = one.IsOn(column) ? std::max(column.of, one.of) : column.of;
      }
      if (allowed.has_value()) {
        std::ranges::move(*allowed, std::back_inserter(column.values));
      }
      return allowed.has_value();
    });
    if (everywhere) {
      column.values = Unite(std::move(column.values));
      out.push_back(std::move(column));
    }
  }
  return out;
}

// Adds a condition that holds together with the others. Two versions may meet two conditions on any version of a column, so
// one of the conditions is left out.
void AddCondition(ColumnCondition added, std::vector<ColumnCondition>* all) {
  const auto other = std::ranges::find_if(*all, [&](const ColumnCondition& one) {
    return one.family == added.family && one.qualifier == added.qualifier &&
           (one.of == OfVersions::kAny || added.of == OfVersions::kAny);
  });
  if (other == all->end()) {
    all->push_back(std::move(added));
  } else if (added.of != OfVersions::kAny) {
    *other = std::move(added);
  }
}

// Collects conditions, and checks that every member may run on fewer rows and hides no newest version from others.
class ConditionVisitor final : public filter::FilterVisitor {
 public:
  // `newest`: of the versions that the scan sees.
  explicit ConditionVisitor(OfVersions newest) : newest_(newest) {}

  bool usable() const { return usable_; }
  bool only_single_columns() const { return usable_ && only_single_columns_; }
  ColumnTest TakeTest() { return std::move(test_); }
  std::vector<ColumnCondition> Take() { return std::move(conditions_); }

  void FuzzyRow(const std::vector<FuzzyKey>&) override { only_single_columns_ = false; }
  void MultiRowRange(const std::vector<klip::RowRange>&) override { only_single_columns_ = false; }
  void Prefix(const std::string&) override { only_single_columns_ = false; }
  void InclusiveStop(const std::string&) override { only_single_columns_ = false; }
  void Compare(const Filter& filter, CompareOp, const Comparator&) override {
    usable_ = usable_ && filter.name() == "RowFilter";
    only_single_columns_ = false;
  }
  void List(ListOperator op, const std::vector<FilterPtr>& filters) override;
  void SingleColumn(const SingleColumnValue& condition, bool exclude) override;

  void Page(int64_t) override { usable_ = false; }
  void RandomRow(float) override { usable_ = false; }
  void ColumnPrefix(const std::string&) override { usable_ = false; }
  void MultipleColumnPrefix(const std::vector<std::string>&) override { usable_ = false; }
  void ColumnRange(const klip::ColumnRange&) override { usable_ = false; }
  void ColumnCountGet(int32_t) override { usable_ = false; }
  void ColumnPagination(int32_t, int32_t) override { usable_ = false; }
  void ColumnPagination(int32_t, const std::string&) override { usable_ = false; }
  void Plain(const Filter&) override { usable_ = false; }
  void FirstKeyValueMatchingQualifiers(const std::vector<std::string>&) override { usable_ = false; }
  void KeyOnly(bool) override { usable_ = false; }
  void Timestamps(const std::vector<int64_t>&, bool) override { usable_ = false; }
  void ColumnValue(const std::string&, const std::string&, CompareOp, const Comparator&) override { usable_ = false; }
  void Dependent(const DependentColumn&) override { usable_ = false; }
  void SparkSql(const SparkSqlCondition&) override { usable_ = false; }
  void Wrapper(const Filter&, const Filter&) override { usable_ = false; }
  void Custom(const Filter& filter) override;

 private:
  const OfVersions newest_;
  std::vector<ColumnCondition> conditions_;
  ColumnTest test_;
  bool usable_ = true;
  bool only_single_columns_ = true;
};

void ConditionVisitor::List(ListOperator op, const std::vector<FilterPtr>& filters) {
  test_.op = op;
  std::vector<std::vector<ColumnCondition>> branches;
  for (const FilterPtr& filter : filters) {
    ConditionVisitor member(newest_);
    filter->Accept(&member);
    usable_ = usable_ && member.usable_;
    only_single_columns_ = only_single_columns_ && member.only_single_columns_;
    test_.members.push_back(member.TakeTest());
    branches.push_back(member.Take());
  }
  if (op == ListOperator::kMustPassOne) {
    conditions_ = AnyOf(branches);
    return;
  }
  for (std::vector<ColumnCondition>& branch : branches) {
    for (ColumnCondition& condition : branch) {
      AddCondition(std::move(condition), &conditions_);
    }
  }
}

// The values that pass; nullopt: no interval.
std::optional<filter::ByteInterval> ValuesOf(CompareOp op, const Comparator& comparator) {
  const std::string* const bytes = comparator.OrderedBytes();
  const std::string* const prefix = comparator.PrefixBytes();
  filter::ByteInterval values;
  if (prefix != nullptr && op == CompareOp::kEqual) {
    values = {.low = *prefix, .high = prefix->empty() ? "\xff" : *prefix, .high_is_prefix = true};
  } else if (bytes != nullptr && op == CompareOp::kEqual) {
    values = {.low = *bytes, .high = *bytes};
  } else if (bytes != nullptr && (op == CompareOp::kGreater || op == CompareOp::kGreaterOrEqual)) {
    values = {.low = *bytes, .high = std::string(bytes->size() + 1, '\xff'), .high_is_prefix = true};
  } else if (bytes != nullptr && (op == CompareOp::kLess || op == CompareOp::kLessOrEqual)) {
    values = {.low = "", .high = *bytes};
  } else {
    return std::nullopt;
  }
  return values;
}

void ConditionVisitor::SingleColumn(const SingleColumnValue& condition, bool exclude) {
  const auto* const in_case = dynamic_cast<const filter::CaseComparator*>(condition.comparator.get());
  const Comparator& comparator = in_case == nullptr ? *condition.comparator : in_case->of();
  only_single_columns_ = comparator.OrderedBytes() != nullptr || comparator.PrefixBytes() != nullptr;
  test_.column = condition;
  test_.exclude = exclude;
  std::optional<filter::ByteInterval> values = ValuesOf(condition.op, comparator);
  if (!condition.filter_if_missing || !values.has_value()) {
    return;
  }
  const IndexFunction function = in_case == nullptr ? IndexFunction::kNone : FunctionOf(in_case->letter_case());
  const OfVersions of = condition.latest_version_only ? newest_ : OfVersions::kAny;
  conditions_.push_back({condition.family, condition.qualifier, {*std::move(values)}, function, of});
}

// SQL's conditions on expressions pass all rows: as a ColumnTest, an empty list.
void ConditionVisitor::Custom(const Filter& filter) {
  const auto* const condition = dynamic_cast<const filter::ExpressionCondition*>(&filter);
  usable_ = usable_ && condition != nullptr;
  std::optional<filter::ByteInterval> values =
      condition == nullptr ? std::nullopt : ValuesOf(condition->op(), condition->comparator());
  if (values.has_value()) {
    conditions_.push_back(
        {kComputedFamily, condition->identity(), {*std::move(values)}, IndexFunction::kNone, newest_});
  }
}

std::string CutTo(std::string bytes, size_t width, char fill) {
  bytes.resize(width, fill);
  return bytes;
}

// Whether the type's key order is that of the stored bytes, or nearly.
bool KeepsOrder(const KeyField& field) { return !(field.type == KeyFieldType::kText && field.width_bytes > 0); }

// At least the same values, for a field of fixed width.
Intervals FixedIntervals(const KeyField& field, const filter::ByteInterval& values) {
  const auto width = static_cast<size_t>(field.width_bytes);
  Intervals intervals = {{CutTo(values.low, width, '\0'), CutTo(values.high, width, '\xFF')}};
  if (field.type == KeyFieldType::kSigned) {
    intervals = WithSignFlipped(intervals);
  }
  if (SortsBackwards(field)) {
    for (filter::ByteInterval& interval : intervals) {
      std::swap(interval.low, interval.high);
      Flip(field, &interval.low);
      Flip(field, &interval.high);
    }
  }
  return intervals;
}

// All values of a field of buckets, so that a scan can jump from one to the next; nullopt for others.
FieldSet AllOf(const IndexPart& part) {
  if (part.function != IndexFunction::kBucket) {
    return std::nullopt;
  }
  return Intervals{{std::string(1, '\0'), std::string(1, static_cast<char>(part.derived->salt_buckets - 1))}};
}

// Key bytes of the part for stored values in the interval, or values in the case of `function`, maybe more. nullopt: any.
FieldSet SetOf(const IndexPart& part, const filter::ByteInterval& values, IndexFunction function) {
  const KeyField& field = part.field;
  const bool same = function == part.function;
  if (!same && (function != IndexFunction::kNone || !IsPoint(values))) {
    return AllOf(part);
  }
  filter::ByteInterval interval;
  if (IsPoint(values)) {
    // Stored values have the column's type, so an interval of one other value is empty.
    const bool valid =
        (same ? AppendTypedValue(field, values.low, &interval.low) : AppendStoredValue(part, values.low, &interval.low))
            .ok();
    interval.high = interval.low;
    return valid ? Intervals{interval} : Intervals();
  }
  if (!KeepsOrder(field)) {
    return std::nullopt;
  }
  if (field.width_bytes > 0) {
    return FixedIntervals(field, values);
  }
  // No value contains the delimiter, which is below all other bytes.
  interval.low = values.low.substr(0, values.low.find(*field.delimiter));
  interval.high = values.high.substr(0, values.high.find(*field.delimiter));
  interval.high_is_prefix = values.high_is_prefix;
  if (interval.high.empty() && interval.high_is_prefix) {
    interval.high = '\xFF';  // to the end
  }
  return Intervals{interval};
}

filter::RowSegment SegmentOf(const KeyField& field) {
  filter::RowSegment segment;
  segment.kind = field.width_bytes > 0 ? filter::RowSegment::Kind::kFixed : filter::RowSegment::Kind::kDelimited;
  segment.width_bytes = field.width_bytes;
  segment.delimiter = field.delimiter.value_or(0);
  return segment;
}

// Adds the segments of a part to the box. nullopt: no condition, so that the rows may lack an optional field.
void AddSegments(const IndexPart& part, const std::optional<FieldSet>& set, filter::RowBox* box) {
  if (part.presence.has_value()) {
    filter::RowSegment& presence = box->segments.emplace_back(SegmentOf(*part.presence));
    if (set.has_value()) {
      const std::string present(1, PresenceByte(part, true));
      presence.intervals.push_back({present, present});
    }
    ++box->min_row_bytes;
  }
  filter::RowSegment& segment = box->segments.emplace_back(SegmentOf(part.field));
  if (set.has_value() && set->has_value()) {
    segment.intervals = **set;
  }
  box->min_row_bytes += static_cast<size_t>(part.field.width_bytes) + (part.field.delimiter.has_value() ? 1 : 0);
}

bool Implies(const std::vector<ColumnCondition>& conditions, const IndexColumn& column, std::string_view value) {
  return std::ranges::any_of(conditions, [&](const ColumnCondition& one) {
    return one.family == column.family && one.qualifier == column.qualifier && one.function == IndexFunction::kNone &&
           one.values.size() == 1 && IsPoint(one.values.front()) && one.values.front().low == value;
  });
}

// Why a row that meets the conditions may have no entry, whatever its fields; empty: each has one.
std::string WhyMissing(const IndexDefinition& index, const std::vector<ColumnCondition>& conditions) {
  for (const IndexDefinition::Equal& equal : index.where) {
    const IndexColumn& column = index.columns[equal.column];
    if (!Implies(conditions, column, equal.value)) {
      const std::string label = index.LabelOf(equal.column);
      return "its rows " +
             (column.family == kComputedFamily ? "meet " + label
                                               : "have " + label + " = '" + ToStringBinary(equal.value) + "'") +
             ", the scan's need not";
    }
  }
  const auto is_on_column = [&](const ColumnCondition& one) {
    return index.ColumnIndex(one.family, one.qualifier).has_value();
  };
  return !index.has_optional() || std::ranges::any_of(conditions, is_on_column)
             ? ""
             : "no condition on any of its columns, and a row without them has no entry";
}

// The values that all conditions on the part's column allow; nullopt: no conditions.
std::optional<FieldSet> SetOf(const IndexDefinition& index, const IndexPart& part,
                              const std::vector<ColumnCondition>& conditions) {
  std::optional<FieldSet> set;
  for (const ColumnCondition& condition : conditions) {
    if (index.ColumnIndex(condition.family, condition.qualifier) == part.column) {
      FieldSet of_one = KeyBytesOf(part, condition);
      set = set.has_value() ? Intersect(*set, of_one) : std::move(of_one);
    }
  }
  return set;
}

// Whether the conditions allow only values for the part's column that its type has.
bool OnlyValid(const IndexDefinition& index, const IndexPart& part, const std::vector<ColumnCondition>& conditions) {
  const auto is_valid = [&](const ColumnCondition& condition, const filter::ByteInterval& values) {
    std::string bytes;
    return IsPoint(values) &&
           (condition.function == part.function
                ? AppendTypedValue(part.field, values.low, &bytes).ok()
                : condition.function == IndexFunction::kNone && AppendStoredValue(part, values.low, &bytes).ok());
  };
  return part.derived.has_value() || std::ranges::any_of(conditions, [&](const ColumnCondition& condition) {
           return index.ColumnIndex(condition.family, condition.qualifier) == part.column &&
                  std::ranges::all_of(condition.values,
                                      [&](const auto& values) { return is_valid(condition, values); });
         });
}

// The values of a field of the row key that rows of the set can have; nullopt: any.
FieldSet KeyValuesOf(const RowKeySchema& schema, size_t field, const filter::RowSet& rows) {
  Intervals all;
  for (const std::vector<SlotCondition>& line : ConditionsOf(SlotsOf(&schema, &rows), rows)) {
    const SlotCondition& one = line[field];
    if (!one.restricted || one.intervals.empty()) {
      return std::nullopt;
    }
    std::ranges::copy(one.intervals, std::back_inserter(all));
  }
  return Unite(std::move(all));
}

// Key bytes of a part that comes from the row key, for rows of the set, maybe more. nullopt: any.
FieldSet KeyPartSet(const IndexDefinition& index, const IndexPart& part, const filter::RowSet* rows) {
  const KeyField& of_key = index.table_schema->fields()[*part.key_field];
  FieldSet values = rows == nullptr ? std::nullopt : KeyValuesOf(*index.table_schema, *part.key_field, *rows);
  if (!values.has_value() || part.function == IndexFunction::kNone) {
    return values;
  }
  if (!AllPoints(*values)) {
    return AllOf(part);
  }
  for (filter::ByteInterval& point : *values) {
    point.low = point.high = KeyPartOf(part, of_key, point.low);
  }
  return Unite(*std::move(values));
}

filter::RowSegment RowsIn(const RowRange& range) {
  filter::RowSegment row = {.kind = filter::RowSegment::Kind::kRest};
  if (!range.start.empty() || !range.stop.empty()) {
    row.intervals.push_back(range.stop.empty() ? filter::ByteInterval{range.start, "\xFF", true}
                                               : filter::ByteInterval{range.start, range.stop});
  }
  return row;
}

// The bytes before the row in all entries that match `box`, if each of its fields has one value.
std::optional<std::string> FieldBytesOf(const filter::RowBox& box) {
  std::string bytes;
  for (const filter::RowSegment& segment : box.segments) {
    if (segment.intervals.size() != 1 || !IsPoint(segment.intervals.front())) {
      return std::nullopt;
    }
    bytes += segment.intervals.front().low;
    if (segment.kind == filter::RowSegment::Kind::kDelimited) {
      bytes += segment.delimiter;
    }
  }
  return bytes;
}

// The range of entries that begin with these bytes, and whose rows are in the range.
RowRange EntriesIn(const std::string& fields, RowRange rows) {
  rows.include_start = rows.include_start || rows.start.empty();
  rows.include_stop = rows.include_stop && !rows.stop.empty();
  rows.start = fields + rows.start;
  rows.stop = rows.stop.empty() ? PrefixSuccessor(fields) : fields + rows.stop;
  return rows;
}

// TUNING: with more, finding the next one costs more than reading the entries in between
constexpr size_t kMostBoxes = 256;

// The entries that match `box`, which covers the fields, and whose rows are in the scan's range and in `rows`. If the fields
// have one value each, these entries lie between two keys, so that a plan knows their number.
std::vector<filter::RowBox> WithRows(const filter::RowBox& box, const Scan& scan, const filter::RowSet* rows) {
  std::vector<filter::RowBox> out;
  const std::optional<std::string> fields = FieldBytesOf(box);
  const bool all = rows == nullptr || rows->boxes().size() > kMostBoxes;
  for (const filter::RowBox& of_rows : all ? std::vector<filter::RowBox>(1) : rows->boxes()) {
    filter::RowBox& one = out.emplace_back(box);
    RowRange whole = RangeOf(scan);
    if (!of_rows.ranges.empty()) {
      whole = of_rows.ranges.front();
      whole.stop = of_rows.ranges.back().stop;
      whole.include_stop = of_rows.ranges.back().include_stop;
    }
    if (fields.has_value() && !IsOpen(whole)) {
      one.ranges = {EntriesIn(*fields, whole)};
    }
    if (all || of_rows.segments.empty()) {
      one.segments.push_back(RowsIn(one.ranges.empty() ? whole : RowRange()));
    } else {
      std::ranges::copy(of_rows.segments, std::back_inserter(one.segments));
      one.min_row_bytes += std::max<size_t>(1, of_rows.min_row_bytes) - 1;  // no row is empty
    }
  }
  return out;
}

// A box for each combination of the fields' values. Empty: there are too many.
std::vector<filter::RowBox> RunsOf(const filter::RowBox& box) {
  constexpr size_t kMostRuns = 16;  // TUNING: each is opened, and read up to the limit
  std::vector<filter::RowBox> runs = {box};
  for (size_t i = 0; i < box.segments.size(); ++i) {
    std::vector<filter::RowBox> longer;
    for (const filter::RowBox& run : runs) {
      for (const filter::ByteInterval& value : box.segments[i].intervals) {
        longer.emplace_back(run).segments[i].intervals = {value};
      }
    }
    if (longer.size() > kMostRuns) {
      return {};
    }
    runs = std::move(longer);
  }
  return runs;
}

}  // namespace

std::vector<ColumnCondition> StoredConditionsOf(const Scan& scan) {
  if (scan.filter == nullptr || scan.raw || scan.row_offset_per_family != 0) {
    return {};
  }
  const bool of_all_times = scan.time_range == TimeRange() && scan.family_time_ranges.empty();
  ConditionVisitor visitor(of_all_times ? OfVersions::kNewest : OfVersions::kNewestInRange);
  scan.filter->Accept(&visitor);
  return visitor.usable() ? visitor.Take() : std::vector<ColumnCondition>();
}

std::vector<ColumnCondition> ColumnConditionsOf(const Scan& scan) {
  std::vector<ColumnCondition> conditions = StoredConditionsOf(scan);
  std::erase_if(conditions, IsOfOlder);
  return conditions;
}

std::optional<ColumnTest> OnlySingleColumns(const Scan& scan) {
  ConditionVisitor visitor(OfVersions::kNewest);
  scan.filter->Accept(&visitor);
  return visitor.only_single_columns() ? std::optional(visitor.TakeTest()) : std::nullopt;
}

FieldSet KeyBytesOf(const IndexPart& part, const ColumnCondition& condition) {
  Intervals all;
  for (const filter::ByteInterval& values : condition.values) {
    FieldSet one = SetOf(part, values, condition.function);
    if (!one.has_value()) {
      return std::nullopt;
    }
    std::ranges::move(*one, std::back_inserter(all));
  }
  return Unite(std::move(all));
}

EntrySet EntriesFor(const IndexDefinition& index, const std::vector<ColumnCondition>& all, const Scan& scan,
                    const filter::RowSet* rows, bool only_entries) {
  const auto cannot = [](std::string why) { return EntrySet{.entries = nullptr, .why_not = std::move(why)}; };
  std::vector<ColumnCondition> conditions = all;
  if (!index.descriptor.history && std::erase_if(conditions, IsOfOlder) > 0 && conditions.empty()) {
    return cannot("the scan sees older versions, of which only an index with HISTORY has entries");
  }
  if (std::string why = only_entries ? std::string() : WhyMissing(index, conditions); !why.empty()) {
    return cannot(std::move(why));
  }
  EntrySet out;
  bool values = true;  // each field has values, not ranges
  filter::RowBox box;
  box.min_row_bytes = 1;
  bool leading = true;
  for (const IndexPart& part : index.parts) {
    const std::optional<FieldSet> set =
        part.column.has_value() ? SetOf(index, part, conditions) : KeyPartSet(index, part, rows);
    if (!set.has_value() && !only_entries && !part.presence.has_value()) {
      return cannot("no condition on " + index.LabelOf(*part.column) +
                    (index.parts.size() > 1 ? ", which is not optional" : ""));
    }
    AddSegments(part, set, &box);
    const FieldSet asked = set.value_or(std::nullopt);
    if (asked.has_value() && asked->empty()) {
      return index.descriptor.skip_invalid && !only_entries
                 ? cannot("no value of the condition is of the type of its fields, and it skips other values")
                 : EntrySet{.entries = filter::RowSet::None(), .fields = 1, .why_not = ""};
    }
    leading = leading && asked.has_value();
    out.fields += leading ? 1 : 0;
    if (asked.has_value() && part.column.has_value()) {
      out.columns.push_back(index.columns[*part.column].Name());
    }
    values = values && asked.has_value() && AllPoints(*asked);
  }
  const bool has_column =
      std::ranges::any_of(index.parts, [](const IndexPart& part) { return part.column.has_value(); });
  if (out.fields == 0 && out.columns.empty() && !only_entries && has_column) {
    return cannot("none of its fields has a condition that its order supports");
  }
  out.with_skipped = index.descriptor.skip_invalid && std::ranges::any_of(index.parts, [&](const IndexPart& part) {
                       return !part.column.has_value() || !OnlyValid(index, part, conditions);
                     });
  values = values && !out.with_skipped;
  out.with_skipped = out.with_skipped || std::ranges::any_of(conditions, IsOfOlder);
  std::vector<filter::RowBox> boxes;
  for (const filter::RowBox& run : values ? RunsOf(box) : std::vector<filter::RowBox>()) {
    const std::vector<filter::RowBox> of_run = WithRows(run, scan, rows);
    out.runs.push_back(filter::RowSet::FromBoxes(of_run));
    std::ranges::copy(of_run, std::back_inserter(boxes));
  }
  // Several runs are one box, unless each has a range of its own.
  const bool ranges = std::ranges::any_of(boxes, [](const filter::RowBox& one) { return !one.ranges.empty(); });
  out.entries = filter::RowSet::FromBoxes(
      out.runs.size() == 1 || (ranges && boxes.size() <= kMostBoxes) ? std::move(boxes) : WithRows(box, scan, rows));
  return out;
}

}  // namespace klip::rowkey
