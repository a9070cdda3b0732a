// Queries as text: RowKeySchema::ParseQuery and KeyQuery::ToString, each the inverse of the other.
#include <algorithm>

#include "klip/row_key.h"
#include "rowkey/field_set.h"
#include "rowkey/text_reader.h"

namespace klip {
namespace {

using rowkey::IsBlank;
using rowkey::QuoteText;
using rowkey::TextReader;

constexpr size_t kMaxQueryTextBytes = 1 << 20;
constexpr size_t kMaxQueryBoxes = 4096;

bool EqualsIgnoringCase(std::string_view a, std::string_view upper) {
  return std::equal(a.begin(), a.end(), upper.begin(), upper.end(),
                    [](char c, char u) { return (c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c) == u; });
}

class QueryParser {
 public:
  QueryParser(const RowKeySchema& schema, std::string_view text) : schema_(schema), reader_(text) {}

  Expected<KeyQuery> Parse();

 private:
  // A value and whether a '*' follows it.
  struct Value {
    std::string text;
    bool starts_with = false;
  };

  Status ParseBox(KeyBox* box);
  Status ParseCondition(KeyBox* box, const KeyField& field);
  Expected<FieldMatch> ParseEquals();
  Expected<FieldMatch> ParseList(std::string first);
  Expected<FieldMatch> ParseHigh(std::optional<std::string> low);
  Expected<FieldMatch> ParseComparison();
  Expected<Value> ParseValue();
  bool AtValueEnd() const { return reader_.AtEnd() || IsBlank(reader_.Peek()) || reader_.Peek() == ','; }
  // "AND", "OR", "ANY" or "NONE", not followed by an operator, which would make it a field name.
  bool AtKeyword(std::string_view upper) const;
  bool ConsumeKeyword(std::string_view upper);

