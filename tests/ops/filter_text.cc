#include "ops/filter_text.h"

#include <charconv>
#include <string>
#include <vector>

#include "klip/bytes.h"
#include "ops/op_language.h"

namespace klip::ops {
namespace {

Status Syntax(std::string_view what) {
  return {Code::kInvalidArgument, std::string(kSyntaxError) + "filter: " + std::string(what)};
}

// An argument: quoted bytes, a bare word, or a filter.
struct Argument {
  std::string text;
  FilterPtr filter;
};

Expected<ComparatorPtr> ParseComparator(const std::string& text) {
  size_t colon = text.find(':');
  std::string kind = text.substr(0, colon);
  std::string bytes = colon == std::string::npos ? "" : text.substr(colon + 1);
  if (kind == "binary") {
    return BinaryComparator(bytes);
  }
  if (kind == "binaryprefix") {
    return BinaryPrefixComparator(bytes);
  }
  if (kind == "substring") {
    return SubstringComparator(bytes);
  }
  if (kind == "null") {
    return NullComparator();
  }
  return Syntax("comparator " + text);
}

Expected<RowRange> ParseRange(const std::string& text) {
  size_t comma = text.find(',');
  if (text.size() < 3 || comma == std::string::npos) {
    return Syntax("range " + text);
  }
  return RowRange{.start = text.substr(1, comma - 1),
                  .include_start = text.front() == '[',
                  .stop = text.substr(comma + 1, text.size() - comma - 2),
                  .include_stop = text.back() == ']'};
}

Expected<FilterPtr> MakeFuzzy(const std::string& name, const std::vector<Argument>& arguments) {
  std::vector<FuzzyKey> keys;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (name == "FuzzyRowFilter") {
      keys.push_back(FuzzyKeyFromPattern(arguments[i].text));
      continue;
    }
    std::string mask = i + 1 < arguments.size() ? arguments[i + 1].text : "";
    for (char& byte : mask) {
      byte = static_cast<char>(byte - '0');
    }
    keys.push_back({arguments[i].text, mask});
    ++i;
  }
  return FuzzyRowFilter(std::move(keys));
}

Expected<FilterPtr> MakeSingleColumnValue(const std::vector<Argument>& arguments) {
  if (arguments.size() < 4) {
    return Syntax("SingleColumnValueFilter takes 4 to 6 arguments");
  }
  SingleColumnValue condition{.family = arguments[0].text, .qualifier = arguments[1].text};
  KLIP_ASSIGN_OR_RETURN(condition.op, ParseCompareOp(arguments[2].text));
  KLIP_ASSIGN_OR_RETURN(condition.comparator, ParseComparator(arguments[3].text));
  condition.filter_if_missing = arguments.size() > 4 && arguments[4].text == "true";
  condition.latest_version_only = arguments.size() < 6 || arguments[5].text == "true";
  return SingleColumnValueFilter(std::move(condition));
}

Expected<FilterPtr> MakeList(ListOperator op, const std::vector<Argument>& arguments) {
  std::vector<FilterPtr> filters;
  for (const Argument& argument : arguments) {
    if (argument.filter == nullptr) {
      return Syntax("a list holds filters");
    }
    filters.push_back(argument.filter);
  }
  return FilterList(op, std::move(filters));
}

Expected<FilterPtr> MakeRanges(const std::vector<Argument>& arguments) {
  std::vector<RowRange> ranges;
  for (const Argument& argument : arguments) {
    KLIP_ASSIGN_OR_RETURN(RowRange range, ParseRange(argument.text));
    ranges.push_back(std::move(range));
  }
  return MultiRowRangeFilter(std::move(ranges));
}

Expected<FilterPtr> MakeFilter(const std::string& name, const std::vector<Argument>& arguments) {
  const std::string first = arguments.empty() ? "" : arguments[0].text;
  if (name == "PrefixFilter") {
    return PrefixFilter(first);
  }
  if (name == "InclusiveStopFilter") {
    return InclusiveStopFilter(first);
  }
  if (name == "RowFilter" && arguments.size() == 2) {
    KLIP_ASSIGN_OR_RETURN(CompareOp op, ParseCompareOp(first));
    KLIP_ASSIGN_OR_RETURN(ComparatorPtr comparator, ParseComparator(arguments[1].text));
    return RowFilter(op, std::move(comparator));
  }
  if (name == "PageFilter") {
    KLIP_ASSIGN_OR_RETURN(int64_t size, ParseNumber(first));
    return PageFilter(size);
  }
  if (name == "FirstKeyOnlyFilter") {
    return FirstKeyOnlyFilter();
  }
  if (name == "KeyOnlyFilter") {
    return KeyOnlyFilter(first == "true");
  }
  if (name == "FuzzyRowFilter" || name == "FuzzyMask") {
    return MakeFuzzy(name, arguments);
  }
  if (name == "MultiRowRangeFilter") {
    return MakeRanges(arguments);
  }
  if (name == "SingleColumnValueFilter") {
    return MakeSingleColumnValue(arguments);
  }
  if (name == "ALL" || name == "ONE") {
    return MakeList(name == "ALL" ? ListOperator::kMustPassAll : ListOperator::kMustPassOne, arguments);
  }
  return Syntax("unknown filter " + name);
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Expected<FilterPtr> Parse() {
    size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) {
      return Syntax("expected NAME(");
    }
    std::string name(text_.substr(at_, open - at_));
    at_ = open + 1;
    std::vector<Argument> arguments;
    for (SkipBlanks(); !Eat(')'); SkipBlanks()) {
      if (at_ >= text_.size()) {
        return Syntax("expected )");
      }
      KLIP_ASSIGN_OR_RETURN(Argument argument, ParseArgument());
      arguments.push_back(std::move(argument));
      SkipBlanks();
      Eat(',');
    }
    return MakeFilter(name, arguments);
  }

 private:
  Expected<Argument> ParseArgument() {
    if (Eat('\'')) {
      size_t end = text_.find('\'', at_);
      if (end == std::string_view::npos) {
        return Syntax("open quote");
      }
      Argument argument{FromStringBinary(text_.substr(at_, end - at_)), nullptr};
      at_ = end + 1;
      return argument;
    }
    size_t end = text_.find_first_of(",()", at_);
    if (end != std::string_view::npos && text_[end] == '(') {
      KLIP_ASSIGN_OR_RETURN(FilterPtr filter, Parse());
      return Argument{"", std::move(filter)};
    }
    end = end == std::string_view::npos ? text_.size() : end;
    Argument argument{std::string(text_.substr(at_, end - at_)), nullptr};
    at_ = end;
    return argument;
  }

  void SkipBlanks() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }
  bool Eat(char byte) {
    if (at_ < text_.size() && text_[at_] == byte) {
      ++at_;
      return true;
    }
    return false;
  }

  std::string_view text_;
  size_t at_ = 0;
};

}  // namespace

Expected<FilterPtr> ParseFilterText(std::string_view text) { return Parser(text).Parse(); }

Expected<CompareOp> ParseCompareOp(std::string_view text) {
  static constexpr std::string_view kNames[] = {"<", "<=", "=", "!=", ">=", ">", "no-op"};
  for (size_t i = 0; i < std::size(kNames); ++i) {
    if (text == kNames[i]) {
      return static_cast<CompareOp>(i);
    }
  }
  return Syntax("compare operator " + std::string(text));
}

}  // namespace klip::ops
