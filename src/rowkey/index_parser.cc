// The text form of an index: klip/index.h has the grammar.
#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <utility>

#include "klip/bytes.h"
#include "klip/index.h"
#include "rowkey/index_definition.h"
#include "rowkey/schema_parser.h"
#include "rowkey/text_reader.h"

namespace klip {
namespace {

using rowkey::EqualsIgnoringCase;
using rowkey::TextReader;

constexpr std::string_view kKeyPrefix = "key.";

constexpr IndexFunction kFunctions[] = {IndexFunction::kUpper, IndexFunction::kLower, IndexFunction::kHash,
                                        IndexFunction::kBucket};
constexpr int kHashBytes = 16;
constexpr int kMostBuckets = 256;

// In quotes if it needs them.
std::string WordText(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return c > ' ' && c < 0x7F && std::string_view(",='\"\\()").find(c) == std::string_view::npos;
  });
  return plain ? std::string(word) : rowkey::QuoteText(ToStringBinary(word));
}

std::string ExpressionText(const std::string& sql) { return "sql(" + rowkey::QuoteText(ToStringBinary(sql)) + ")"; }

// "f:name", "upper(key.name)", "bucket(f:user, 16)": without the type.
std::string FieldText(const IndexField& field) {
  if (!field.expression.empty()) {
    return ExpressionText(field.expression);
  }
  const std::string value =
      field.key_field.empty() ? WordText(field.column) : std::string(kKeyPrefix) + field.key_field;
  if (field.function == IndexFunction::kNone) {
    return value;
  }
  const bool sized = field.size != 0 && !(field.function == IndexFunction::kHash && field.size == kHashBytes);
  return rowkey::NameOf(field.function) + "(" + value + (sized ? ", " + std::to_string(field.size) : "") + ")";
}

class IndexParser {
 public:
  IndexParser(std::string_view name, std::string_view text) : reader_(text) { index_.name = name; }

  Expected<IndexDescriptor> Parse();

 private:
  Status ParseParts();
  Status ParseField();
  bool TakeFunction(IndexField* field);
  Status ParseValue(IndexField* field);
  Status ParseFunctionEnd(IndexField* field);
  Status ParseFieldType(IndexField* field);
  Expected<std::string> TakeExpression();
  Status ParseCondition();
  Status ParseInclude();
  Status ParseWhere();
  Status ParseOptions();
  Expected<std::string> Word(std::string_view what);
  Expected<std::string> Column();
  Expected<std::string> QuotedWord(std::string_view what);
  bool Keyword(std::string_view word);

  TextReader reader_;
  IndexDescriptor index_;
  bool in_function_ = false;  // names end at the closing parenthesis
};

Expected<IndexDescriptor> IndexParser::Parse() {
  const auto of_name = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (index_.name.empty() || !std::all_of(index_.name.begin(), index_.name.end(), of_name)) {
    return Status(Code::kInvalidArgument, "the name of an index must consist of letters, digits and _, not '" +
                                              ToStringBinary(index_.name) + "'");
  }
  if (const Status parsed = ParseParts(); !parsed.ok()) {
    return Status(parsed.code(), "index '" + index_.name + "': " + parsed.message());
  }
  return std::move(index_);
}

Status IndexParser::ParseParts() {
  do {
    KLIP_RETURN_IF_ERROR(ParseField());
  } while (reader_.Consume(','));
  if (Keyword("INCLUDE")) {
    KLIP_RETURN_IF_ERROR(ParseInclude());
  }
  if (Keyword("WHERE")) {
    KLIP_RETURN_IF_ERROR(ParseWhere());
  }
  if (Keyword("FOR")) {
    KLIP_ASSIGN_OR_RETURN(index_.sql_table, QuotedWord("a CREATE TABLE in quotes"));
  }
  const bool has_sql = !index_.condition.empty() ||
                       std::ranges::any_of(index_.fields, [](const auto& field) { return !field.expression.empty(); });
  if (has_sql && index_.sql_table.empty()) {
    return reader_.Expect("FOR 'CREATE TABLE ...' with the columns that sql() names");
  }
  if (!has_sql && !index_.sql_table.empty()) {
    return {Code::kInvalidArgument, "FOR names the columns of sql(), which the index does not have"};
  }
  return ParseOptions();
}

