#include "filter/text/filter_functions.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <utility>

#include "filter/text/comparator_text.h"

namespace klip::filter {
namespace {

using Arguments = std::vector<Argument>;

Status WrongArgument(std::string_view what) { return {Code::kInvalidArgument, std::string(what)}; }

Status CheckCount(const Arguments& arguments, std::initializer_list<size_t> counts) {
  if (std::find(counts.begin(), counts.end(), arguments.size()) != counts.end()) {
    return Status::Ok();
  }
  std::string expected;
  for (const size_t count : counts) {
    expected += (expected.empty() ? "" : " or ") + std::to_string(count);
  }
  return WrongArgument("Expected " + expected + " arguments but got: " + std::to_string(arguments.size()));
}

Expected<std::string> Bytes(const Argument& argument) {
  return argument.quoted ? Expected<std::string>(argument.text)
                         : WrongArgument("'" + argument.text + "' must be in quotes");
}

template <typename Number>
Expected<Number> NumberOf(const Argument& argument) {
  const char* const end = argument.text.data() + argument.text.size();
  Number number = 0;
  const auto [stopped, error] = std::from_chars(argument.text.data(), end, number);
  if (argument.quoted || error == std::errc::invalid_argument || stopped != end) {
    return WrongArgument("'" + argument.text + "' is not a number");
  }
  return error == std::errc() ? Expected<Number>(number)
                              : WrongArgument("the number " + argument.text + " is too large");
}

Expected<bool> Bool(const Argument& argument) {
  std::string lower = argument.text;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  if (argument.quoted || (lower != "true" && lower != "false")) {
    return WrongArgument("Incorrect Boolean Expression '" + argument.text + "'");
  }
  return lower == "true";
}

Expected<CompareOp> Op(const Argument& argument, FilterNames names) {
  static constexpr std::string_view kNames[] = {"<", "<=", "=", "!=", ">=", ">", "NO_OP"};
  const auto* const found = std::find(std::begin(kNames), std::end(kNames), argument.text);
  const auto op = static_cast<CompareOp>(found - std::begin(kNames));
  if (argument.quoted || op > CompareOp::kNoOp || (op == CompareOp::kNoOp && names == FilterNames::kHBase)) {
    return WrongArgument("Invalid compare operator '" + argument.text + "'");
  }
  return op;
}

Expected<ComparatorPtr> ComparatorOf(const Argument& argument, FilterNames names) {
  KLIP_ASSIGN_OR_RETURN(const std::string text, Bytes(argument));
  return ParseComparator(text, names);
}

// op, 'comparator', from argument `at` on.
struct Comparison {
  CompareOp op = CompareOp::kEqual;
  ComparatorPtr comparator;
};
Expected<Comparison> ComparisonAt(const Arguments& arguments, size_t at, FilterNames names) {
  Comparison out;
  KLIP_ASSIGN_OR_RETURN(out.op, Op(arguments[at], names));
  KLIP_ASSIGN_OR_RETURN(out.comparator, ComparatorOf(arguments[at + 1], names));
  const bool finds =
      arguments[at + 1].text.starts_with("regexstring") || arguments[at + 1].text.starts_with("substring");
  if (names == FilterNames::kHBase && finds && out.op != CompareOp::kEqual && out.op != CompareOp::kNotEqual) {
    return WrongArgument("A regexstring comparator and substring comparator can only be used with EQUAL and NOT_EQUAL");
  }
  return out;
}

template <FilterPtr (*kMake)(std::string)>
Expected<FilterPtr> OfBytes(const Arguments& arguments, FilterNames /*names*/) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {1}));
  KLIP_ASSIGN_OR_RETURN(std::string bytes, Bytes(arguments[0]));
  return kMake(std::move(bytes));
}

template <FilterPtr (*kMake)(CompareOp, ComparatorPtr)>
Expected<FilterPtr> OfComparison(const Arguments& arguments, FilterNames names) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {2}));
  KLIP_ASSIGN_OR_RETURN(Comparison comparison, ComparisonAt(arguments, 0, names));
  return kMake(comparison.op, std::move(comparison.comparator));
}

template <FilterPtr (*kMake)()>
Expected<FilterPtr> OfNothing(const Arguments& arguments, FilterNames /*names*/) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {0}));
  return kMake();
}

Expected<std::vector<std::string>> AllBytes(const Arguments& arguments) {
  std::vector<std::string> out;
  for (const Argument& argument : arguments) {
    KLIP_ASSIGN_OR_RETURN(out.emplace_back(), Bytes(argument));
  }
  return out;
}

