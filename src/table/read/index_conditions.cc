#include "table/read/index_conditions.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "filter/common/visitors.h"
#include "klip/bytes.h"
#include "rowkey/field_set.h"
#include "rowkey/key_codec.h"
#include "rowkey/scan_planner.h"

namespace klip::table {
namespace {

// Collects conditions, and whether every member is one that may be asked of fewer rows, and hides no newest version from others.
class ConditionVisitor final : public filter::FilterVisitor {
 public:
  bool usable() const { return usable_; }
  bool only_single_columns() const { return usable_ && only_single_columns_; }
  std::vector<SingleColumnValue>& single_columns() { return single_columns_; }
  std::vector<ColumnCondition> Take() { return std::move(conditions_); }

  void FuzzyRow(const std::vector<FuzzyKey>&) override { only_single_columns_ = false; }
  void MultiRowRange(const std::vector<klip::RowRange>&) override { only_single_columns_ = false; }
  void Prefix(const std::string&) override { only_single_columns_ = false; }
  void InclusiveStop(const std::string&) override { only_single_columns_ = false; }
  void Compare(const Filter& filter, CompareOp, const Comparator&) override {
    usable_ = usable_ && filter.name() == "RowFilter";
    only_single_columns_ = false;
  }
  void List(ListOperator op, const std::vector<FilterPtr>& filters) override {
    usable_ = usable_ && op == ListOperator::kMustPassAll;
    for (size_t i = 0; usable_ && i < filters.size(); ++i) {
      filters[i]->Accept(this);
    }
  }
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
  void Custom(const Filter&) override { usable_ = false; }

