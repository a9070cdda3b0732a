// The text form of an index: klip/index.h has the grammar.
#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <utility>

#include "klip/bytes.h"
#include "klip/index.h"
#include "rowkey/schema_parser.h"
#include "rowkey/text_reader.h"

namespace klip {
namespace {

using rowkey::TextReader;

constexpr std::string_view kKeyPrefix = "key.";

class IndexParser {
 public:
  IndexParser(std::string_view name, std::string_view text) : reader_(text) { index_.name = name; }

  Expected<IndexDescriptor> Parse();

 private:
  Status ParseParts();
  Status ParseField();
  Status ParseFieldType(IndexField* field);
  Status ParseInclude();
  Status ParseWhere();
  Status ParseOptions();
  Expected<std::string> Word(std::string_view what);
  Expected<std::string> Column();
  bool Keyword(std::string_view word);

  TextReader reader_;
  IndexDescriptor index_;
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
  return ParseOptions();
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
  while (!reader_.AtEnd() && !rowkey::IsBlank(reader_.Peek()) && reader_.Peek() != ',' && reader_.Peek() != '=') {
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
  const auto same = [](unsigned char a, unsigned char b) { return std::toupper(a) == b; };
  if (!std::equal(found.begin(), found.end(), word.begin(), word.end(), same)) {
    return false;
  }
  reader_ = ahead;
  return true;
}

Status IndexParser::ParseField() {
  reader_.SkipBlanks();
  IndexField field;
  if (reader_.Rest().starts_with(kKeyPrefix) &&
      reader_.Rest().substr(0, reader_.Rest().find_first_of(" ,")).find(':') == std::string_view::npos) {
    reader_.Advance(kKeyPrefix.size());
    field.key_field = reader_.Identifier();
    if (field.key_field.empty()) {
      return reader_.Expect("the name of a field of the row key");
    }
  } else {
    KLIP_ASSIGN_OR_RETURN(field.column, Column());
    KLIP_RETURN_IF_ERROR(ParseFieldType(&field));
  }
  if (std::find(index_.fields.begin(), index_.fields.end(), field) != index_.fields.end()) {
    return {Code::kInvalidArgument, "field '" + field.column + field.key_field + "' occurs twice"};
  }
  index_.fields.push_back(std::move(field));
  reader_.SkipBlanks();
  return Status::Ok();
}

// The row-key schema's parser reads the type.
Status IndexParser::ParseFieldType(IndexField* field) {
  const auto at_field = [&](const std::string& message) {
    return Status(Code::kInvalidArgument, "field '" + ToStringBinary(field->column) + "': " + message);
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
    KLIP_ASSIGN_OR_RETURN(std::string column, Column());
    reader_.SkipBlanks();
    if (!reader_.Consume('=')) {
      return reader_.Expect("'='");
    }
    KLIP_ASSIGN_OR_RETURN(std::string value, Word("a value"));
    index_.where.emplace_back(std::move(column), std::move(value));
  } while (Keyword("AND"));
  return Status::Ok();
}

Status IndexParser::ParseOptions() {
  while (true) {
    reader_.SkipBlanks();
    if (reader_.AtEnd()) {
      return Status::Ok();
    }
    if (Keyword("UNIQUE")) {
      index_.unique = true;
    } else if (Keyword("IMMUTABLE")) {
      index_.immutable = true;
    } else {
      return reader_.Expect("',', INCLUDE, WHERE, UNIQUE, IMMUTABLE or the end");
    }
  }
}

// In quotes if it needs them.
std::string WordText(std::string_view word) {
  const bool plain = !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return c > ' ' && c < 0x7F && std::string_view(",='\"\\").find(c) == std::string_view::npos;
  });
  return plain ? std::string(word) : rowkey::QuoteText(ToStringBinary(word));
}

}  // namespace

Expected<IndexDescriptor> IndexDescriptor::Parse(std::string_view name, std::string_view text) {
  return IndexParser(name, text).Parse();
}

std::string IndexDescriptor::ToString() const {
  std::string out;
  for (const IndexField& field : fields) {
    out += out.empty() ? "" : ", ";
    out +=
        field.key_field.empty() ? WordText(field.column) + " " + field.type : std::string(kKeyPrefix) + field.key_field;
  }
  for (size_t i = 0; i < include.size(); ++i) {
    out += (i == 0 ? " INCLUDE " : ", ") + WordText(include[i]);
  }
  for (size_t i = 0; i < where.size(); ++i) {
    out += (i == 0 ? " WHERE " : " AND ") + WordText(where[i].first) + " = " +
           rowkey::QuoteText(ToStringBinary(where[i].second));
  }
  return out + (unique ? " UNIQUE" : "") + (immutable ? " IMMUTABLE" : "");
}

}  // namespace klip