Expected<FilterPtr> MakeKeyOnly(const Arguments& arguments, FilterNames /*names*/) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {0, 1}));
  bool length_as_value = false;
  if (!arguments.empty()) {
    KLIP_ASSIGN_OR_RETURN(length_as_value, Bool(arguments[0]));
  }
  return KeyOnlyFilter(length_as_value);
}

Expected<FilterPtr> MakeMultipleColumnPrefix(const Arguments& arguments, FilterNames /*names*/) {
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> prefixes, AllBytes(arguments));
  return MultipleColumnPrefixFilter(std::move(prefixes));
}

Expected<FilterPtr> MakeColumnCountGet(const Arguments& arguments, FilterNames /*names*/) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {1}));
  KLIP_ASSIGN_OR_RETURN(const auto limit, NumberOf<int32_t>(arguments[0]));
  return ColumnCountGetFilter(limit);
}

Expected<FilterPtr> MakePage(const Arguments& arguments, FilterNames /*names*/) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {1}));
  KLIP_ASSIGN_OR_RETURN(const auto size, NumberOf<int64_t>(arguments[0]));
  return PageFilter(size);
}

Expected<FilterPtr> MakeColumnPagination(const Arguments& arguments, FilterNames names) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {2}));
  KLIP_ASSIGN_OR_RETURN(const auto limit, NumberOf<int32_t>(arguments[0]));
  if (names == FilterNames::kAll && arguments[1].quoted) {
    return ColumnPaginationFilter(limit, arguments[1].text);
  }
  KLIP_ASSIGN_OR_RETURN(const auto offset, NumberOf<int32_t>(arguments[1]));
  return ColumnPaginationFilter(limit, offset);
}

Expected<FilterPtr> MakeTimestamps(const Arguments& arguments, FilterNames names) {
  std::vector<int64_t> timestamps;
  bool can_hint = false;
  for (const Argument& argument : arguments) {
    if (names == FilterNames::kAll && &argument == &arguments.back() && argument.text == "true") {
      can_hint = true;
      break;
    }
    KLIP_ASSIGN_OR_RETURN(timestamps.emplace_back(), NumberOf<int64_t>(argument));
  }
  return TimestampsFilter(std::move(timestamps), can_hint);
}

Expected<FilterPtr> MakeColumnRange(const Arguments& arguments, FilterNames /*names*/) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {4}));
  ColumnRange range;
  KLIP_ASSIGN_OR_RETURN(range.min, Bytes(arguments[0]));
  KLIP_ASSIGN_OR_RETURN(range.include_min, Bool(arguments[1]));
  KLIP_ASSIGN_OR_RETURN(range.max, Bytes(arguments[2]));
  KLIP_ASSIGN_OR_RETURN(range.include_max, Bool(arguments[3]));
  if (range.min->empty()) {
    range.min.reset();
  }
  if (range.max->empty()) {
    range.max.reset();
  }
  return ColumnRangeFilter(std::move(range));
}

template <FilterPtr (*kMake)(SingleColumnValue)>
Expected<FilterPtr> MakeSingleColumn(const Arguments& arguments, FilterNames names) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {4, 6}));
  SingleColumnValue condition;
  KLIP_ASSIGN_OR_RETURN(condition.family, Bytes(arguments[0]));
  KLIP_ASSIGN_OR_RETURN(condition.qualifier, Bytes(arguments[1]));
  KLIP_ASSIGN_OR_RETURN(Comparison comparison, ComparisonAt(arguments, 2, names));
  condition.op = comparison.op;
  condition.comparator = std::move(comparison.comparator);
  if (arguments.size() == 6) {
    KLIP_ASSIGN_OR_RETURN(condition.filter_if_missing, Bool(arguments[4]));
    KLIP_ASSIGN_OR_RETURN(condition.latest_version_only, Bool(arguments[5]));
  }
  return kMake(std::move(condition));
}

Expected<FilterPtr> MakeColumnValue(const Arguments& arguments, FilterNames names) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {4}));
  KLIP_ASSIGN_OR_RETURN(std::string family, Bytes(arguments[0]));
  KLIP_ASSIGN_OR_RETURN(std::string qualifier, Bytes(arguments[1]));
  KLIP_ASSIGN_OR_RETURN(Comparison comparison, ComparisonAt(arguments, 2, names));
  return ColumnValueFilter(std::move(family), std::move(qualifier), comparison.op, std::move(comparison.comparator));
}

