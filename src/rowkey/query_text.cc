// Formats queries: KeyQuery::ToString, the inverse of the parsers in query_parser.cc.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "klip/bytes.h"
#include "klip/row_key.h"
#include "rowkey/query_names.h"
#include "rowkey/text_reader.h"

namespace klip {
namespace {

using rowkey::QuoteText;

// Escapes control characters, so that a query is one line. A backslash may belong to an escape already, in a field of
// bytes.
std::string ValueToString(std::string_view value) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  if (std::ranges::any_of(value, is_control) && value.find('\\') == std::string_view::npos) {
    return QuoteText(ToStringBinary(value), '"');
  }
  bool plain = !value.empty() && value.find_first_of(" \t\n\r,'\"()") == std::string_view::npos &&
               value.find("..") == std::string_view::npos && !value.starts_with('*') && !value.ends_with('*') &&
               !value.ends_with('.') && !value.starts_with('.') && !value.starts_with('~') && !value.starts_with('=') &&
               !value.starts_with('<') && !value.starts_with('>');
  return plain ? std::string(value) : QuoteText(value);
}

std::string BetweenToString(const std::string& name, const Between& match) {
  bool inclusive = (!match.low || match.include_low) && (!match.high || match.include_high);
  if (!match.low && !match.high) {
    return name + "=..";
  }
  if (match.low && match.high && inclusive) {
    return name + "=" + ValueToString(*match.low) + ".." + ValueToString(*match.high);
  }
  std::string out;
  if (match.low) {
    out = name + (match.include_low ? ">=" : ">") + ValueToString(*match.low);
  }
  if (match.high) {
    out += (out.empty() ? "" : " ") + name + (match.include_high ? "<=" : "<") + ValueToString(*match.high);
  }
  return out;
}

std::string ListToString(const std::vector<std::string>& values) {
  std::string out;
  for (const std::string& value : values) {
    out += (out.empty() ? "" : ",") + ValueToString(value);
  }
  return out;
}

std::string ConditionToString(const std::string& name, const FieldMatch& match) {
  if (const auto* exact = std::get_if<Exact>(&match)) {
    return name + "=" + ValueToString(exact->value);
  }
  if (const auto* starts = std::get_if<StartsWith>(&match)) {
    return name + "=" + (starts->prefix.empty() ? "''" : ValueToString(starts->prefix)) + "*";
  }
  if (const auto* starts = std::get_if<NotStartsWith>(&match)) {
    return name + "!=" + (starts->prefix.empty() ? "''" : ValueToString(starts->prefix)) + "*";
  }
  if (const auto* one_of = std::get_if<OneOf>(&match)) {
    return name + "=" + ListToString(one_of->values) + (one_of->values.size() < 2 ? "," : "");
  }
  if (const auto* none_of = std::get_if<NoneOf>(&match)) {
    return name + "!=" + ListToString(none_of->values) + (none_of->values.empty() ? "," : "");
  }
  if (const auto* between = std::get_if<Between>(&match)) {
    return BetweenToString(name, *between);
  }
  if (const auto* mask = std::get_if<ByteMask>(&match)) {
    return name + "=~" + QuoteText(mask->pattern);
  }
  return name + "=*";
}

std::string ConditionToString(const ColumnMatch& column) {
  const std::string name = rowkey::ColumnText(column);
  return column.missing ? name + "!=*" : ConditionToString(name, column.match);
}

}  // namespace

std::string KeyQuery::ToString() const {
  if (any_of.empty()) {
    return "NONE";
  }
  std::string out;
  for (size_t i = 0; i < any_of.size(); ++i) {
    out += i == 0 ? "" : " OR ";
    std::string box;
    for (const auto& [name, match] : any_of[i].fields) {
      box += (box.empty() ? "" : " ") + ConditionToString(name, match);
    }
    for (const ColumnMatch& column : any_of[i].columns) {
      box += (box.empty() ? "" : " ") + ConditionToString(column);
    }
    out += box.empty() ? "ANY" : box;
  }
  return out;
}

}  // namespace klip
