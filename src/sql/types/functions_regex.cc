// REGEXP_SUBSTR, REGEXP_REPLACE and REGEXP_SPLIT, in Java's syntax.
#include <algorithm>

#include "filter/comparators/java_regex.h"
#include "filter/comparators/regex_engine.h"
#include "sql/types/codec.h"
#include "sql/types/function_table.h"
#include "sql/types/memory.h"

namespace klip::sql {
namespace {

using filter::RegexEngine;
using Groups = std::vector<RegexEngine::Span>;
using Pattern = CompiledArgument<RegexEngine>;

Status BadRegex(std::string_view why) { return SqlError(201, "22000", "Illegal data. " + std::string(why)); }

Expected<RegexEngine> CompileRegex(std::string_view pattern) {
  Expected<std::string> translated = filter::TranslateJavaRegex(pattern, /*comments=*/false);
  Expected<RegexEngine> compiled =
      translated.ok() ? RegexEngine::Compile(*translated, 0) : Expected<RegexEngine>(translated.status());
  return compiled.ok() ? std::move(compiled) : Expected<RegexEngine>(BadRegex(compiled.status().message()));
}

// Whether there is a match from that position on. Errors: too many steps.
Expected<bool> FindFrom(const RegexEngine& regex, std::string_view text, size_t from, Groups* groups) {
  RegexEngine::Found found = from <= text.size() ? regex.FindFrom(text, from, groups) : RegexEngine::Found::kNo;
  return found == RegexEngine::Found::kLimit ? Expected<bool>(BadRegex("The pattern takes too many steps"))
                                             : found == RegexEngine::Found::kYes;
}

size_t AfterCharacter(std::string_view text, size_t at) {
  do {
    at++;
  } while (at < text.size() && (text[at] & 0xC0) == 0x80);
  return at;
}

// From character `from`, counted from 1, or from the end if negative.
Expected<Value> FindPart(const RegexEngine& regex, const std::string& text, int64_t from) {
  int64_t size = std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
  from += from > 0 ? -1 : from < 0 ? size : 0;
  if (from < 0 || from >= size) {
    return Value();
  }
  size_t at = 0;
  for (; from > 0; from--) {
    at = AfterCharacter(text, at);
  }
  Groups groups;
  KLIP_ASSIGN_OR_RETURN(bool found, FindFrom(regex, text, at, &groups));
  return found ? Value::Text(text.substr(groups[0].begin, groups[0].end - groups[0].begin)) : Value();
}

// Appends the replacement with its "$1" and "\$" resolved, like Java's Matcher: it takes as many digits as there are
// groups.
Status AppendReplacement(std::string_view replacement, std::string_view text, const Groups& groups, std::string* out) {
  for (size_t i = 0; i < replacement.size(); i++) {
    char c = replacement[i];
    if (c == '\\') {
      if (++i == replacement.size()) {
        return BadRegex("character to be escaped is missing");
      }
      *out += replacement[i];
      continue;
    }
    if (c != '$') {
      *out += c;
      continue;
    }
    auto digit = [&](size_t at) {
      return at < replacement.size() && replacement[at] >= '0' && replacement[at] <= '9' ? replacement[at] - '0' : -1;
    };
    if (digit(i + 1) < 0) {
      return BadRegex("Illegal group reference");
    }
    auto group = static_cast<size_t>(digit(++i));
    while (digit(i + 1) >= 0 && group * 10 + static_cast<size_t>(digit(i + 1)) < groups.size()) {
      group = group * 10 + static_cast<size_t>(digit(++i));
    }
    if (group >= groups.size()) {
      return BadRegex("No group " + std::to_string(group));
    }
    RegexEngine::Span span = groups[group];
    *out += span.begin <= span.end ? text.substr(span.begin, span.end - span.begin) : std::string_view();
  }
  return {};
}

Expected<Value> ReplaceAll(const RegexEngine& regex, const std::string& text, std::string_view replacement) {
  std::string result;
  Groups groups;
  size_t copied = 0;
  for (size_t from = 0;;) {
    KLIP_ASSIGN_OR_RETURN(bool found, FindFrom(regex, text, from, &groups));
    if (!found) {
      return Value::Text(result + text.substr(copied));
    }
    auto [begin, end] = groups[0];
    result += text.substr(copied, begin - copied);
    KLIP_RETURN_IF_ERROR(AppendReplacement(replacement, text, groups, &result));
    if (result.size() > kMaxResultBytes) {
      return ResultTooLarge("REGEXP_REPLACE");
    }
    KLIP_RETURN_IF_ERROR(CheckRoomFor(result.size()));
    copied = end;
    from = end > begin ? end : AfterCharacter(text, end);
  }
}

Expected<Value> SplitText(const RegexEngine& regex, const std::string& text) {
  Groups groups;
  KLIP_ASSIGN_OR_RETURN(bool empty, FindFrom(regex, "", 0, &groups));
  if (empty) {
    return BadRegex("The pattern may not match the empty string");
  }
  Value::Array parts;
  size_t start = 0;
  for (size_t from = 0;;) {
    KLIP_ASSIGN_OR_RETURN(bool found, FindFrom(regex, text, from, &groups));
    if (found && groups[0].end == start) {  // an empty match at the start of the part
      from = AfterCharacter(text, from);
      continue;
    }
    parts.push_back(Value::Text(text.substr(start, found ? groups[0].begin - start : std::string::npos)));
    if (!found) {
      return Value(Type::kVarchar, std::move(parts));
    }
    start = groups[0].end;
    from = start;
  }
}

// The function's own part: gets a well-formed text, all values, and the pattern.
using RegexBody = Expected<Value> (*)(const RegexEngine& regex, const std::string& text, std::span<const Value> values);

template <RegexBody kBody, Type kType, bool kArray>
Expected<std::unique_ptr<BoundFunction>> BindRegex(ArgumentTypes arguments) {
  KLIP_ASSIGN_OR_RETURN(Pattern pattern, Pattern::Of(arguments, 1, CompileRegex));
  auto call = [pattern](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
    if (values[0].is_null() || values[1].is_null()) {
      return Value();
    }
    KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const RegexEngine> regex, pattern.For(values[1]));
    return kBody(*regex, filter::ReplaceMalformed(values[0].text()), values);
  };
  return MakeBoundFunction({.type = kType, .array = kArray}, call, Nulls::kPassed);
}

Expected<Value> RegexSubstring(const RegexEngine& regex, const std::string& text, std::span<const Value> values) {
  bool from = values.size() > 2 && !values[2].is_null();
  return FindPart(regex, text, from ? values[2].integer() : 1);
}

Expected<Value> RegexReplace(const RegexEngine& regex, const std::string& text, std::span<const Value> values) {
  bool by = values.size() > 2 && !values[2].is_null();
  return ReplaceAll(regex, text, by ? std::string_view(values[2].text()) : std::string_view());
}

Expected<Value> RegexSplit(const RegexEngine& regex, const std::string& text, std::span<const Value> /*values*/) {
  return SplitText(regex, text);
}

}  // namespace

std::span<const FunctionEntry> RegexFunctions() {
  static const std::vector<Type> kText = {Type::kVarchar};
  static const std::vector<FunctionEntry> kTable = {
      {"REGEXP_SUBSTR",
       2,
       {kText, kText, {Type::kBigint}},
       nullptr,
       nullptr,
       BindRegex<RegexSubstring, Type::kVarchar, false>},
      {"REGEXP_REPLACE", 2, {kText, kText, kText}, nullptr, nullptr, BindRegex<RegexReplace, Type::kVarchar, false>},
      {"REGEXP_SPLIT", 2, {kText, kText}, nullptr, nullptr, BindRegex<RegexSplit, Type::kVarchar, true>},
  };
  return kTable;
}

}  // namespace klip::sql