// HBase accepts a regexstring with any operator here.
Expected<FilterPtr> MakeDependentColumn(const Arguments& arguments, FilterNames names) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {2, 3, 5}));
  DependentColumn condition;
  KLIP_ASSIGN_OR_RETURN(condition.family, Bytes(arguments[0]));
  KLIP_ASSIGN_OR_RETURN(condition.qualifier, Bytes(arguments[1]));
  if (arguments.size() > 2) {
    KLIP_ASSIGN_OR_RETURN(condition.drop_column, Bool(arguments[2]));
  }
  if (arguments.size() == 5) {
    KLIP_ASSIGN_OR_RETURN(condition.op, Op(arguments[3], names));
    KLIP_ASSIGN_OR_RETURN(condition.comparator, ComparatorOf(arguments[4], names));
  }
  return DependentColumnFilter(std::move(condition));
}

// --- Filters that HBase's language lacks ---

Expected<FilterPtr> MakeFuzzyRow(const Arguments& arguments, FilterNames /*names*/) {
  std::vector<FuzzyKey> keys;
  for (const Argument& argument : arguments) {
    KLIP_ASSIGN_OR_RETURN(const std::string pattern, Bytes(argument));
    keys.push_back(FuzzyKeyFromPattern(pattern));
  }
  return FuzzyRowFilter(std::move(keys));
}

Expected<FilterPtr> MakeFuzzyMask(const Arguments& arguments, FilterNames /*names*/) {
  std::vector<FuzzyKey> keys;
  for (size_t i = 0; i < arguments.size(); i += 2) {
    if (i + 1 == arguments.size()) {
      return WrongArgument("a key without a mask");
    }
    KLIP_ASSIGN_OR_RETURN(std::string key, Bytes(arguments[i]));
    KLIP_ASSIGN_OR_RETURN(std::string mask, Bytes(arguments[i + 1]));
    std::transform(mask.begin(), mask.end(), mask.begin(), [](char digit) { return static_cast<char>(digit - '0'); });
    keys.push_back({std::move(key), std::move(mask)});
  }
  return FuzzyRowFilter(std::move(keys));
}

Expected<FilterPtr> MakeMultiRowRange(const Arguments& arguments, FilterNames /*names*/) {
  std::vector<RowRange> ranges;
  if (arguments.size() % 4 != 0) {
    return WrongArgument("each range takes 4 arguments: 'start', bool, 'stop', bool");
  }
  for (size_t i = 0; i < arguments.size(); i += 4) {
    RowRange& range = ranges.emplace_back();
    KLIP_ASSIGN_OR_RETURN(range.start, Bytes(arguments[i]));
    KLIP_ASSIGN_OR_RETURN(range.include_start, Bool(arguments[i + 1]));
    KLIP_ASSIGN_OR_RETURN(range.stop, Bytes(arguments[i + 2]));
    KLIP_ASSIGN_OR_RETURN(range.include_stop, Bool(arguments[i + 3]));
  }
  return MultiRowRangeFilter(std::move(ranges));
}

Expected<FilterPtr> MakeRandomRow(const Arguments& arguments, FilterNames /*names*/) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {1}));
  KLIP_ASSIGN_OR_RETURN(const auto chance, NumberOf<float>(arguments[0]));
  return RandomRowFilter(chance);
}

Expected<FilterPtr> MakeFirstKeyValueMatchingQualifiers(const Arguments& arguments, FilterNames /*names*/) {
  KLIP_ASSIGN_OR_RETURN(std::vector<std::string> qualifiers, AllBytes(arguments));
  return FirstKeyValueMatchingQualifiersFilter(std::move(qualifiers));
}

