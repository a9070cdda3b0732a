#include "rest/filter_json.h"

#include <nlohmann/json.hpp>

#include "rest/row_spec.h"

namespace klip::rest {
namespace {

using nlohmann::json;

Status Invalid(std::string message) { return Status(Code::kInvalidArgument, std::move(message)); }

// The member as text; numbers and booleans as they are written.
std::string Text(const json& object, const char* name) {
  auto found = object.find(name);
  return found == object.end() || found->is_null() ? ""
         : found->is_string()                      ? found->get<std::string>()
                                                   : found->dump();
}

bool Flag(const json& object, const char* name, bool otherwise) {
  std::string text = Text(object, name);
  return text.empty() ? otherwise : text == "true";
}

Expected<CompareOp> OpOf(const json& object) {
  constexpr std::pair<const char*, CompareOp> kOps[] = {
      {"LESS", CompareOp::kLess},       {"LESS_OR_EQUAL", CompareOp::kLessOrEqual},
      {"EQUAL", CompareOp::kEqual},     {"NOT_EQUAL", CompareOp::kNotEqual},
      {"GREATER", CompareOp::kGreater}, {"GREATER_OR_EQUAL", CompareOp::kGreaterOrEqual},
      {"NO_OP", CompareOp::kNoOp}};
  for (const auto& [name, op] : kOps) {
    if (Text(object, "op") == name) {
      return op;
    }
  }
  return Invalid("a filter has no op '" + Text(object, "op") + "'");
}

Expected<ComparatorPtr> ComparatorOf(const json& filter) {
  auto found = filter.find("comparator");
  if (found == filter.end() || !found->is_object()) {
    return Invalid("a filter without its comparator");
  }
  const std::string type = Text(*found, "type");
  const std::string value = Text(*found, "value");
  if (type == "RegexStringComparator") {
    return RegexStringComparator({.pattern = value});
  }
  if (type == "SubstringComparator") {
    return SubstringComparator(value);
  }
  KLIP_ASSIGN_OR_RETURN(std::string bytes, FromBase64(value));
  if (type == "BinaryComparator") {
    return BinaryComparator(std::move(bytes));
  }
  if (type == "BinaryPrefixComparator") {
    return BinaryPrefixComparator(std::move(bytes));
  }
  return Status(Code::kUnsupported, "comparators of the type '" + type + "'");
}

Expected<FilterPtr> FilterOf(const json& filter, int depth);

Expected<FilterPtr> ListOf(const json& filter, int depth) {
  std::vector<FilterPtr> members;
  auto found = filter.find("filters");
  if (found == filter.end() || !found->is_array()) {
    return Invalid("a FilterList without filters");
  }
  for (const json& member : *found) {
    KLIP_ASSIGN_OR_RETURN(FilterPtr one, FilterOf(member, depth + 1));
    members.push_back(std::move(one));
  }
  const std::string op = Text(filter, "op");
  if (op != "MUST_PASS_ALL" && op != "MUST_PASS_ONE") {
    return Invalid("a FilterList has no op '" + op + "'");
  }
  return FilterList(op == "MUST_PASS_ALL" ? ListOperator::kMustPassAll : ListOperator::kMustPassOne,
                    std::move(members));
}

Expected<FilterPtr> OnColumnValue(const json& filter, bool exclude) {
  SingleColumnValue condition;
  KLIP_ASSIGN_OR_RETURN(condition.family, FromBase64(Text(filter, "family")));
  KLIP_ASSIGN_OR_RETURN(condition.qualifier, FromBase64(Text(filter, "qualifier")));
  KLIP_ASSIGN_OR_RETURN(condition.op, OpOf(filter));
  KLIP_ASSIGN_OR_RETURN(condition.comparator, ComparatorOf(filter));
  condition.filter_if_missing = Flag(filter, "ifMissing", false);
  condition.latest_version_only = Flag(filter, "latestVersion", true);
  return exclude ? SingleColumnValueExcludeFilter(std::move(condition)) : SingleColumnValueFilter(std::move(condition));
}

Expected<FilterPtr> Comparing(const std::string& type, const json& filter) {
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

Expected<int64_t> Number(const json& filter, const char* name) { return ParseNumber(Text(filter, name), name); }

Expected<FilterPtr> FilterOf(const json& filter, int depth) {
  if (!filter.is_object()) {
    return Invalid("a filter is not a JSON object");
  }
  if (depth > kMaxFilterDepth) {
    return Invalid("filters are nested too deep");
  }
  const std::string type = Text(filter, "type");
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
  KLIP_ASSIGN_OR_RETURN(std::string bytes, FromBase64(Text(filter, "value")));
  if (type == "PrefixFilter") {
    return PrefixFilter(std::move(bytes));
  }
  if (type == "ColumnPrefixFilter") {
    return ColumnPrefixFilter(std::move(bytes));
  }
  if (type == "InclusiveStopFilter") {
    return InclusiveStopFilter(std::move(bytes));
  }
  return Status(Code::kUnsupported, "filters of the type '" + type + "' as JSON");
}

}  // namespace

Expected<FilterPtr> FilterFromJson(const std::string& text) {
  return FilterOf(json::parse(text, nullptr, /*allow_exceptions=*/false), 0);
}

}  // namespace klip::rest
