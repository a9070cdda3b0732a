#include "rowkey/column_filter.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "filter/comparators/case_comparator.h"
#include "klip/bytes.h"
#include "klip/filter.h"
#include "rowkey/key_codec.h"
#include "rowkey/key_estimate.h"
#include "rowkey/query_names.h"

namespace klip::rowkey {
namespace {

using filter::ByteInterval;
using filter::RowSet;
using Columns = std::vector<ColumnMatch>;

// Equal to the rows of a set, and above all others: for a RowFilter that is a member of a list.
class RowSetComparator final : public Comparator {
 public:
  explicit RowSetComparator(std::shared_ptr<const RowSet> rows, std::string text)
      : rows_(std::move(rows)), text_(std::move(text)) {}

  int CompareTo(std::string_view bytes) const override { return rows_->Contains(bytes) ? 0 : 1; }
  std::string ToString() const override { return "where:" + text_; }

 private:
  const std::shared_ptr<const RowSet> rows_;
  const std::string text_;
};

// Makes the filters of a scan.
class FilterMaker {
 public:
  explicit FilterMaker(const Scan& scan) : scan_(scan) {}

  // All of the conditions; null: there are none.
  Expected<FilterPtr> All(const Columns& columns);
  std::vector<ColumnSpec> added() const { return added_; }

 private:
  Expected<FilterPtr> One(const ColumnMatch& column);
  FilterPtr Within(const ColumnMatch& column, const ByteInterval& interval, bool fixed_width);
  FilterPtr Single(const ColumnMatch& column, CompareOp op, ComparatorPtr comparator, bool if_missing = true);
  // Adds the column to those that the scan reads. True: remove it from the results.
  bool MustAdd(const ColumnMatch& column);

