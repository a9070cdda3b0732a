#include "rowkey/query_names.h"

#include <algorithm>

#include "klip/bytes.h"
#include "klip/index.h"
#include "rowkey/index_definition.h"
#include "rowkey/schema_parser.h"
#include "rowkey/text_reader.h"

namespace klip::rowkey {
namespace {

// The field with the rest of its type; nullopt: not a type of columns.
std::optional<KeyField> ValueField(const KeyField& parsed) {
  KeyField field;
  field.type = parsed.type == KeyFieldType::kReverseTimestamp ? KeyFieldType::kTimestamp : parsed.type;
  switch (field.type) {
    case KeyFieldType::kText:
    case KeyFieldType::kBytes:
      return field;
    case KeyFieldType::kHash:
    case KeyFieldType::kSalt:
    case KeyFieldType::kLiteral:
      return std::nullopt;
    default:
      field.width_bytes = parsed.width_bytes;
      return field;
  }
}

Expected<KeyField> ParseType(std::string_view type) {
  const Expected<std::vector<KeyField>> parsed = ParseFields("x:" + std::string(type));
  std::optional<KeyField> field =
      parsed.ok() && parsed->size() == 1 ? ValueField(parsed->front()) : std::optional<KeyField>();
  if (!field.has_value()) {
    return Status(Code::kInvalidArgument,
                  "'" + ToStringBinary(type) +
                      "' is not a type of a column; the types are text, bytes, digits(n), date, ts, u8, "
                      "u16, u32, u64, i8, i16, i32 and i64");
  }
  return *std::move(field);
}

std::string NamePart(std::string_view name) {
  const bool plain = !name.empty() && std::ranges::none_of(name, EndsName) && ToStringBinary(name) == name;
  return plain ? std::string(name) : QuoteText(ToStringBinary(name), '"');
}

}  // namespace

bool EndsName(char c) {
  return static_cast<unsigned char>(c) <= ' ' || std::string_view("=<>!(),'\":~*\\").find(c) != std::string_view::npos;
}

Expected<Scan> WithWhereOfAttribute(const QueryNames& names, Scan scan) {
  if (scan.where.has_value()) {
    return Status(Code::kInvalidArgument,
                  "a scan has both where and the attribute " + std::string(kWhereAttribute) + ": give one of them");
  }
  const auto attribute = scan.attributes.extract(std::string(kWhereAttribute));
  KLIP_ASSIGN_OR_RETURN(scan.where, ParseQuery(names, attribute.mapped()));
  return scan;
}

Expected<std::string> ColumnType(std::string_view type) {
  KLIP_ASSIGN_OR_RETURN(KeyField field, ParseType(type));
  field.name = "x";
  return field.type == KeyFieldType::kText ? std::string() : FieldsToString({std::move(field)}).substr(2);
}

std::optional<base::LetterCase> CaseOfType(std::string_view type) {
  for (const base::LetterCase letter_case : {base::LetterCase::kUpper, base::LetterCase::kLower}) {
    if (type == TypeOfCase(letter_case)) {
      return letter_case;
    }
  }
  return std::nullopt;
}

std::string TypeOfCase(base::LetterCase letter_case) { return NameOf(FunctionOf(letter_case)); }

Expected<KeyField> ColumnField(const ColumnMatch& column) {
  const bool is_text = column.type.empty() || CaseOfType(column.type).has_value();
  KLIP_ASSIGN_OR_RETURN(KeyField field, ParseType(is_text ? "text" : column.type));
  field.name = CaseOfType(column.type).has_value() ? ColumnText(column) : ColumnName(column.family, column.qualifier);
  return field;
}

std::string ColumnText(const ColumnMatch& column) {
  const std::string name = ColumnName(column.family, column.qualifier);
  return CaseOfType(column.type).has_value() ? column.type + "(" + name + ")"
         : column.type.empty()               ? name
                                             : name + "::" + column.type;
}

std::string ColumnName(std::string_view family, std::string_view qualifier) {
  return NamePart(family) + ":" + NamePart(qualifier);
}

Expected<QueryNames> QueryNamesOf(const TableDescriptor& table) {
  QueryNames names = {.table = table.name, .schema = {}, .families = {}, .types = {}};
  const auto schema = table.attributes.find(std::string(RowKeySchema::kTableAttribute));
  if (schema != table.attributes.end() && !schema->second.empty()) {
    KLIP_ASSIGN_OR_RETURN(names.schema, RowKeySchema::Parse(schema->second));
  }
  for (const FamilyDescriptor& family : table.families) {
    names.families.push_back(family.name);
  }
  for (const auto& [attribute, text] : table.attributes) {
    if (!attribute.starts_with(IndexDescriptor::kTableAttribute)) {
      continue;
    }
    const auto index = IndexDescriptor::Parse(attribute.substr(IndexDescriptor::kTableAttribute.size()), text);
    for (const IndexField& field : index.ok() ? index->fields : std::vector<IndexField>()) {
      const size_t colon = field.column.find(':');
      const Expected<std::string> type = ColumnType(field.type);
      if (colon != std::string::npos && type.ok()) {
        names.types.emplace(std::pair(field.column.substr(0, colon), field.column.substr(colon + 1)), *type);
      }
    }
  }
  return names;
}

}  // namespace klip::rowkey