Expected<std::string> IndexParser::QuotedWord(std::string_view what) {
  reader_.SkipBlanks();
  return reader_.Peek() == '\'' || reader_.Peek() == '"' ? Word(what) : Expected<std::string>(reader_.Expect(what));
}

// "sql('a + b')"; empty: something else is there.
Expected<std::string> IndexParser::TakeExpression() {
  reader_.SkipBlanks();
  TextReader ahead = reader_;
  if (!EqualsIgnoringCase(ahead.Identifier(), "sql") || !ahead.Consume('(')) {
    return std::string();
  }
  reader_ = ahead;
  KLIP_ASSIGN_OR_RETURN(std::string sql, QuotedWord("an SQL expression in quotes"));
  reader_.SkipBlanks();
  return sql.empty() || !reader_.Consume(')') ? Expected<std::string>(reader_.Expect("an SQL expression and ')'"))
                                              : Expected<std::string>(std::move(sql));
}

// A word without blanks, or in quotes.
Expected<std::string> IndexParser::Word(std::string_view what) {
  reader_.SkipBlanks();
  if (reader_.Peek() == '\'' || reader_.Peek() == '"') {
    const size_t offset = reader_.offset();
    const std::optional<std::string> quoted = reader_.Quoted();
    return quoted.has_value() ? Expected<std::string>(FromStringBinary(*quoted)) : TextReader::Unclosed(offset);
  }
  std::string word;
  const std::string_view ends = in_function_ ? ",=)" : ",=";
  while (!reader_.AtEnd() && !rowkey::IsBlank(reader_.Peek()) && ends.find(reader_.Peek()) == std::string_view::npos) {
    word.push_back(reader_.Peek());
    reader_.Advance();
  }
  return word.empty() ? Expected<std::string>(reader_.Expect(what)) : Expected<std::string>(std::move(word));
}

Expected<std::string> IndexParser::Column() {
  constexpr std::string_view kColumn = "a column, family:qualifier";
  reader_.SkipBlanks();
  const size_t offset = reader_.offset();
  KLIP_ASSIGN_OR_RETURN(std::string column, Word(kColumn));
  if (column.find(':') == std::string::npos || column.front() == ':') {
    return TextReader::ErrorAt(offset, "expected " + std::string(kColumn) + ", found '" + ToStringBinary(column) + "'");
  }
  return column;
}

bool IndexParser::Keyword(std::string_view word) {
  reader_.SkipBlanks();
  TextReader ahead = reader_;
  const std::string_view found = ahead.Identifier();
  if (!EqualsIgnoringCase(found, word)) {
    return false;
  }
  reader_ = ahead;
  return true;
}

Status IndexParser::ParseField() {
  reader_.SkipBlanks();
  IndexField field;
  KLIP_ASSIGN_OR_RETURN(field.expression, TakeExpression());
  if (field.expression.empty()) {
    in_function_ = TakeFunction(&field);
    KLIP_RETURN_IF_ERROR(ParseValue(&field));
    if (in_function_) {
      KLIP_RETURN_IF_ERROR(ParseFunctionEnd(&field));
      in_function_ = false;
    }
  }
  if (field.key_field.empty() && field.function != IndexFunction::kHash && field.function != IndexFunction::kBucket) {
    KLIP_RETURN_IF_ERROR(ParseFieldType(&field));
  }
  field.optional = Keyword("optional");
  if (field.optional && !field.key_field.empty()) {
    return {Code::kInvalidArgument, "field '" + FieldText(field) + "': every row has it, so it cannot be optional"};
  }
  if (std::find(index_.fields.begin(), index_.fields.end(), field) != index_.fields.end()) {
    return {Code::kInvalidArgument, "field '" + FieldText(field) + "' occurs twice"};
  }
  index_.fields.push_back(std::move(field));
  reader_.SkipBlanks();
  return Status::Ok();
}