 private:
  std::vector<ColumnCondition> conditions_;
  std::vector<SingleColumnValue> single_columns_;
  bool usable_ = true;
  bool only_single_columns_ = true;
};

void ConditionVisitor::SingleColumn(const SingleColumnValue& condition, bool exclude) {
  ColumnCondition column = {.family = condition.family, .qualifier = condition.qualifier, .low = "", .high = ""};
  const std::string* const bytes = condition.comparator->OrderedBytes();
  const std::string* const prefix = condition.comparator->PrefixBytes();
  only_single_columns_ = only_single_columns_ && !exclude && (bytes != nullptr || prefix != nullptr);
  single_columns_.push_back(condition);
  if (!condition.filter_if_missing || !condition.latest_version_only) {
    return;
  }
  const CompareOp op = condition.op;
  if (prefix != nullptr && op == CompareOp::kEqual) {
    column.low = *prefix;
    column.is_prefix = true;
  } else if (bytes != nullptr && op == CompareOp::kEqual) {
    column.low = column.high = *bytes;
    column.has_high = true;
  } else if (bytes != nullptr && (op == CompareOp::kGreater || op == CompareOp::kGreaterOrEqual)) {
    column.low = *bytes;
  } else if (bytes != nullptr && (op == CompareOp::kLess || op == CompareOp::kLessOrEqual)) {
    column.high = *bytes;
    column.has_high = true;
  } else {
    return;
  }
  conditions_.push_back(std::move(column));
}

std::string CutTo(std::string bytes, size_t width, char fill) {
  bytes.resize(width, fill);
  return bytes;
}

// Types of which the key's order is that of the stored bytes.
bool KeepsOrder(const KeyField& field) {
  return field.type != KeyFieldType::kSigned && !(field.type == KeyFieldType::kText && field.width_bytes > 0);
}

// Key bytes of the part that a condition on its column allows; perhaps more.
rowkey::FieldSet SetOf(const rowkey::IndexPart& part, const ColumnCondition& condition) {
  const KeyField& field = part.field;
  filter::ByteInterval interval;
  if (condition.is_equal()) {
    // A stored value is one of the type: another is nowhere.
    const bool valid = rowkey::AppendStoredValue(part, condition.low, &interval.low).ok();
    interval.high = interval.low;
    return valid ? rowkey::Intervals{interval} : rowkey::Intervals();
  }
  if (!KeepsOrder(field)) {
    return std::nullopt;
  }
  const std::string& high = condition.is_prefix ? condition.low : condition.high;
  if (field.width_bytes > 0) {
    const auto width = static_cast<size_t>(field.width_bytes);
    interval = {CutTo(condition.low, width, '\0'), CutTo(high, width, '\xFF')};
    if (rowkey::SortsBackwards(field)) {
      std::swap(interval.low, interval.high);
      rowkey::Flip(field, &interval.low);
      rowkey::Flip(field, &interval.high);
    }
    return rowkey::Intervals{interval};
  }
  // No value holds the delimiter, which is below all other bytes.
  interval.low = condition.low.substr(0, condition.low.find(*field.delimiter));
  interval.high = high.substr(0, high.find(*field.delimiter));
  interval.high_is_prefix = condition.is_prefix;
  if (interval.high.empty() && (condition.is_prefix || !condition.has_high)) {
    interval.high = '\xFF';  // to the end
    interval.high_is_prefix = true;
  }
  return rowkey::Intervals{interval};
}

filter::RowSegment SegmentOf(const KeyField& field) {
  filter::RowSegment segment;
  segment.kind = field.width_bytes > 0 ? filter::RowSegment::Kind::kFixed : filter::RowSegment::Kind::kDelimited;
  segment.width_bytes = field.width_bytes;
  segment.delimiter = field.delimiter.value_or(0);
  return segment;
}

bool Implies(const std::vector<ColumnCondition>& conditions, const rowkey::IndexColumn& column,
             std::string_view value) {
  return std::ranges::any_of(conditions, [&](const ColumnCondition& one) {
    return one.family == column.family && one.qualifier == column.qualifier && one.is_equal() && one.low == value;
  });
}

// What all conditions on the part's column allow; nullopt: there are none.
std::optional<rowkey::FieldSet> SetOf(const TableIndex& index, const rowkey::IndexPart& part,
                                      const std::vector<ColumnCondition>& conditions) {
  std::optional<rowkey::FieldSet> set;
  for (const ColumnCondition& condition : conditions) {
    if (index.definition.ColumnIndex(condition.family, condition.qualifier) == part.column) {
      rowkey::FieldSet of_one = SetOf(part, condition);
      set = set.has_value() ? rowkey::Intersect(*set, of_one) : std::move(of_one);
    }
  }
  return set;
}

bool IsOneValue(const rowkey::FieldSet& set) {
  return set.has_value() && set->size() == 1 && set->front().low == set->front().high && !set->front().high_is_prefix;
}

}  // namespace

std::vector<ColumnCondition> ConditionsOf(const Scan& scan) {
  if (scan.filter == nullptr || scan.raw || scan.time_range != TimeRange() || !scan.family_time_ranges.empty() ||
      scan.row_offset_per_family != 0) {
    return {};
  }
  ConditionVisitor visitor;
  scan.filter->Accept(&visitor);
  return visitor.usable() ? visitor.Take() : std::vector<ColumnCondition>();
}

std::optional<std::vector<SingleColumnValue>> OnlySingleColumns(const Scan& scan) {
  ConditionVisitor visitor;
  scan.filter->Accept(&visitor);
  return visitor.only_single_columns() ? std::optional(std::move(visitor.single_columns())) : std::nullopt;
}

EntrySet EntriesFor(const TableIndex& index, const std::vector<ColumnCondition>& conditions, const Scan& scan) {
  const auto cannot = [](std::string why) { return EntrySet{.entries = nullptr, .why_not = std::move(why)}; };
  if (index.building) {
    return cannot("it is being built");
  }
  const std::vector<rowkey::IndexColumn>& columns = index.definition.columns;
  for (const rowkey::IndexDefinition::Equal& equal : index.definition.where) {
    if (!Implies(conditions, columns[equal.column], equal.value)) {
      return cannot("its rows have " + columns[equal.column].Name() + " = '" + ToStringBinary(equal.value) +
                    "', the scan's need not");
    }
  }
  EntrySet out = {.in_row_order = true};
  filter::RowBox box;
  box.min_row_bytes = 1;
  bool leading = true;
  for (const rowkey::IndexPart& part : index.definition.parts) {
    filter::RowSegment& segment = box.segments.emplace_back(SegmentOf(part.field));
    box.min_row_bytes += static_cast<size_t>(part.field.width_bytes) + (part.field.delimiter.has_value() ? 1 : 0);
    if (!part.column.has_value()) {
      out.in_row_order = leading = false;
      continue;
    }
    const std::optional<rowkey::FieldSet> set = SetOf(index, part, conditions);
    if (!set.has_value()) {
      // A row without the column has no entry, but may pass.
      return cannot("there is no condition on " + columns[*part.column].Name());
    }
    leading = leading && set->has_value();
    out.fields += leading ? 1 : 0;
    if (set->has_value()) {
      if ((*set)->empty()) {
        return {.entries = filter::RowSet::None(), .fields = 1, .why_not = ""};
      }
      segment.intervals = **set;
    }
    out.in_row_order = out.in_row_order && IsOneValue(*set);
  }
  if (out.fields == 0) {
    return cannot("its first field has no condition that its order can tell");
  }
  filter::RowSegment& row = box.segments.emplace_back();
  row.kind = filter::RowSegment::Kind::kRest;
  if (const RowRange range = rowkey::RangeOf(scan); !range.start.empty() || !range.stop.empty()) {
    row.intervals.push_back(range.stop.empty() ? filter::ByteInterval{range.start, "\xFF", true}
                                               : filter::ByteInterval{range.start, range.stop});
  }
  out.entries = filter::RowSet::FromBoxes({std::move(box)});
  return out;
}

}  // namespace klip::table
