#include "rowkey/schema_parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "klip/bytes.h"
#include "rowkey/text_reader.h"

namespace klip::rowkey {
namespace {

struct FixedType {
  std::string_view word;
  KeyFieldType type;
  int width_bytes;
};
constexpr std::array<FixedType, 11> kFixedTypes = {{
    {"date", KeyFieldType::kDate, 8},
    {"u8", KeyFieldType::kUnsigned, 1},
    {"u16", KeyFieldType::kUnsigned, 2},
    {"u32", KeyFieldType::kUnsigned, 4},
    {"u64", KeyFieldType::kUnsigned, 8},
    {"i8", KeyFieldType::kSigned, 1},
    {"i16", KeyFieldType::kSigned, 2},
    {"i32", KeyFieldType::kSigned, 4},
    {"i64", KeyFieldType::kSigned, 8},
    {"ts", KeyFieldType::kTimestamp, 8},
    {"reverse_ts", KeyFieldType::kReverseTimestamp, 8},
}};

struct HashType {
  std::string_view word;
  KeyHash hash;
  int digest_bytes;
};
constexpr std::array<HashType, 3> kHashTypes = {{
    {"md5", KeyHash::kMd5, 16},
    {"sha1", KeyHash::kSha1, 20},
    {"sha256", KeyHash::kSha256, 32},
}};

constexpr std::string_view kTypeNames =
    "a type (text, bytes, digits, date, u8..u64, i8..i64, ts, reverse_ts, md5, sha1, sha256, salt)";

class SchemaParser {
 public:
  explicit SchemaParser(std::string_view text) : reader_(text) {}

  Expected<std::vector<KeyField>> Parse();

 private:
  // A reference of a hash or salt to a field that is defined later.
  struct Source {
    size_t field;
    std::string name;
    size_t offset;
    int source = -1;
  };

  Status ParsePart();
  Status ParseLiteral();
  Status ParseType(KeyField* field);
  Status ParseText(KeyField* field);
  Status ParseTextOptions(KeyField* field);
  Status ParseBytes(KeyField* field);
  Status ParseDelimiter(KeyField* field);
  Status ParseHash(const HashType& type, KeyField* field);
  Status ParseSalt(KeyField* field);
  Status ParseDescending(KeyField* field);
  Status ParseWidth(KeyField* field);
  Status ParseSources(bool width_may_follow, KeyField* field, int max_width);
  Status ExpectChar(char c);
  Expected<char> ParseByte(std::string_view what);
  Status Add(KeyField field, size_t offset);
  Status ResolveSources();

