#include "rest/filter_json.h"

#include <cstdlib>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/errors.h"
#include "base/json.h"
#include "rest/row_spec.h"

namespace klip::rest {
namespace {

using base::Invalid;
using base::Json;
using base::ScalarText;

// The member as text; empty if it is missing.
Expected<std::string> Text(const Json& object, const char* name) {
  auto found = object.find(name);
  return found == object.end() || found->is_null() ? std::string() : ScalarText(*found, name);
}

Expected<std::string> Bytes(const Json& object, const char* name) {
  KLIP_ASSIGN_OR_RETURN(const std::string text, Text(object, name));
  return FromBase64(text);
}

Expected<bool> Flag(const Json& object, const char* name, bool otherwise) {
  KLIP_ASSIGN_OR_RETURN(const std::string text, Text(object, name));
  return text.empty() ? otherwise : text == "true";
}

Expected<int64_t> Number(const Json& object, const char* name) {
  KLIP_ASSIGN_OR_RETURN(const std::string text, Text(object, name));
  return ParseNumber(text, name);
}

// A member that is a list; empty if it is missing.
Expected<std::span<const Json>> Elements(const Json& object, const char* name) {
  auto found = object.find(name);
  if (found == object.end() || found->is_null()) {
    return std::span<const Json>();
  }
  if (!found->is_array()) {
    return Invalid(std::string(name) + " is not a list");
  }
  return std::span<const Json>(found->get_ref<const Json::array_t&>());
}

Expected<CompareOp> OpOf(const Json& object) {
  constexpr std::pair<const char*, CompareOp> kOps[] = {
      {"LESS", CompareOp::kLess},       {"LESS_OR_EQUAL", CompareOp::kLessOrEqual},
      {"EQUAL", CompareOp::kEqual},     {"NOT_EQUAL", CompareOp::kNotEqual},
      {"GREATER", CompareOp::kGreater}, {"GREATER_OR_EQUAL", CompareOp::kGreaterOrEqual},
      {"NO_OP", CompareOp::kNoOp}};
  KLIP_ASSIGN_OR_RETURN(const std::string text, Text(object, "op"));
  for (const auto& [name, op] : kOps) {
    if (text == name) {
      return op;
    }
  }
  return Invalid("unknown op of a filter: '" + text.substr(0, 80) + "'");
}

Expected<ComparatorPtr> ComparatorOf(const Json& filter) {
  auto found = filter.find("comparator");
  if (found == filter.end() || !found->is_object()) {
    return Invalid("a filter needs a comparator");
  }
  KLIP_ASSIGN_OR_RETURN(const std::string type, Text(*found, "type"));
  KLIP_ASSIGN_OR_RETURN(const std::string value, Text(*found, "value"));
  if (type == "RegexStringComparator") {
    return RegexStringComparator({.pattern = value});
  }
  if (type == "SubstringComparator") {
    return SubstringComparator(value);
  }
  if (type == "NullComparator") {
    return NullComparator();
  }
  KLIP_ASSIGN_OR_RETURN(std::string bytes, FromBase64(value));
  if (type == "BinaryComparator") {
    return BinaryComparator(std::move(bytes));
  }
  if (type == "BinaryPrefixComparator") {
    return BinaryPrefixComparator(std::move(bytes));
  }
  if (type == "BitComparator") {
    KLIP_ASSIGN_OR_RETURN(const std::string op, Text(*found, "op"));
    if (op != "AND" && op != "OR" && op != "XOR") {
      return Invalid("unknown op of a BitComparator: '" + op.substr(0, 80) + "'");
    }
    return BitComparator(std::move(bytes), op == "AND"  ? BitwiseOp::kAnd
                                           : op == "OR" ? BitwiseOp::kOr
                                                        : BitwiseOp::kXor);
  }
  return Invalid("unknown type of comparator: '" + type.substr(0, 80) + "'");
}

Expected<FilterPtr> FilterOf(const Json& filter, int depth);

Expected<FilterPtr> ListOf(const Json& filter, int depth) {
  std::vector<FilterPtr> members;
  auto found = filter.find("filters");
  if (found == filter.end() || !found->is_array()) {
    return Invalid("a FilterList needs filters");
  }
  for (const Json& member : *found) {
    KLIP_ASSIGN_OR_RETURN(FilterPtr one, FilterOf(member, depth + 1));
    members.push_back(std::move(one));
  }
  KLIP_ASSIGN_OR_RETURN(const std::string op, Text(filter, "op"));
  if (op != "MUST_PASS_ALL" && op != "MUST_PASS_ONE") {
    return Invalid("unknown op of a FilterList: '" + op.substr(0, 80) + "'");
  }
  return FilterList(op == "MUST_PASS_ALL" ? ListOperator::kMustPassAll : ListOperator::kMustPassOne,
                    std::move(members));
}

Expected<FilterPtr> OnColumnValue(const Json& filter, bool exclude) {
  SingleColumnValue condition;
  KLIP_ASSIGN_OR_RETURN(condition.family, Bytes(filter, "family"));
  KLIP_ASSIGN_OR_RETURN(condition.qualifier, Bytes(filter, "qualifier"));
  KLIP_ASSIGN_OR_RETURN(condition.op, OpOf(filter));
  KLIP_ASSIGN_OR_RETURN(condition.comparator, ComparatorOf(filter));
  KLIP_ASSIGN_OR_RETURN(condition.filter_if_missing, Flag(filter, "ifMissing", false));
  KLIP_ASSIGN_OR_RETURN(condition.latest_version_only, Flag(filter, "latestVersion", true));
  return exclude ? SingleColumnValueExcludeFilter(std::move(condition)) : SingleColumnValueFilter(std::move(condition));
}

Expected<FilterPtr> Comparing(const std::string& type, const Json& filter) {
  KLIP_ASSIGN_OR_RETURN(CompareOp op, OpOf(filter));
  KLIP_ASSIGN_OR_RETURN(ComparatorPtr comparator, ComparatorOf(filter));
  if (type == "RowFilter") {
    return RowFilter(op, std::move(comparator));
  }
  if (type == "FamilyFilter") {
    return FamilyFilter(op, std::move(comparator));
  }
  if (type == "QualifierFilter") {
    return QualifierFilter(op, std::move(comparator));
  }
  return ValueFilter(op, std::move(comparator));
}

Expected<FilterPtr> Dependent(const Json& filter) {
  DependentColumn condition;
  KLIP_ASSIGN_OR_RETURN(condition.drop_column, Flag(filter, "dropDependentColumn", false));
  KLIP_ASSIGN_OR_RETURN(condition.family, Bytes(filter, "family"));
  KLIP_ASSIGN_OR_RETURN(condition.qualifier, Bytes(filter, "qualifier"));
  KLIP_ASSIGN_OR_RETURN(condition.op, OpOf(filter));
  KLIP_ASSIGN_OR_RETURN(condition.comparator, ComparatorOf(filter));
  return DependentColumnFilter(std::move(condition));
}

Expected<FilterPtr> Columns(const Json& filter) {
  ColumnRange range;
  KLIP_ASSIGN_OR_RETURN(range.include_min, Flag(filter, "minColumnInclusive", true));
  KLIP_ASSIGN_OR_RETURN(range.include_max, Flag(filter, "maxColumnInclusive", false));
  if (filter.contains("minColumn")) {
    KLIP_ASSIGN_OR_RETURN(range.min, Bytes(filter, "minColumn"));
  }
  if (filter.contains("maxColumn")) {
    KLIP_ASSIGN_OR_RETURN(range.max, Bytes(filter, "maxColumn"));
  }
  return ColumnRangeFilter(std::move(range));
}

Expected<FilterPtr> Prefixes(const Json& filter) {
  std::vector<std::string> prefixes;
  KLIP_ASSIGN_OR_RETURN(const std::span<const Json> list, Elements(filter, "prefixes"));
  for (const Json& one : list) {
    KLIP_ASSIGN_OR_RETURN(const std::string text, ScalarText(one, "prefixes"));
    KLIP_ASSIGN_OR_RETURN(std::string prefix, FromBase64(text));
    prefixes.push_back(std::move(prefix));
  }
  return MultipleColumnPrefixFilter(std::move(prefixes));
}

Expected<FilterPtr> Ranges(const Json& filter) {
  std::vector<RowRange> ranges;
  KLIP_ASSIGN_OR_RETURN(const std::span<const Json> list, Elements(filter, "ranges"));
  for (const Json& one : list) {
    if (!one.is_object()) {
      return Invalid("a range is not an object");
    }
    RowRange range;
    KLIP_ASSIGN_OR_RETURN(range.include_start, Flag(one, "startRowInclusive", true));
    KLIP_ASSIGN_OR_RETURN(range.include_stop, Flag(one, "stopRowInclusive", false));
    KLIP_ASSIGN_OR_RETURN(range.start, Bytes(one, "startRow"));
    KLIP_ASSIGN_OR_RETURN(range.stop, Bytes(one, "stopRow"));
    ranges.push_back(std::move(range));
  }
  return MultiRowRangeFilter(std::move(ranges));
}

Expected<FilterPtr> FuzzyRows(const Json& filter) {
  std::vector<FuzzyKey> keys;
  KLIP_ASSIGN_OR_RETURN(const std::span<const Json> list, Elements(filter, "fuzzyKeys"));
  for (const Json& one : list) {
    if (!one.is_object()) {
      return Invalid("a fuzzy key is not an object");
    }
    FuzzyKey key;
    KLIP_ASSIGN_OR_RETURN(key.key, Bytes(one, "key"));
    KLIP_ASSIGN_OR_RETURN(key.mask, Bytes(one, "mask"));
    keys.push_back(std::move(key));
  }
  return FuzzyRowFilter(std::move(keys));
}

Expected<FilterPtr> Timestamps(const Json& filter) {
  std::vector<int64_t> timestamps_ms;
  KLIP_ASSIGN_OR_RETURN(const std::span<const Json> list, Elements(filter, "timestamps"));
  for (const Json& one : list) {
    KLIP_ASSIGN_OR_RETURN(const std::string text, ScalarText(one, "timestamps"));
    KLIP_ASSIGN_OR_RETURN(int64_t timestamp_ms, ParseNumber(text, "timestamps"));
    timestamps_ms.push_back(timestamp_ms);
  }
  return TimestampsFilter(std::move(timestamps_ms));
}

Expected<FilterPtr> RandomRows(const Json& filter) {
  auto chance = filter.find("chance");
  if (chance == filter.end() || !base::IsNumber(*chance)) {
    return Invalid("a RandomRowFilter needs a chance");
  }
  KLIP_ASSIGN_OR_RETURN(const std::string text, ScalarText(*chance, "chance"));
  return RandomRowFilter(std::strtof(text.c_str(), nullptr));
}

// Filters with their own members, by type.
constexpr std::pair<std::string_view, Expected<FilterPtr> (*)(const Json&)> kReaders[] = {
    {"ColumnRangeFilter", Columns},   {"DependentColumnFilter", Dependent}, {"FuzzyRowFilter", FuzzyRows},
    {"MultiRowRangeFilter", Ranges},  {"RandomRowFilter", RandomRows},      {"MultipleColumnPrefixFilter", Prefixes},
    {"TimestampsFilter", Timestamps},
};

Expected<FilterPtr> FilterOf(const Json& filter, int depth) {
  if (!filter.is_object()) {
    return Invalid("a filter is not a JSON object");
  }
  if (depth > kMaxFilterDepth) {
    return Invalid("filters are nested too deep");
  }
  KLIP_ASSIGN_OR_RETURN(const std::string type, Text(filter, "type"));
  if (type == "FilterList") {
    return ListOf(filter, depth);
  }
  if (type == "SingleColumnValueFilter" || type == "SingleColumnValueExcludeFilter") {
    return OnColumnValue(filter, type == "SingleColumnValueExcludeFilter");
  }
  if (type == "RowFilter" || type == "FamilyFilter" || type == "QualifierFilter" || type == "ValueFilter") {
    return Comparing(type, filter);
  }
  if (type == "FirstKeyOnlyFilter") {
    return FirstKeyOnlyFilter();
  }
  if (type == "KeyOnlyFilter") {
    return KeyOnlyFilter();
  }
  if (type == "SkipFilter" || type == "WhileMatchFilter") {
    auto inner = filter.find("filters");
    if (inner == filter.end() || !inner->is_array() || inner->size() != 1) {
      return Invalid("a " + type + " holds one filter");
    }
    KLIP_ASSIGN_OR_RETURN(FilterPtr one, FilterOf((*inner)[0], depth + 1));
    return type == "SkipFilter" ? SkipFilter(std::move(one)) : WhileMatchFilter(std::move(one));
  }
  if (type == "PageFilter") {
    KLIP_ASSIGN_OR_RETURN(int64_t rows, Number(filter, "value"));
    return PageFilter(rows);
  }
  if (type == "ColumnPaginationFilter") {
    KLIP_ASSIGN_OR_RETURN(int64_t limit, Number(filter, "limit"));
    KLIP_ASSIGN_OR_RETURN(int64_t offset, Number(filter, "offset"));
    if (limit > INT32_MAX || offset > INT32_MAX) {
      return Invalid("a ColumnPaginationFilter's numbers are out of range");
    }
    return ColumnPaginationFilter(static_cast<int32_t>(limit), static_cast<int32_t>(offset));
  }
  if (type == "ColumnCountGetFilter") {
    KLIP_ASSIGN_OR_RETURN(int64_t limit, Number(filter, "limit"));
    if (limit > INT32_MAX) {
      return Invalid("a ColumnCountGetFilter's limit is out of range");
    }
    return ColumnCountGetFilter(static_cast<int32_t>(limit));
  }
  for (const auto& [name, read] : kReaders) {
    if (name == type) {
      return read(filter);
    }
  }
  KLIP_ASSIGN_OR_RETURN(std::string bytes, Bytes(filter, "value"));
  if (type == "PrefixFilter") {
    return PrefixFilter(std::move(bytes));
  }
  if (type == "ColumnPrefixFilter") {
    return ColumnPrefixFilter(std::move(bytes));
  }
  if (type == "InclusiveStopFilter") {
    return InclusiveStopFilter(std::move(bytes));
  }
  return Invalid("unknown type of filter: '" + type.substr(0, 80) + "'");
}

}  // namespace

Expected<FilterPtr> FilterFromJson(const std::string& text) {
  KLIP_ASSIGN_OR_RETURN(const Json parsed, base::ParseJson(text, "the filter"));
  return FilterOf(parsed, 0);
}

}  // namespace klip::rest