  const Scan& scan_;
  std::vector<ColumnSpec> added_;
};

FilterPtr ListOf(ListOperator op, std::vector<FilterPtr> filters) {
  return filters.size() == 1 ? std::move(filters.front()) : FilterList(op, std::move(filters));
}

bool FilterMaker::MustAdd(const ColumnMatch& column) {
  const auto is_read = [&](const ColumnSpec& spec) {
    return spec.family == column.family && (!spec.qualifier.has_value() || *spec.qualifier == column.qualifier);
  };
  if (scan_.columns.empty() || std::ranges::any_of(scan_.columns, is_read)) {
    return false;
  }
  if (std::ranges::none_of(added_, is_read)) {
    added_.push_back({column.family, column.qualifier});
  }
  return true;
}

FilterPtr FilterMaker::Single(const ColumnMatch& column, CompareOp op, ComparatorPtr comparator, bool if_missing) {
  if (const auto letter_case = CaseOfType(column.type); letter_case.has_value()) {
    comparator = std::make_shared<filter::CaseComparator>(*letter_case, std::move(comparator));
  }
  SingleColumnValue condition = {.family = column.family,
                                 .qualifier = column.qualifier,
                                 .op = op,
                                 .comparator = std::move(comparator),
                                 .filter_if_missing = if_missing};
  return MustAdd(column) ? SingleColumnValueExcludeFilter(std::move(condition))
                         : SingleColumnValueFilter(std::move(condition));
}

FilterPtr FilterMaker::Within(const ColumnMatch& column, const ByteInterval& interval, bool fixed_width) {
  const auto is_all = [](std::string_view bytes, char c) {
    return bytes.find_first_not_of(c) == std::string_view::npos;
  };
  if (interval.low == interval.high) {
    return Single(column, CompareOp::kEqual,
                  interval.high_is_prefix ? BinaryPrefixComparator(interval.low) : BinaryComparator(interval.low));
  }
  std::vector<FilterPtr> bounds;
  if (fixed_width ? !is_all(interval.low, '\0') : !interval.low.empty()) {
    bounds.push_back(Single(column, CompareOp::kGreaterOrEqual, BinaryComparator(interval.low)));
  }
  if (!is_all(interval.high, '\xff')) {
    bounds.push_back(interval.high_is_prefix
                         ? Single(column, CompareOp::kLess, BinaryComparator(PrefixSuccessor(interval.high)))
                         : Single(column, CompareOp::kLessOrEqual, BinaryComparator(interval.high)));
  } else if (!fixed_width && !interval.high_is_prefix) {
    bounds.push_back(Single(column, CompareOp::kLessOrEqual, BinaryComparator(interval.high)));
  }
  if (bounds.empty()) {
    return Single(column, CompareOp::kGreaterOrEqual, BinaryComparator(""));
  }
  return ListOf(ListOperator::kMustPassAll, std::move(bounds));
}

Expected<FilterPtr> FilterMaker::One(const ColumnMatch& column) {
  if (column.missing) {  // no value is below the empty one
    return Single(column, CompareOp::kLess, BinaryComparator(""), /*if_missing=*/false);
  }
  KLIP_ASSIGN_OR_RETURN(const FieldSet set, StoredSetOf(column));
  KLIP_ASSIGN_OR_RETURN(const KeyField field, ColumnField(column));
  if (!set.has_value()) {
    return Single(column, CompareOp::kGreaterOrEqual, BinaryComparator(""));
  }
  if (set->empty()) {
    return Single(column, CompareOp::kLess, BinaryComparator(""));
  }
  std::vector<FilterPtr> any;
  for (const ByteInterval& interval : *set) {
    any.push_back(Within(column, interval, field.width_bytes > 0));
  }
  return ListOf(ListOperator::kMustPassOne, std::move(any));
}

Expected<FilterPtr> FilterMaker::All(const Columns& columns) {
  std::vector<FilterPtr> all;
  for (const ColumnMatch& column : columns) {
    KLIP_ASSIGN_OR_RETURN(FilterPtr one, One(column));
    all.push_back(std::move(one));
  }
  return all.empty() ? FilterPtr() : ListOf(ListOperator::kMustPassAll, std::move(all));
}

// Alternatives with the same conditions on columns.
struct Group {
  Columns columns;
  KeyQuery keys;
};

std::vector<Group> GroupsOf(const KeyQuery& query) {
  std::vector<Group> groups;
  for (const KeyBox& box : query.any_of) {
    const auto same = std::ranges::find(groups, box.columns, &Group::columns);
    Group& group = same != groups.end() ? *same : groups.emplace_back(Group{.columns = box.columns, .keys = {}});
    group.keys.any_of.push_back({.fields = box.fields});
  }
  return groups;
}

Expected<FilterPtr> MixedFilter(const std::vector<Group>& groups, const RowKeySchema& schema, FilterMaker* maker) {
  std::vector<FilterPtr> any;
  for (const Group& group : groups) {
    KLIP_ASSIGN_OR_RETURN(FilterPtr columns, maker->All(group.columns));
    KLIP_ASSIGN_OR_RETURN(auto rows, schema.Compile(group.keys));
    std::vector<FilterPtr> all;
    all.push_back(
        RowFilter(CompareOp::kEqual, std::make_shared<RowSetComparator>(std::move(rows), group.keys.ToString())));
    if (columns != nullptr) {
      all.push_back(std::move(columns));
    }
    any.push_back(ListOf(ListOperator::kMustPassAll, std::move(all)));
  }
  return ListOf(ListOperator::kMustPassOne, std::move(any));
}

Status CheckTakesConditions(const Scan& scan) {
  const char* const what = scan.raw                           ? "a raw scan"
                           : scan.batch > 0                   ? "a scan with batch"
                           : scan.max_results_per_family >= 0 ? "a scan with max_results_per_family"
                           : scan.row_offset_per_family > 0   ? "a scan with row_offset_per_family"
                                                              : nullptr;
  return what == nullptr
             ? Status::Ok()
             : Status(Code::kInvalidArgument, std::string(what) + " does not support conditions on columns");
}

bool AsksCase(const KeyQuery& query) {
  return std::ranges::any_of(query.any_of, [](const KeyBox& box) {
    return std::ranges::any_of(
        box.columns, [](const ColumnMatch& column) { return !column.missing && CaseOfType(column.type).has_value(); });
  });
}

}  // namespace

bool AsksColumns(const KeyQuery& query) {
  return std::ranges::any_of(query.any_of, [](const KeyBox& box) { return !box.columns.empty(); });
}

void AskForKeysOnly(Scan* scan) {
  const bool asks_columns = scan->where.has_value() && AsksColumns(*scan->where);
  if (!asks_columns && scan->filter == nullptr && !scan->raw && scan->max_results_per_family < 0 &&
      scan->row_offset_per_family == 0) {
    scan->filter = FilterList(ListOperator::kMustPassAll, {FirstKeyOnlyFilter(), KeyOnlyFilter()});
  }
}

std::optional<KeyQuery> KeysOf(const KeyQuery& query) {
  KeyQuery keys;
  for (const KeyBox& box : query.any_of) {
    if (box.fields.empty()) {
      return std::nullopt;
    }
    if (KeyBox one = {.fields = box.fields}; std::ranges::find(keys.any_of, one) == keys.any_of.end()) {
      keys.any_of.push_back(std::move(one));
    }
  }
  return keys;
}

Expected<FieldSet> StoredSetOf(const ColumnMatch& column) {
  KLIP_ASSIGN_OR_RETURN(const KeyField field, ColumnField(column));
  if (std::holds_alternative<ByteMask>(column.match)) {
    return FieldError(field, "byte masks (=~) do not work on columns");
  }
  KLIP_ASSIGN_OR_RETURN(FieldSet set, SetOf(field, column.match));
  return set.has_value() && field.type == KeyFieldType::kSigned ? FieldSet(WithSignFlipped(*set)) : std::move(set);
}

Expected<Scan> WithColumnFilter(const Scan& scan, const RowKeySchema* schema, bool mixed) {
  if (!scan.where.has_value() || !AsksColumns(*scan.where)) {
    return scan;
  }
  KLIP_RETURN_IF_ERROR(CheckTakesConditions(scan));
  if (!mixed && AsksCase(*scan.where)) {
    return Status(Code::kUnsupported, "upper() and lower() in conditions: no server of HBase has a filter for that");
  }
  const std::vector<Group> groups = GroupsOf(*scan.where);
  const bool same_keys =
      std::ranges::all_of(groups, [&](const Group& group) { return group.keys == groups.front().keys; });
  FilterMaker maker(scan);
  FilterPtr condition;
  if (same_keys) {
    std::vector<FilterPtr> any;
    for (const Group& group : groups) {
      KLIP_ASSIGN_OR_RETURN(FilterPtr one, maker.All(group.columns));
      any.push_back(std::move(one));
    }
    condition =
        std::ranges::find(any, nullptr) != any.end() ? nullptr : ListOf(ListOperator::kMustPassOne, std::move(any));
  } else if (schema == nullptr) {
    return Status(Code::kInvalidArgument, "the table has no row-key schema, so a query cannot name key fields");
  } else if (mixed) {
    KLIP_ASSIGN_OR_RETURN(condition, MixedFilter(groups, *schema, &maker));
  } else {
    return Status(
        Code::kUnsupported,
        "alternatives with different conditions on key fields and on columns: no server has a filter for that; "
        "run one scan for each, or read more rows and check them here");
  }
  Scan out = scan;
  out.where = KeysOf(*scan.where);
  if (condition != nullptr) {  // otherwise some alternative has no condition on columns
    const std::vector<ColumnSpec> added = maker.added();
    out.columns.insert(out.columns.end(), added.begin(), added.end());
    out.filter = scan.filter == nullptr ? std::move(condition)
                                        : FilterList(ListOperator::kMustPassAll, {std::move(condition), scan.filter});
  }
  return out;
}

void DescribeColumns(const KeyQuery& where, std::string_view use, Explain* explain) {
  if (where.any_of.size() != 1) {
    return;
  }
  for (const ColumnMatch& column : where.any_of.front().columns) {
    explain->fields.push_back({.name = ColumnText(column),
                               .condition = column.missing ? "missing" : ConditionText(column.match),
                               .use = std::string(use),
                               .distinct = 0});
  }
}

}  // namespace klip::rowkey