  TextReader reader_;
  std::vector<KeyField> fields_;
  std::vector<Source> sources_;
  int fixed_bytes_ = 0;
};

Expected<std::vector<KeyField>> SchemaParser::Parse() {
  reader_.SkipBlanks();
  if (reader_.AtEnd()) {
    return reader_.Expect("a field such as name:text(10)");
  }
  while (!reader_.AtEnd()) {
    KLIP_RETURN_IF_ERROR(ParsePart());
    if (!reader_.SkipBlanks() && !reader_.AtEnd()) {
      return reader_.Expect("a blank before the next part");
    }
  }
  KLIP_RETURN_IF_ERROR(ResolveSources());
  if (std::all_of(fields_.begin(), fields_.end(), [](const KeyField& field) { return field.derived(); })) {
    return reader_.Expect("a field that needs a value");
  }
  return std::move(fields_);
}

Status SchemaParser::ParsePart() {
  size_t offset = reader_.offset();
  if (!fields_.empty() && fields_.back().width_bytes == 0 && !fields_.back().delimiter) {
    return TextReader::ErrorAt(offset, "nothing can follow field '" + fields_.back().name +
                                           "', which has no end: give it a width or a delimiter");
  }
  if (reader_.Peek() == '\'') {
    return ParseLiteral();
  }
  KeyField field;
  std::string_view name = reader_.Identifier();
  if (name.empty()) {
    return reader_.Expect("a field name or a quoted literal");
  }
  field.name = name;
  if (name == "salt" && reader_.Peek() == '(') {
    KLIP_RETURN_IF_ERROR(ParseSalt(&field));
  } else {
    KLIP_RETURN_IF_ERROR(ExpectChar(':'));
    KLIP_RETURN_IF_ERROR(ParseType(&field));
  }
  return Add(std::move(field), offset);
}

Status SchemaParser::ParseLiteral() {
  size_t offset = reader_.offset();
  std::optional<std::string> quoted = reader_.Quoted();
  if (!quoted) {
    return TextReader::Unclosed(offset);
  }
  KeyField field;
  field.type = KeyFieldType::kLiteral;
  field.literal = FromStringBinary(*quoted);
  field.width_bytes = static_cast<int>(field.literal.size());
  if (field.literal.empty()) {
    return TextReader::ErrorAt(offset, "expected at least one byte between the quotes, found none");
  }
  return Add(std::move(field), offset);
}

Status SchemaParser::ParseType(KeyField* field) {
  size_t offset = reader_.offset();
  std::string_view word = reader_.Identifier();
  if (word == "text") {
    KLIP_RETURN_IF_ERROR(ParseText(field));
    return ParseDescending(field);
  }
  if (word == "bytes") {
    KLIP_RETURN_IF_ERROR(ParseBytes(field));
    return ParseDescending(field);
  }
  if (word == "digits") {
    field->type = KeyFieldType::kDigits;
    KLIP_RETURN_IF_ERROR(ExpectChar('('));
    KLIP_RETURN_IF_ERROR(ParseWidth(field));
    KLIP_RETURN_IF_ERROR(ExpectChar(')'));
    return ParseDescending(field);
  }
  if (word == "salt") {
    return ParseSalt(field);
  }
  for (const HashType& type : kHashTypes) {
    if (word == type.word) {
      return ParseHash(type, field);
    }
  }
  for (const FixedType& type : kFixedTypes) {
    if (word == type.word) {
      field->type = type.type;
      field->width_bytes = type.width_bytes;
      return ParseDescending(field);
    }
  }
  if (word.empty()) {
    return reader_.Expect(kTypeNames);
  }
  return TextReader::ErrorAt(offset, "expected " + std::string(kTypeNames) + ", found '" + std::string(word) + "'");
}

Status SchemaParser::ParseText(KeyField* field) {
  field->type = KeyFieldType::kText;
  if (!reader_.Consume('(')) {
    return Status::Ok();
  }
  reader_.SkipBlanks();
  if (reader_.Peek() == '\'') {
    KLIP_RETURN_IF_ERROR(ParseDelimiter(field));
  } else {
    KLIP_RETURN_IF_ERROR(ParseWidth(field));
    KLIP_RETURN_IF_ERROR(ParseTextOptions(field));
  }
  return ExpectChar(')');
}

// The options after the width of text(10,'*',truncate).
Status SchemaParser::ParseTextOptions(KeyField* field) {
  bool padded = false;
  while (reader_.SkipBlanks(), reader_.Consume(',')) {
    reader_.SkipBlanks();
    if (reader_.Peek() == '\'' && !padded && !field->truncate) {
      KLIP_ASSIGN_OR_RETURN(field->pad, ParseByte("one byte to pad with"));
      padded = true;
    } else if (!field->truncate && reader_.Consume(std::string_view("truncate"))) {
      field->truncate = true;
    } else {
      return reader_.Expect(padded || field->truncate ? "')'" : "a quoted byte to pad with or 'truncate'");
    }
  }
  return Status::Ok();
}

Status SchemaParser::ParseBytes(KeyField* field) {
  field->type = KeyFieldType::kBytes;
  if (!reader_.Consume('(')) {
    return Status::Ok();
  }
  reader_.SkipBlanks();
  if (reader_.Peek() == '\'') {
    KLIP_RETURN_IF_ERROR(ParseDelimiter(field));
  } else {
    KLIP_RETURN_IF_ERROR(ParseWidth(field));
  }
  return ExpectChar(')');
}

Status SchemaParser::ParseDelimiter(KeyField* field) {
  KLIP_ASSIGN_OR_RETURN(char delimiter, ParseByte("one byte as delimiter"));
  field->delimiter = delimiter;
  return Status::Ok();
}

// md5, md5(8), md5(user) and md5(user,org,8).
Status SchemaParser::ParseHash(const HashType& type, KeyField* field) {
  field->type = KeyFieldType::kHash;
  field->hash = type.hash;
  field->width_bytes = type.digest_bytes;
  if (!reader_.Consume('(')) {
    return Status::Ok();
  }
  KLIP_RETURN_IF_ERROR(ParseSources(true, field, type.digest_bytes));
  return ExpectChar(')');
}

Status SchemaParser::ParseSalt(KeyField* field) {
  field->type = KeyFieldType::kSalt;
  field->width_bytes = 1;
  KLIP_RETURN_IF_ERROR(ExpectChar('('));
  reader_.SkipBlanks();
  size_t offset = reader_.offset();
  std::optional<int> buckets = reader_.Number(256);
  if (!buckets || *buckets < 2) {
    return reader_.ExpectAt(offset, "a number of salt buckets from 2 to 256");
  }
  field->salt_buckets = *buckets;
  reader_.SkipBlanks();
  if (reader_.Consume(',')) {
    KLIP_RETURN_IF_ERROR(ParseSources(false, field, 0));
  }
  return ExpectChar(')');
}

// Names of fields, separated by commas; for hashes a width may end the list or be the only argument.
Status SchemaParser::ParseSources(bool width_may_follow, KeyField* field, int max_width) {
  do {
    reader_.SkipBlanks();
    size_t offset = reader_.offset();
    std::string_view name = reader_.Identifier();
    if (!name.empty()) {
      sources_.push_back({.field = fields_.size(), .name = std::string(name), .offset = offset});
    } else if (width_may_follow) {
      std::optional<int> width = reader_.Number(max_width);
      if (!width || *width < 1) {
        return reader_.ExpectAt(offset, "a field name or a width from 1 to " + std::to_string(max_width));
      }
      field->width_bytes = *width;
      return Status::Ok();
    } else {
      return reader_.Expect("a field name");
    }
    reader_.SkipBlanks();
  } while (reader_.Consume(','));
  return Status::Ok();
}

Status SchemaParser::ParseDescending(KeyField* field) {
  TextReader ahead = reader_;
  if (!ahead.SkipBlanks()) {
    return Status::Ok();
  }
  size_t offset = ahead.offset();
  if (ahead.Identifier() != "desc" || ahead.Peek() == ':') {
    return Status::Ok();
  }
  if (field->width_bytes == 0) {
    return TextReader::ErrorAt(offset, "only a part of fixed width can be 'desc'");
  }
  field->descending = true;
  reader_ = ahead;
  return Status::Ok();
}

Status SchemaParser::ParseWidth(KeyField* field) {
  reader_.SkipBlanks();
  size_t offset = reader_.offset();
  std::optional<int> width = reader_.Number(kMaxRowBytes);
  if (!width || *width < 1) {
    return reader_.ExpectAt(offset, "a width from 1 to " + std::to_string(kMaxRowBytes));
  }
  field->width_bytes = *width;
  return Status::Ok();
}

Status SchemaParser::ExpectChar(char c) {
  if (c == ')') {
    reader_.SkipBlanks();
  }
  if (!reader_.Consume(c)) {
    return reader_.Expect(std::string("'") + c + "'");
  }
  return Status::Ok();
}

Expected<char> SchemaParser::ParseByte(std::string_view what) {
  size_t offset = reader_.offset();
  std::optional<std::string> quoted = reader_.Quoted();
  if (!quoted) {
    return TextReader::Unclosed(offset);
  }
  std::string bytes = FromStringBinary(*quoted);
  if (bytes.size() != 1) {
    return TextReader::ErrorAt(offset, "expected " + std::string(what) + ", found " + std::to_string(bytes.size()));
  }
  return bytes[0];
}

Status SchemaParser::Add(KeyField field, size_t offset) {
  if (fields_.size() == kMaxFields) {
    return TextReader::ErrorAt(offset, "more than " + std::to_string(kMaxFields) + " parts");
  }
  for (const KeyField& other : fields_) {
    if (!field.name.empty() && other.name == field.name) {
      return TextReader::ErrorAt(offset, "field '" + field.name + "' occurs twice");
    }
  }
  fixed_bytes_ += field.width_bytes + (field.delimiter ? 1 : 0);
  if (fixed_bytes_ > kMaxRowBytes) {
    return TextReader::ErrorAt(offset, "the key is wider than " + std::to_string(kMaxRowBytes) + " bytes");
  }
  fields_.push_back(std::move(field));
  return Status::Ok();
}

Status SchemaParser::ResolveSources() {
  for (Source& source : sources_) {
    auto found = std::find_if(fields_.begin(), fields_.end(),
                              [&source](const KeyField& field) { return field.name == source.name; });
    if (found == fields_.end()) {
      return TextReader::ErrorAt(source.offset, "no field '" + source.name + "'");
    }
    source.source = static_cast<int>(found - fields_.begin());
    fields_[source.field].source_fields.push_back(source.source);
  }
  for (const Source& source : sources_) {
    if (fields_[static_cast<size_t>(source.source)].derived()) {
      return TextReader::ErrorAt(source.offset, "field '" + source.name + "' is itself derived from others");
    }
  }
  for (KeyField& field : fields_) {
    if (field.type == KeyFieldType::kSalt && field.source_fields.empty()) {
      for (size_t i = 0; i < fields_.size(); ++i) {
        if (!fields_[i].derived()) {
          field.source_fields.push_back(static_cast<int>(i));
        }
      }
    }
  }
  return Status::Ok();
}

std::string QuoteBytes(std::string_view bytes) { return QuoteText(ToStringBinary(bytes)); }

std::string_view FixedTypeWord(const KeyField& field) {
  for (const FixedType& type : kFixedTypes) {
    if (type.type == field.type && type.width_bytes == field.width_bytes) {
      return type.word;
    }
  }
  return "";
}

std::string TextToString(const KeyField& field) {
  std::string out = field.type == KeyFieldType::kText ? "text" : "bytes";
  if (field.delimiter) {
    return out + "(" + QuoteBytes(std::string(1, *field.delimiter)) + ")";
  }
  if (field.width_bytes == 0) {
    return out;
  }
  out += "(" + std::to_string(field.width_bytes);
  if (field.pad != ' ') {
    out += "," + QuoteBytes(std::string(1, field.pad));
  }
  return out + (field.truncate ? ",truncate)" : ")");
}

std::string SourceNames(const KeyField& field, const std::vector<KeyField>& fields) {
  std::string out;
  for (int index : field.source_fields) {
    out += (out.empty() ? "" : ",") + fields[static_cast<size_t>(index)].name;
  }
  return out;
}

std::string HashToString(const KeyField& field, const std::vector<KeyField>& fields) {
  const HashType& type = kHashTypes[static_cast<size_t>(field.hash)];
  std::string arguments = SourceNames(field, fields);
  if (field.width_bytes != type.digest_bytes) {
    arguments += (arguments.empty() ? "" : ",") + std::to_string(field.width_bytes);
  }
  std::string out(type.word);
  return arguments.empty() ? out : out + "(" + arguments + ")";
}

std::string SaltToString(const KeyField& field, const std::vector<KeyField>& fields) {
  std::vector<int> all;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (!fields[i].derived()) {
      all.push_back(static_cast<int>(i));
    }
  }
  std::string out = "salt(" + std::to_string(field.salt_buckets);
  if (field.source_fields != all) {
    out += "," + SourceNames(field, fields);
  }
  return out + ")";
}

std::string FieldToString(const KeyField& field, const std::vector<KeyField>& fields) {
  switch (field.type) {
    case KeyFieldType::kLiteral:
      return QuoteBytes(field.literal);
    case KeyFieldType::kSalt:
      return (field.name == "salt" ? "" : field.name + ":") + SaltToString(field, fields);
    case KeyFieldType::kHash:
      return field.name + ":" + HashToString(field, fields);
    case KeyFieldType::kText:
    case KeyFieldType::kBytes:
      return field.name + ":" + TextToString(field);
    case KeyFieldType::kDigits:
      return field.name + ":digits(" + std::to_string(field.width_bytes) + ")";
    case KeyFieldType::kDate:
    case KeyFieldType::kUnsigned:
    case KeyFieldType::kSigned:
    case KeyFieldType::kTimestamp:
    case KeyFieldType::kReverseTimestamp:
      break;
  }
  return field.name + ":" + std::string(FixedTypeWord(field));
}

Status CheckTextLength(std::string_view text) {
  return text.size() <= kMaxSchemaTextBytes
             ? Status()
             : Status(Code::kInvalidArgument, "row-key schema: " + std::to_string(text.size()) +
                                                  " bytes of text, at most " + std::to_string(kMaxSchemaTextBytes) +
                                                  " are allowed");
}

}  // namespace

Expected<std::vector<KeyField>> ParseFields(std::string_view text) {
  KLIP_RETURN_IF_ERROR(CheckTextLength(text));
  Expected<std::vector<KeyField>> fields = SchemaParser(text).Parse();
  if (!fields.ok()) {
    return Status(fields.status().code(), "row-key schema: " + fields.status().message());
  }
  // Tables store the canonical text, which escapes bytes, and parse it again.
  KLIP_RETURN_IF_ERROR(CheckTextLength(FieldsToString(*fields)));
  return fields;
}

std::string FieldsToString(const std::vector<KeyField>& fields) {
  std::string out;
  for (const KeyField& field : fields) {
    out += (out.empty() ? "" : " ") + FieldToString(field, fields) + (field.descending ? " desc" : "");
  }
  return out;
}

int HashBytes(KeyHash hash) { return kHashTypes[static_cast<size_t>(hash)].digest_bytes; }

}  // namespace klip::rowkey