// "upper(", without a blank between.
bool IndexParser::TakeFunction(IndexField* field) {
  TextReader ahead = reader_;
  const std::string_view name = ahead.Identifier();
  const auto* const found = std::ranges::find_if(
      kFunctions, [&](IndexFunction function) { return EqualsIgnoringCase(name, rowkey::NameOf(function)); });
  if (found == std::end(kFunctions) || !ahead.Consume('(')) {
    return false;
  }
  field->function = *found;
  reader_ = ahead;
  return true;
}

// A column or a field of the row key.
Status IndexParser::ParseValue(IndexField* field) {
  reader_.SkipBlanks();
  if (!reader_.Rest().starts_with(kKeyPrefix) ||
      reader_.Rest().substr(0, reader_.Rest().find_first_of(in_function_ ? " ,)" : " ,")).find(':') !=
          std::string_view::npos) {
    KLIP_ASSIGN_OR_RETURN(field->column, Column());
    return Status::Ok();
  }
  reader_.Advance(kKeyPrefix.size());
  field->key_field = reader_.Identifier();
  return field->key_field.empty() ? reader_.Expect("the name of a field of the row key") : Status::Ok();
}

// ")", or ", 16)".
Status IndexParser::ParseFunctionEnd(IndexField* field) {
  const bool hash = field->function == IndexFunction::kHash;
  const bool bucket = field->function == IndexFunction::kBucket;
  constexpr const char* kBuckets = "a number of buckets from 2 to 256";
  field->size = hash ? kHashBytes : 0;
  reader_.SkipBlanks();
  if ((hash || bucket) && reader_.Consume(',')) {
    reader_.SkipBlanks();
    const size_t offset = reader_.offset();
    const std::optional<int> size = reader_.Number(hash ? kHashBytes : kMostBuckets);
    if (!size.has_value() || *size < (hash ? 1 : 2)) {
      return reader_.ExpectAt(offset, hash ? "a number of bytes from 1 to 16" : kBuckets);
    }
    field->size = *size;
    reader_.SkipBlanks();
  }
  if (bucket && field->size == 0) {
    return reader_.Expect(std::string("',' and ") + kBuckets);
  }
  return reader_.Consume(')') ? Status::Ok() : reader_.Expect("')'");
}

// The row-key schema's parser reads the type.
Status IndexParser::ParseFieldType(IndexField* field) {
  const auto at_field = [&](const std::string& message) {
    return Status(Code::kInvalidArgument,
                  "field '" + ToStringBinary(field->column + field->expression) + "': " + message);
  };
  reader_.SkipBlanks();
  const size_t start = reader_.offset();
  (void)reader_.Identifier();
  if (reader_.Consume('(')) {
    while (!reader_.AtEnd() && reader_.Peek() != ')') {
      if (!reader_.Quoted().has_value()) {
        reader_.Advance();
      }
    }
    reader_.Consume(')');
  }
  std::string type(reader_.Since(start));
  if (Keyword("DESC")) {
    type += " desc";
  }
  if (type.empty()) {
    return at_field("a type is missing, such as text, u32 or date");
  }
  const Expected<std::vector<KeyField>> parsed = rowkey::ParseFields("x:" + type);
  if (!parsed.ok()) {
    return at_field("'" + type + "' is not a type: " + parsed.status().message());
  }
  const KeyField& key = parsed->front();
  if (field->function != IndexFunction::kNone && key.type != KeyFieldType::kText) {
    return at_field("upper and lower take text, not " + type);
  }
  if (parsed->size() != 1 || key.type == KeyFieldType::kHash || key.derived() || key.truncate || key.delimiter) {
    return at_field("'" + type + "' is not a type of an indexed column");
  }
  field->type = rowkey::FieldsToString(*parsed).substr(2);
  return Status::Ok();
}

