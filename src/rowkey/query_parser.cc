// Parses queries: RowKeySchema::ParseQuery, and rowkey::ParseQuery, which allows columns too.
#include <algorithm>
#include <chrono>
#include <iterator>

#include "klip/bytes.h"
#include "klip/row_key.h"
#include "rowkey/field_set.h"
#include "rowkey/key_codec.h"
#include "rowkey/query_names.h"
#include "rowkey/text_reader.h"
#include "rowkey/time_text.h"

namespace klip {
namespace {

using rowkey::EqualsIgnoringCase;
using rowkey::IsBlank;
using rowkey::TextReader;

constexpr size_t kMaxQueryTextBytes = 1 << 20;
constexpr size_t kMaxQueryBoxes = 4096;
constexpr size_t kMaxQueryConditions = 1 << 18;  // in all boxes together
constexpr int kMaxQueryDepth = 100;
constexpr int kMaxTypeWidth = 1 << 15;

// A query in disjunctive normal form: rows that match any of the boxes. Without boxes, no row matches.
using Boxes = std::vector<KeyBox>;

// Recursive descent over
//
//   query      := term { OR term }
//   term       := factor { [AND] factor }
//   factor     := NOT factor | '(' query ')' | ANY | NONE | condition
//   condition  := (field | column) operator value...
//   column     := family ':' qualifier ['::' type] | (upper | lower) '(' column ')'
//
// Every function returns the boxes of what it read. Below a NOT it returns those of the opposite: `negated` is passed
// down, AND and OR swap, and each condition becomes its opposite. So no syntax tree is needed:
//
//   NOT (a=1 b=2*) OR c=3   ->   {a!=1}, {b!=2*}, {c=3}
class QueryParser {
 public:
  // `schema` null: there are no key fields. `names` null: columns are not allowed.
  QueryParser(const RowKeySchema* schema, const rowkey::QueryNames* names, std::string_view text,
              std::optional<int64_t> now_ms)
      : schema_(schema), names_(names), reader_(text), now_ms_(now_ms) {}

  Expected<KeyQuery> Parse();

 private:
  // A value as written.
  struct Value {
    std::string text;
    bool starts_with = false;  // a '*' follows it
  };
  // The alternatives of a condition: several for a list that names spans of time.
  using Matches = std::vector<FieldMatch>;
  // The subject of a condition: a key field, or a column as a field of its type.
  struct Subject {
    KeyField field;
    std::optional<ColumnMatch> column;
  };

  Expected<Boxes> ParseAny(bool negated);
  Expected<Boxes> ParseAll(bool negated);
  Expected<Boxes> ParseFactor(bool negated);
  Expected<Boxes> ParseCondition(bool negated);
  Expected<Subject> ParseSubject();
  Expected<Subject> ParseColumn(size_t start);
  Expected<Subject> ParseColumnInCase(base::LetterCase letter_case);
  // Consumes "upper(" and "lower(".
  std::optional<base::LetterCase> ConsumeCase();
  Expected<std::string> ParseName(std::string_view what);
  bool AtColumn() const;
  Expected<Matches> ParseEquals(const KeyField& field);
  Expected<Matches> ParseList(const KeyField& field, Value first);
  Expected<Matches> ParseHigh(const KeyField& field, std::optional<Value> low);
  Expected<Matches> ParseComparison(const KeyField& field);
  // In double quotes, \xNN stands for a byte.
  Expected<Value> ParseValue(const KeyField& field);

  Expected<Boxes> Either(Boxes a, Boxes b) const;
  Expected<Boxes> Both(const Boxes& a, const Boxes& b) const;
  Expected<Boxes> BoxesOf(const Subject& subject, const Matches& matches, bool negated) const;
  Status TooManyBoxes() const;

  // The span of time that the value names, if the field contains days or times and the value is not in their stored
  // format.
  std::optional<rowkey::TimeSpan> SpanOf(const KeyField& field, const Value& value);
  Expected<FieldMatch> MatchOfSpan(const KeyField& field, const rowkey::TimeSpan& span) const;
  // A bound of a range: the first (or last) value that `value` names.
  std::string BoundOf(const KeyField& field, const Value& value, bool last);