// 'expression', 'encoder', the number of values, the values, and 'family','qualifier','name' of each column.
Expected<FilterPtr> MakeSparkSql(const Arguments& arguments, FilterNames /*names*/) {
  constexpr size_t kFirst = 3;
  SparkSqlCondition condition;
  if (arguments.size() < kFirst) {
    return WrongArgument("Expected at least 3 arguments but got: " + std::to_string(arguments.size()));
  }
  KLIP_ASSIGN_OR_RETURN(condition.expression, Bytes(arguments[0]));
  KLIP_ASSIGN_OR_RETURN(condition.encoder, Bytes(arguments[1]));
  KLIP_ASSIGN_OR_RETURN(const auto values, NumberOf<uint32_t>(arguments[2]));
  if (values > arguments.size() - kFirst || (arguments.size() - kFirst - values) % 3 != 0) {
    return WrongArgument("Expected " + std::to_string(values) +
                         " values and then 'family', 'qualifier', 'name' of each column, found " +
                         std::to_string(arguments.size() - kFirst) + " arguments after the third");
  }
  const auto first = arguments.begin() + kFirst;
  KLIP_ASSIGN_OR_RETURN(condition.values, AllBytes(Arguments(first, first + values)));
  for (auto at = first + values; at != arguments.end(); at += 3) {
    SparkSqlColumn& column = condition.columns.emplace_back();
    KLIP_ASSIGN_OR_RETURN(column.family, Bytes(at[0]));
    KLIP_ASSIGN_OR_RETURN(column.qualifier, Bytes(at[1]));
    KLIP_ASSIGN_OR_RETURN(column.name, Bytes(at[2]));
  }
  return SparkSQLPushDownFilter(std::move(condition));
}

Expected<FilterPtr> MakeEmptyList(const Arguments& arguments, FilterNames /*names*/) {
  KLIP_RETURN_IF_ERROR(CheckCount(arguments, {1}));
  if (arguments[0].text != "MUST_PASS_ALL" && arguments[0].text != "MUST_PASS_ONE") {
    return WrongArgument("neither MUST_PASS_ALL nor MUST_PASS_ONE: '" + arguments[0].text + "'");
  }
  return FilterList(arguments[0].text == "MUST_PASS_ALL" ? ListOperator::kMustPassAll : ListOperator::kMustPassOne, {});
}

constexpr Function kFunctions[] = {
    {"ColumnCountGetFilter", FilterNames::kHBase, MakeColumnCountGet},
    {"ColumnPaginationFilter", FilterNames::kHBase, MakeColumnPagination},
    {"ColumnPrefixFilter", FilterNames::kHBase, OfBytes<ColumnPrefixFilter>},
    {"ColumnRangeFilter", FilterNames::kHBase, MakeColumnRange},
    {"ColumnValueFilter", FilterNames::kHBase, MakeColumnValue},
    {"DependentColumnFilter", FilterNames::kHBase, MakeDependentColumn},
    {"FamilyFilter", FilterNames::kHBase, OfComparison<FamilyFilter>},
    {"FirstKeyOnlyFilter", FilterNames::kHBase, OfNothing<FirstKeyOnlyFilter>},
    {"InclusiveStopFilter", FilterNames::kHBase, OfBytes<InclusiveStopFilter>},
    {"KeyOnlyFilter", FilterNames::kHBase, MakeKeyOnly},
    {"MultipleColumnPrefixFilter", FilterNames::kHBase, MakeMultipleColumnPrefix},
    {"PageFilter", FilterNames::kHBase, MakePage},
    {"PrefixFilter", FilterNames::kHBase, OfBytes<PrefixFilter>},
    {"QualifierFilter", FilterNames::kHBase, OfComparison<QualifierFilter>},
    {"RowFilter", FilterNames::kHBase, OfComparison<RowFilter>},
    {"SingleColumnValueExcludeFilter", FilterNames::kHBase, MakeSingleColumn<SingleColumnValueExcludeFilter>},
    {"SingleColumnValueFilter", FilterNames::kHBase, MakeSingleColumn<SingleColumnValueFilter>},
    {"TimestampsFilter", FilterNames::kHBase, MakeTimestamps},
    {"ValueFilter", FilterNames::kHBase, OfComparison<ValueFilter>},
    {"FilterAllFilter", FilterNames::kAll, OfNothing<FilterAllFilter>},
    {"FilterList", FilterNames::kAll, MakeEmptyList},
    {"FirstKeyValueMatchingQualifiersFilter", FilterNames::kAll, MakeFirstKeyValueMatchingQualifiers},
    {"FuzzyMask", FilterNames::kAll, MakeFuzzyMask},
    {"FuzzyRowFilter", FilterNames::kAll, MakeFuzzyRow},
    {"MultiRowRangeFilter", FilterNames::kAll, MakeMultiRowRange},
    {"RandomRowFilter", FilterNames::kAll, MakeRandomRow},
    {"SparkSQLPushDownFilter", FilterNames::kAll, MakeSparkSql},
};

}  // namespace

const Function* FindFunction(std::string_view name, FilterNames names) {
  const auto* const found = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                         [name](const Function& function) { return function.name == name; });
  return found == std::end(kFunctions) || found->names > names ? nullptr : found;
}

}  // namespace klip::filter