Status IndexParser::ParseInclude() {
  do {
    KLIP_ASSIGN_OR_RETURN(std::string column, Column());
    if (std::find(index_.include.begin(), index_.include.end(), column) == index_.include.end()) {
      index_.include.push_back(std::move(column));
    }
    reader_.SkipBlanks();
  } while (reader_.Consume(','));
  return Status::Ok();
}

Status IndexParser::ParseWhere() {
  do {
    KLIP_RETURN_IF_ERROR(ParseCondition());
  } while (Keyword("AND"));
  return Status::Ok();
}

Status IndexParser::ParseCondition() {
  KLIP_ASSIGN_OR_RETURN(std::string condition, TakeExpression());
  if (!condition.empty()) {
    if (!index_.condition.empty()) {
      return {Code::kInvalidArgument, "WHERE has several sql(): join their conditions by AND"};
    }
    index_.condition = std::move(condition);
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(std::string column, Column());
  reader_.SkipBlanks();
  if (!reader_.Consume('=')) {
    return reader_.Expect("'='");
  }
  KLIP_ASSIGN_OR_RETURN(std::string value, Word("a value"));
  index_.where.emplace_back(std::move(column), std::move(value));
  return Status::Ok();
}

Status IndexParser::ParseOptions() {
  while (true) {
    reader_.SkipBlanks();
    if (reader_.AtEnd()) {
      if (index_.history && !index_.sql_table.empty()) {
        return {Code::kInvalidArgument, "HISTORY and sql() cannot be combined"};
      }
      if (index_.history && std::ranges::any_of(index_.fields, &IndexField::optional)) {
        return {Code::kInvalidArgument, "HISTORY and optional fields cannot be combined"};
      }
      return !index_.history || !index_.unique
                 ? Status::Ok()
                 : Status(Code::kInvalidArgument,
                          "UNIQUE concerns the newest values, HISTORY adds older ones: declare two indexes");
    }
    if (Keyword("UNIQUE")) {
      index_.unique = true;
    } else if (Keyword("IMMUTABLE")) {
      index_.immutable = true;
    } else if (Keyword("SKIP")) {
      index_.skip_invalid = Keyword("INVALID");
      if (!index_.skip_invalid) {
        return reader_.Expect("INVALID");
      }
    } else if (Keyword("HISTORY")) {
      index_.history = true;
    } else {
      return reader_.Expect("optional, ',', INCLUDE, WHERE, UNIQUE, IMMUTABLE, SKIP INVALID, HISTORY or the end");
    }
  }
}

}  // namespace

Expected<IndexDescriptor> IndexDescriptor::Parse(std::string_view name, std::string_view text) {
  return IndexParser(name, text).Parse();
}

std::string IndexDescriptor::ToString() const {
  std::string out;
  for (const IndexField& field : fields) {
    out += out.empty() ? "" : ", ";
    out += FieldText(field) + (field.type.empty() ? "" : " " + field.type) + (field.optional ? " optional" : "");
  }
  for (size_t i = 0; i < include.size(); ++i) {
    out += (i == 0 ? " INCLUDE " : ", ") + WordText(include[i]);
  }
  for (size_t i = 0; i < where.size(); ++i) {
    out += (i == 0 ? " WHERE " : " AND ") + WordText(where[i].first) + " = " +
           rowkey::QuoteText(ToStringBinary(where[i].second));
  }
  if (!condition.empty()) {
    out += (where.empty() ? " WHERE " : " AND ") + ExpressionText(condition);
  }
  if (!sql_table.empty()) {
    out += " FOR " + rowkey::QuoteText(ToStringBinary(sql_table));
  }
  return out + (unique ? " UNIQUE" : "") + (immutable ? " IMMUTABLE" : "") + (skip_invalid ? " SKIP INVALID" : "") +
         (history ? " HISTORY" : "");
}

}  // namespace klip