  bool AtValueEnd() const {
    const char c = reader_.Peek();
    return reader_.AtEnd() || IsBlank(c) || c == ',' || c == '(' || c == ')';
  }
  // At "AND", "OR", "NOT", "ANY" or "NONE"; an operator after it would make it a field name.
  bool AtKeyword(std::string_view upper) const;
  bool ConsumeKeyword(std::string_view upper);

  const RowKeySchema* schema_;
  const rowkey::QueryNames* names_;
  TextReader reader_;
  std::optional<int64_t> now_ms_;
  int depth_ = 0;
};

Expected<KeyQuery> QueryParser::Parse() {
  KLIP_ASSIGN_OR_RETURN(Boxes boxes, ParseAny(/*negated=*/false));
  if (!reader_.AtEnd()) {
    return reader_.Expect("a condition, AND, OR or the end");
  }
  return KeyQuery{std::move(boxes)};
}

Expected<Boxes> QueryParser::ParseAny(bool negated) {
  KLIP_ASSIGN_OR_RETURN(Boxes boxes, ParseAll(negated));
  while (ConsumeKeyword("OR")) {
    KLIP_ASSIGN_OR_RETURN(Boxes more, ParseAll(negated));
    KLIP_ASSIGN_OR_RETURN(boxes, negated ? Both(boxes, more) : Either(std::move(boxes), std::move(more)));
  }
  return boxes;
}

// Factors up to OR, a closing parenthesis or the end.
Expected<Boxes> QueryParser::ParseAll(bool negated) {
  KLIP_ASSIGN_OR_RETURN(Boxes boxes, ParseFactor(negated));
  while (true) {
    const bool blank = reader_.SkipBlanks();
    if (reader_.AtEnd() || reader_.Peek() == ')' || AtKeyword("OR")) {
      return boxes;
    }
    if (!blank && reader_.Peek() != '(') {
      return reader_.Expect("a blank before the next condition");
    }
    ConsumeKeyword("AND");
    KLIP_ASSIGN_OR_RETURN(Boxes more, ParseFactor(negated));
    KLIP_ASSIGN_OR_RETURN(boxes, negated ? Either(std::move(boxes), std::move(more)) : Both(boxes, more));
  }
}

Expected<Boxes> QueryParser::ParseFactor(bool negated) {
  reader_.SkipBlanks();
  if (depth_ == kMaxQueryDepth) {
    return TextReader::ErrorAt(reader_.offset(), "parentheses and NOT are nested too deeply");
  }
  ++depth_;
  Expected<Boxes> boxes = Boxes();
  if (ConsumeKeyword("NOT")) {
    boxes = ParseFactor(!negated);
  } else if (reader_.Consume('(')) {
    boxes = ParseAny(negated);
    if (boxes.ok() && !reader_.Consume(')')) {
      return reader_.Expect("a closing parenthesis");
    }
  } else if (ConsumeKeyword("ANY")) {
    boxes = negated ? Boxes() : Boxes(1);
  } else if (ConsumeKeyword("NONE")) {
    boxes = negated ? Boxes(1) : Boxes();
  } else {
    boxes = ParseCondition(negated);
  }
  --depth_;
  return boxes;
}

bool QueryParser::AtKeyword(std::string_view upper) const {
  TextReader ahead = reader_;
  if (!EqualsIgnoringCase(ahead.Identifier(), upper) || ahead.Peek() == ':') {
    return false;
  }
  ahead.SkipBlanks();
  return ahead.AtEnd() || std::string_view("=<>!").find(ahead.Peek()) == std::string_view::npos;
}

bool QueryParser::ConsumeKeyword(std::string_view upper) {
  if (!AtKeyword(upper)) {
    return false;
  }
  reader_.Advance(upper.size());
  return true;
}

Status QueryParser::TooManyBoxes() const {
  return TextReader::ErrorAt(reader_.offset(), "more than " + std::to_string(kMaxQueryBoxes) + " alternatives");
}

Expected<Boxes> QueryParser::Either(Boxes a, Boxes b) const {
  if (a.size() + b.size() > kMaxQueryBoxes) {
    return TooManyBoxes();
  }
  std::move(b.begin(), b.end(), std::back_inserter(a));
  return a;
}

// "seq>=5 seq<9" is one condition with two ends. False: they cannot be combined.
bool MergeBounds(const FieldMatch& match, FieldMatch* before) {
  const auto* added = std::get_if<Between>(&match);
  auto* last = std::get_if<Between>(before);
  if (added == nullptr || last == nullptr || last->low.has_value() == last->high.has_value() ||
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

bool IsOfSame(const ColumnMatch& a, const ColumnMatch& b) {
  return a.family == b.family && a.qualifier == b.qualifier && a.type == b.type && !a.missing && !b.missing;
}

KeyBox JoinBoxes(const KeyBox& left, const KeyBox& right) {
  KeyBox box = left;
  for (const auto& [name, match] : right.fields) {
    if (box.fields.empty() || box.fields.back().first != name || !MergeBounds(match, &box.fields.back().second)) {
      box.fields.emplace_back(name, match);
    }
  }
  for (const ColumnMatch& column : right.columns) {
    if (box.columns.empty() || !IsOfSame(box.columns.back(), column) ||
        !MergeBounds(column.match, &box.columns.back().match)) {
      box.columns.push_back(column);
    }
  }
  return box;
}

// AND of two ORs: each box of one with each of the other.
Expected<Boxes> QueryParser::Both(const Boxes& a, const Boxes& b) const {
  if (a.size() * b.size() > kMaxQueryBoxes) {
    return TooManyBoxes();
  }
  Boxes out;
  out.reserve(a.size() * b.size());
  size_t conditions = 0;
  for (const KeyBox& left : a) {
    for (const KeyBox& right : b) {
      out.push_back(JoinBoxes(left, right));
      conditions += out.back().fields.size() + out.back().columns.size();
      if (conditions > kMaxQueryConditions) {
        return TooManyBoxes();
      }
    }
  }
  return out;
}

// The rows that `match` excludes. No alternative: none. nullopt: for masks, which have no short opposite.
std::optional<std::vector<FieldMatch>> Opposite(const FieldMatch& match) {
  using Matches = std::vector<FieldMatch>;
  if (const auto* exact = std::get_if<Exact>(&match)) {
    return Matches{NoneOf{{exact->value}}};
  }
  if (const auto* one_of = std::get_if<OneOf>(&match)) {
    return Matches{NoneOf{one_of->values}};
  }
  if (const auto* starts = std::get_if<StartsWith>(&match)) {
    return Matches{NotStartsWith{starts->prefix}};
  }
  if (std::holds_alternative<ByteMask>(match)) {
    return std::nullopt;
  }
  Matches out;
  if (const auto* between = std::get_if<Between>(&match)) {
    if (between->low) {
      out.emplace_back(Between{.high = between->low, .include_high = !between->include_low});
    }
    if (between->high) {
      out.emplace_back(Between{.low = between->high, .include_low = !between->include_high});
    }
  }
  return out;
}

KeyBox BoxOfSubject(const KeyField& field, const std::optional<ColumnMatch>& column, FieldMatch match) {
  KeyBox box;
  if (column.has_value()) {
    box.columns.push_back(*column);
    box.columns.back().match = std::move(match);
  } else {
    box.fields.emplace_back(field.name, std::move(match));
  }
  return box;
}

Expected<Boxes> QueryParser::BoxesOf(const Subject& subject, const Matches& matches, bool negated) const {
  Boxes boxes(negated ? 1 : 0);
  for (const FieldMatch& match : matches) {
    if (subject.column.has_value() && std::holds_alternative<ByteMask>(match)) {
      return rowkey::FieldError(subject.field, "byte masks (=~) do not work on columns");
    }
    KLIP_RETURN_IF_ERROR(rowkey::CheckMatch(subject.field, match));
    Boxes of_match;
    std::optional<Matches> alternatives = negated ? Opposite(match) : Matches{match};
    if (!alternatives) {
      return Status(Code::kInvalidArgument, "a byte mask (=~) cannot be negated");
    }
    for (FieldMatch& alternative : *alternatives) {
      of_match.push_back(BoxOfSubject(subject.field, subject.column, std::move(alternative)));
    }
    if (negated && subject.column.has_value() && std::holds_alternative<AnyValue>(match)) {
      of_match.push_back(BoxOfSubject(subject.field, subject.column, match));
      of_match.back().columns.front().missing = true;
    }
    KLIP_ASSIGN_OR_RETURN(boxes, negated ? Both(boxes, of_match) : Either(std::move(boxes), std::move(of_match)));
  }
  return boxes;
}

// At a family and a colon, which follows no other element of a query.
bool QueryParser::AtColumn() const {
  TextReader ahead = reader_;
  if (!ahead.Quoted().has_value()) {
    while (!ahead.AtEnd() && !rowkey::EndsName(ahead.Peek())) {
      ahead.Advance();
    }
  }
  return ahead.offset() != reader_.offset() && ahead.Peek() == ':';
}

// In double quotes, \xNN stands for a byte.
Expected<std::string> QueryParser::ParseName(std::string_view what) {
  const size_t start = reader_.offset();
  const bool escapes = reader_.Peek() == '"';
  if (std::optional<std::string> quoted = reader_.Quoted()) {
    return escapes ? FromStringBinary(*quoted) : *std::move(quoted);
  }
  while (!reader_.AtEnd() && !rowkey::EndsName(reader_.Peek())) {
    reader_.Advance();
  }
  if (reader_.offset() == start) {
    return reader_.Expect(what);
  }
  return std::string(reader_.Since(start));
}

Expected<QueryParser::Subject> QueryParser::ParseColumn(size_t start) {
  ColumnMatch column;
  KLIP_ASSIGN_OR_RETURN(column.family, ParseName("a column family"));
  reader_.Consume(':');
  KLIP_ASSIGN_OR_RETURN(column.qualifier, ParseName("a qualifier; one that is empty is written ''"));
  if (names_ == nullptr) {
    return TextReader::ErrorAt(start, "'" + rowkey::ColumnName(column.family, column.qualifier) +
                                          "' is a column: here only key fields can be named");
  }
  if (std::ranges::find(names_->families, column.family) == names_->families.end()) {
    std::string known;
    for (const std::string& family : names_->families) {
      known += (known.empty() ? "" : ", ") + ToStringBinary(family);
    }
    return TextReader::ErrorAt(start, "table '" + names_->table + "' has no column family '" +
                                          ToStringBinary(column.family) + "'; its families are " + known);
  }
  if (reader_.Consume(std::string_view("::"))) {
    const size_t type = reader_.offset();
    (void)reader_.Identifier();
    if (reader_.Consume('(')) {
      (void)reader_.Number(kMaxTypeWidth);
      reader_.Consume(')');
    }
    Expected<std::string> parsed = rowkey::ColumnType(reader_.Since(type));
    if (!parsed.ok()) {
      return TextReader::ErrorAt(type, parsed.status().message());
    }
    column.type = *std::move(parsed);
  } else if (const auto declared = names_->types.find({column.family, column.qualifier});
             declared != names_->types.end()) {
    column.type = declared->second;
  }
  KLIP_ASSIGN_OR_RETURN(KeyField field, rowkey::ColumnField(column));
  return Subject{.field = std::move(field), .column = std::move(column)};
}

std::optional<base::LetterCase> QueryParser::ConsumeCase() {
  TextReader ahead = reader_;
  const std::string_view name = ahead.Identifier();
  if (!ahead.Consume('(')) {
    return std::nullopt;
  }
  for (const base::LetterCase letter_case : {base::LetterCase::kUpper, base::LetterCase::kLower}) {
    if (EqualsIgnoringCase(name, rowkey::TypeOfCase(letter_case))) {
      reader_ = ahead;
      return letter_case;
    }
  }
  return std::nullopt;
}

// upper(f:name), after the parenthesis.
Expected<QueryParser::Subject> QueryParser::ParseColumnInCase(base::LetterCase letter_case) {
  reader_.SkipBlanks();
  const size_t start = reader_.offset();
  const std::string function = rowkey::TypeOfCase(letter_case);
  if (!AtColumn()) {
    return reader_.Expect(function + " of a column, family:qualifier");
  }
  KLIP_ASSIGN_OR_RETURN(Subject subject, ParseColumn(start));
  ColumnMatch& column = *subject.column;
  if (!column.type.empty()) {
    return TextReader::ErrorAt(start, function + " takes text; the type of " +
                                          rowkey::ColumnName(column.family, column.qualifier) + " is " + column.type);
  }
  column.type = function;
  reader_.SkipBlanks();
  if (!reader_.Consume(')')) {
    return reader_.Expect("')'");
  }
  KLIP_ASSIGN_OR_RETURN(subject.field, rowkey::ColumnField(column));
  return subject;
}

Expected<QueryParser::Subject> QueryParser::ParseSubject() {
  const size_t start = reader_.offset();
  if (const auto letter_case = ConsumeCase(); letter_case.has_value()) {
    return ParseColumnInCase(*letter_case);
  }
  if (AtColumn()) {
    return ParseColumn(start);
  }
  const std::string name(reader_.Identifier());
  if (name.empty()) {
    const bool other_language = reader_.Peek() == '&' || reader_.Peek() == '|';
    return reader_.Expect(other_language ? "AND or OR, written as words, or a field name" : "a field name");
  }
  const std::string hint = names_ == nullptr ? "" : "; a column is written family:qualifier";
  if (schema_ == nullptr) {
    return TextReader::ErrorAt(start, "table '" + names_->table + "' has no row-key schema (attribute " +
                                          std::string(RowKeySchema::kTableAttribute) + "), so '" + name +
                                          "' is not a field" + hint);
  }
  const std::optional<int> index = schema_->FieldIndex(name);
  if (!index) {
    return TextReader::ErrorAt(start, rowkey::UnknownField(schema_->fields(), name) + hint);
  }
  return Subject{.field = schema_->fields()[static_cast<size_t>(*index)], .column = {}};
}

Expected<Boxes> QueryParser::ParseCondition(bool negated) {
  KLIP_ASSIGN_OR_RETURN(const Subject subject, ParseSubject());
  reader_.SkipBlanks();
  const size_t offset = reader_.offset();
  const bool unequal = reader_.Consume(std::string_view("!=")) || reader_.Consume(std::string_view("<>"));
  if (!unequal && reader_.Consume('=')) {
    reader_.Consume('=');  // == means the same
  } else if (!unequal && reader_.Peek() != '<' && reader_.Peek() != '>') {
    return reader_.Expect("one of = != < <= > >= =~");
  }
  const bool comparison = reader_.offset() == offset;
  Expected<Matches> matches = comparison ? ParseComparison(subject.field) : ParseEquals(subject.field);
  KLIP_RETURN_IF_ERROR(matches.status());
  Expected<Boxes> boxes = BoxesOf(subject, *matches, negated != unequal);
  if (!boxes.ok() && !boxes.status().message().starts_with("at offset")) {
    return TextReader::ErrorAt(offset, boxes.status().message());
  }
  return boxes;
}

// Parses what follows '=' or '!='.
Expected<QueryParser::Matches> QueryParser::ParseEquals(const KeyField& field) {
  if (reader_.Consume('~')) {
    reader_.SkipBlanks();
    KLIP_ASSIGN_OR_RETURN(Value mask, ParseValue(field));
    return Matches{ByteMask{mask.starts_with ? mask.text + '*' : mask.text}};
  }
  reader_.SkipBlanks();
  if (reader_.Consume(std::string_view(".."))) {
    return ParseHigh(field, std::nullopt);
  }
  const char next = reader_.Peek(1);
  const bool alone = next == '\0' || IsBlank(next) || next == ')';
  if (alone && reader_.Consume('*')) {
    return Matches{AnyValue{}};
  }
  if (alone && reader_.Consume(',')) {
    return Matches{OneOf{}};
  }
  KLIP_ASSIGN_OR_RETURN(Value value, ParseValue(field));
  if (reader_.Consume(std::string_view(".."))) {
    return ParseHigh(field, std::move(value));
  }
  if (!value.starts_with && reader_.Peek() == ',') {
    return ParseList(field, std::move(value));
  }
  if (const std::optional<rowkey::TimeSpan> span = SpanOf(field, value)) {
    KLIP_ASSIGN_OR_RETURN(FieldMatch match, MatchOfSpan(field, *span));
    return Matches{std::move(match)};
  }
  if (value.starts_with) {
    return Matches{StartsWith{std::move(value.text)}};
  }
  return Matches{Exact{std::move(value.text)}};
}

// Parses what follows "..".
Expected<QueryParser::Matches> QueryParser::ParseHigh(const KeyField& field, std::optional<Value> low) {
  Between match;
  if (low) {
    match.low = BoundOf(field, *low, /*last=*/false);
  }
  if (!AtValueEnd()) {
    KLIP_ASSIGN_OR_RETURN(Value high, ParseValue(field));
    match.high = BoundOf(field, high, /*last=*/true);
  }
  return Matches{std::move(match)};
}

// A comma at the end makes a list of one. Values that name a span of time become ranges beside the list.
Expected<QueryParser::Matches> QueryParser::ParseList(const KeyField& field, Value first) {
  OneOf list;
  Matches spans;
  Value value = std::move(first);
  while (true) {
    if (const std::optional<rowkey::TimeSpan> span = SpanOf(field, value)) {
      KLIP_ASSIGN_OR_RETURN(FieldMatch match, MatchOfSpan(field, *span));
      spans.push_back(std::move(match));
    } else if (value.starts_with) {
      return TextReader::ErrorAt(reader_.offset() - 1, "a list can only contain whole values; quote a literal '*'");
    } else {
      list.values.push_back(std::move(value.text));
    }
    if (!reader_.Consume(',') || AtValueEnd()) {
      break;
    }
    KLIP_ASSIGN_OR_RETURN(value, ParseValue(field));
  }
  if (!list.values.empty()) {
    spans.emplace_back(std::move(list));
  }
  return spans;
}

Expected<QueryParser::Matches> QueryParser::ParseComparison(const KeyField& field) {
  const char op = reader_.Peek();
  reader_.Advance();
  const bool inclusive = reader_.Consume('=');
  reader_.SkipBlanks();
  KLIP_ASSIGN_OR_RETURN(Value value, ParseValue(field));
  Between match;
  if (op == '>') {
    match.low = BoundOf(field, value, /*last=*/!inclusive);
    match.include_low = inclusive;
  } else {
    match.high = BoundOf(field, value, /*last=*/inclusive);
    match.include_high = inclusive;
  }
  return Matches{std::move(match)};
}

bool HoldsTimes(const KeyField& field) {
  return field.type == KeyFieldType::kTimestamp || field.type == KeyFieldType::kReverseTimestamp;
}

std::optional<rowkey::TimeSpan> QueryParser::SpanOf(const KeyField& field, const Value& value) {
  if (!HoldsTimes(field) && field.type != KeyFieldType::kDate) {
    return std::nullopt;
  }
  if (rowkey::IsRelativeTime(value.text) && !value.starts_with) {
    if (!now_ms_) {
      const auto since_1970 = std::chrono::system_clock::now().time_since_epoch();
      now_ms_ = std::chrono::duration_cast<std::chrono::milliseconds>(since_1970).count();
    }
    return rowkey::ParseRelativeTime(value.text, *now_ms_);
  }
  if (std::optional<rowkey::TimeSpan> span = rowkey::ParseTime(value.text)) {
    return span;
  }
  // A year: 2014 for a date; 2014* for a time, where 2014 is a number of milliseconds.
  if (value.text.size() != 4 || HoldsTimes(field) != value.starts_with) {
    return std::nullopt;
  }
  const std::optional<rowkey::TimeSpan> first = rowkey::ParseTime(value.text + "-01");
  const std::optional<rowkey::TimeSpan> last = rowkey::ParseTime(value.text + "-12");
  return first && last ? std::optional(rowkey::TimeSpan{first->first_ms, last->last_ms}) : std::nullopt;
}

Expected<FieldMatch> QueryParser::MatchOfSpan(const KeyField& field, const rowkey::TimeSpan& span) const {
  std::optional<std::string> low = std::to_string(span.first_ms);
  std::optional<std::string> high = std::to_string(span.last_ms);
  if (field.type == KeyFieldType::kDate) {
    low = rowkey::DayOf(span.first_ms);
    high = rowkey::DayOf(span.last_ms);
    if (!low || !high) {
      return TextReader::ErrorAt(reader_.offset(), "the day is outside the years 0 to 9999");
    }
  }
  if (low == high) {
    return FieldMatch(Exact{*std::move(low)});
  }
  return FieldMatch(Between{.low = std::move(low), .high = std::move(high)});
}

std::string QueryParser::BoundOf(const KeyField& field, const Value& value, bool last) {
  std::optional<std::string> bound;
  if (const std::optional<rowkey::TimeSpan> span = SpanOf(field, value)) {
    const int64_t time_ms = last ? span->last_ms : span->first_ms;
    bound = field.type == KeyFieldType::kDate ? rowkey::DayOf(time_ms) : std::to_string(time_ms);
  }
  return bound ? *std::move(bound) : value.text + (value.starts_with ? "*" : "");
}

Expected<QueryParser::Value> QueryParser::ParseValue(const KeyField& field) {
  Value value;
  if (reader_.Peek() == '\'' || reader_.Peek() == '"') {
    const size_t offset = reader_.offset();
    const bool escapes = reader_.Peek() == '"' && field.type != KeyFieldType::kBytes;  // which reads them itself
    std::optional<std::string> quoted = reader_.Quoted();
    if (!quoted) {
      return TextReader::Unclosed(offset);
    }
    value.text = escapes ? FromStringBinary(*quoted) : *std::move(quoted);
    value.starts_with = reader_.Consume('*');
    return value;
  }
  if (std::string_view("=<>").find(reader_.Peek()) != std::string_view::npos && !reader_.AtEnd()) {
    return reader_.Expect("a value; quote one that begins with = < or >");
  }
  size_t start = reader_.offset();
  while (!AtValueEnd() && !(reader_.Peek() == '.' && reader_.Peek(1) == '.')) {
    reader_.Advance();
  }
  if (reader_.Peek() == '(') {
    return reader_.Expect("the end of the value; quote one with parentheses");
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

Expected<KeyQuery> ParseQueryText(const RowKeySchema* schema, const rowkey::QueryNames* names, std::string_view text,
                                  std::optional<int64_t> now_ms) {
  if (text.size() > kMaxQueryTextBytes) {
    return Status(Code::kInvalidArgument, "key query: " + std::to_string(text.size()) + " bytes of text, at most " +
                                              std::to_string(kMaxQueryTextBytes) + " are allowed");
  }
  Expected<KeyQuery> query = QueryParser(schema, names, text, now_ms).Parse();
  if (!query.ok()) {
    return Status(query.status().code(), "key query: " + query.status().message());
  }
  return query;
}

}  // namespace

Expected<KeyQuery> RowKeySchema::ParseQuery(std::string_view text, std::optional<int64_t> now_ms) const {
  return ParseQueryText(this, nullptr, text, now_ms);
}

Expected<KeyQuery> rowkey::ParseQuery(const QueryNames& names, std::string_view text, std::optional<int64_t> now_ms) {
  return ParseQueryText(names.schema.has_value() ? &*names.schema : nullptr, &names, text, now_ms);
}

}  // namespace klip