  const RowKeySchema& schema_;
  TextReader reader_;
};

Expected<KeyQuery> QueryParser::Parse() {
  KeyQuery query;
  reader_.SkipBlanks();
  if (ConsumeKeyword("NONE")) {
    reader_.SkipBlanks();
    return reader_.AtEnd() ? Expected<KeyQuery>(query) : reader_.Expect("the end after NONE");
  }
  do {
    if (query.any_of.size() == kMaxQueryBoxes) {
      return TextReader::ErrorAt(reader_.offset(), "more than " + std::to_string(kMaxQueryBoxes) + " alternatives");
    }
    query.any_of.emplace_back();
    KLIP_RETURN_IF_ERROR(ParseBox(&query.any_of.back()));
  } while (ConsumeKeyword("OR"));
  return query;
}

// Conditions up to OR or the end.
Status QueryParser::ParseBox(KeyBox* box) {
  reader_.SkipBlanks();
  if (ConsumeKeyword("ANY")) {
    reader_.SkipBlanks();
    return reader_.AtEnd() || AtKeyword("OR") ? Status::Ok() : reader_.Expect("OR or the end after ANY");
  }
  while (true) {
    size_t offset = reader_.offset();
    std::string name(reader_.Identifier());
    if (name.empty()) {
      return reader_.Expect("a field name");
    }
    std::optional<int> index = schema_.FieldIndex(name);
    if (!index) {
      return TextReader::ErrorAt(offset, "the row key has no field '" + name + "'");
    }
    KLIP_RETURN_IF_ERROR(ParseCondition(box, schema_.fields()[static_cast<size_t>(*index)]));
    if (!reader_.SkipBlanks() && !reader_.AtEnd()) {
      return reader_.Expect("a blank before the next condition");
    }
    if (reader_.AtEnd() || AtKeyword("OR")) {
      return Status::Ok();
    }
    if (ConsumeKeyword("AND")) {
      reader_.SkipBlanks();
    }
  }
}

bool QueryParser::AtKeyword(std::string_view upper) const {
  TextReader ahead = reader_;
  if (!EqualsIgnoringCase(ahead.Identifier(), upper)) {
    return false;
  }
  ahead.SkipBlanks();
  return ahead.Peek() != '=' && ahead.Peek() != '<' && ahead.Peek() != '>';
}

bool QueryParser::ConsumeKeyword(std::string_view upper) {
  if (!AtKeyword(upper)) {
    return false;
  }
  reader_.Advance(upper.size());
  return true;
}

// "seq>=5 seq<9" is one condition with two ends.
bool MergeBounds(const std::string& name, const FieldMatch& match, KeyBox* box) {
  const auto* added = std::get_if<Between>(&match);
  if (added == nullptr || box->fields.empty() || box->fields.back().first != name) {
    return false;
  }
  auto* last = std::get_if<Between>(&box->fields.back().second);
  if (last == nullptr || last->low.has_value() == last->high.has_value() ||
      added->low.has_value() == added->high.has_value() || last->low.has_value() == added->low.has_value()) {
    return false;
  }
  if (added->low) {
    last->low = added->low;
    last->include_low = added->include_low;
  } else {
    last->high = added->high;
    last->include_high = added->include_high;
  }
  return true;
}

Status QueryParser::ParseCondition(KeyBox* box, const KeyField& field) {
  reader_.SkipBlanks();
  size_t offset = reader_.offset();
  Expected<FieldMatch> match = reader_.Peek() == '=' ? ParseEquals() : ParseComparison();
  KLIP_RETURN_IF_ERROR(match.status());
  Status fits = rowkey::CheckMatch(field, *match);
  if (!fits.ok()) {
    return TextReader::ErrorAt(offset, fits.message());
  }
  if (!MergeBounds(field.name, *match, box)) {
    box->fields.emplace_back(field.name, *std::move(match));
  }
  return Status::Ok();
}

// What follows a field name and starts with '='.
Expected<FieldMatch> QueryParser::ParseEquals() {
  reader_.Advance();
  if (reader_.Consume('~')) {
    reader_.SkipBlanks();
    KLIP_ASSIGN_OR_RETURN(Value mask, ParseValue());
    return FieldMatch(ByteMask{mask.starts_with ? mask.text + '*' : mask.text});
  }
  reader_.SkipBlanks();
  if (reader_.Consume(std::string_view(".."))) {
    return ParseHigh(std::nullopt);
  }
  bool alone = reader_.Peek(1) == '\0' || IsBlank(reader_.Peek(1));
  if (alone && reader_.Consume('*')) {
    return FieldMatch(AnyValue{});
  }
  if (alone && reader_.Consume(',')) {
    return FieldMatch(OneOf{});
  }
  KLIP_ASSIGN_OR_RETURN(Value value, ParseValue());
  if (value.starts_with) {
    return FieldMatch(StartsWith{std::move(value.text)});
  }
  if (reader_.Consume(std::string_view(".."))) {
    return ParseHigh(std::move(value.text));
  }
  if (reader_.Peek() == ',') {
    return ParseList(std::move(value.text));
  }
  return FieldMatch(Exact{std::move(value.text)});
}

Expected<FieldMatch> QueryParser::ParseHigh(std::optional<std::string> low) {
  if (AtValueEnd()) {
    return FieldMatch(Between{.low = std::move(low)});
  }
  KLIP_ASSIGN_OR_RETURN(Value high, ParseValue());
  if (high.starts_with) {
    high.text.push_back('*');
  }
  return FieldMatch(Between{.low = std::move(low), .high = std::move(high.text)});
}

// A comma at the end makes a list of one.
Expected<FieldMatch> QueryParser::ParseList(std::string first) {
  OneOf list;
  list.values.push_back(std::move(first));
  while (reader_.Consume(',')) {
    if (AtValueEnd()) {
      break;
    }
    KLIP_ASSIGN_OR_RETURN(Value value, ParseValue());
    if (value.starts_with) {
      return TextReader::ErrorAt(reader_.offset() - 1,
                                 "a list takes whole values only; quote a '*' that is meant as such");
    }
    list.values.push_back(std::move(value.text));
  }
  return FieldMatch(std::move(list));
}

Expected<FieldMatch> QueryParser::ParseComparison() {
  char op = reader_.Peek();
  if (op != '<' && op != '>') {
    return reader_.Expect("one of = =~ < <= > >=");
  }
  reader_.Advance();
  bool inclusive = reader_.Consume('=');
  reader_.SkipBlanks();
  KLIP_ASSIGN_OR_RETURN(Value value, ParseValue());
  if (value.starts_with) {
    value.text.push_back('*');
  }
  Between match;
  if (op == '>') {
    match.low = std::move(value.text);
    match.include_low = inclusive;
  } else {
    match.high = std::move(value.text);
    match.include_high = inclusive;
  }
  return FieldMatch(std::move(match));
}

Expected<QueryParser::Value> QueryParser::ParseValue() {
  Value value;
  if (reader_.Peek() == '\'') {
    size_t offset = reader_.offset();
    std::optional<std::string> quoted = reader_.Quoted();
    if (!quoted) {
      return TextReader::ErrorAt(offset, "expected a closing quote");
    }
    value.text = *std::move(quoted);
    value.starts_with = reader_.Consume('*');
    return value;
  }
  size_t start = reader_.offset();
  while (!AtValueEnd() && !(reader_.Peek() == '.' && reader_.Peek(1) == '.')) {
    reader_.Advance();
  }
  value.text = reader_.Since(start);
  if (value.text.empty()) {
    return reader_.Expect("a value");
  }
  if (value.text.back() == '*' && !(reader_.Peek() == '.' && !reader_.AtEnd())) {
    value.text.pop_back();
    value.starts_with = true;
  }
  return value;
}

std::string ValueToString(std::string_view value) {
  bool plain = !value.empty() && value.find_first_of(" \t\n\r,'") == std::string_view::npos &&
               value.find("..") == std::string_view::npos && !value.ends_with('*') && !value.ends_with('.') &&
               !value.starts_with('.') && !value.starts_with('~') && !value.starts_with('=');
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

std::string ConditionToString(const std::string& name, const FieldMatch& match) {
  if (const auto* exact = std::get_if<Exact>(&match)) {
    return name + "=" + ValueToString(exact->value);
  }
  if (const auto* starts = std::get_if<StartsWith>(&match)) {
    return name + "=" + (starts->prefix.empty() ? "''" : ValueToString(starts->prefix)) + "*";
  }
  if (const auto* one_of = std::get_if<OneOf>(&match)) {
    std::string out = name + "=";
    for (size_t i = 0; i < one_of->values.size(); ++i) {
      out += (i == 0 ? "" : ",") + ValueToString(one_of->values[i]);
    }
    return one_of->values.size() < 2 ? out + "," : out;
  }
  if (const auto* between = std::get_if<Between>(&match)) {
    return BetweenToString(name, *between);
  }
  if (const auto* mask = std::get_if<ByteMask>(&match)) {
    return name + "=~" + QuoteText(mask->pattern);
  }
  return name + "=*";
}

}  // namespace

Expected<KeyQuery> RowKeySchema::ParseQuery(std::string_view text) const {
  if (text.size() > kMaxQueryTextBytes) {
    return Status(Code::kInvalidArgument, "key query: " + std::to_string(text.size()) + " bytes of text, at most " +
                                              std::to_string(kMaxQueryTextBytes) + " are allowed");
  }
  Expected<KeyQuery> query = QueryParser(*this, text).Parse();
  if (!query.ok()) {
    return Status(query.status().code(), "key query: " + query.status().message());
  }
  return query;
}

std::string KeyQuery::ToString() const {
  if (any_of.empty()) {
    return "NONE";
  }
  std::string out;
  for (size_t i = 0; i < any_of.size(); ++i) {
    out += i == 0 ? "" : " OR ";
    if (any_of[i].fields.empty()) {
      out += "ANY";
    }
    for (size_t j = 0; j < any_of[i].fields.size(); ++j) {
      out += (j == 0 ? "" : " ") + ConditionToString(any_of[i].fields[j].first, any_of[i].fields[j].second);
    }
  }
  return out;
}

}  // namespace klip
