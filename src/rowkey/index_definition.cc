#include "rowkey/index_definition.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <utility>

#include "klip/bytes.h"
#include "rowkey/key_codec.h"
#include "rowkey/schema_parser.h"

namespace klip::rowkey {
namespace {

constexpr char kEndOfText = '\0';  // below all bytes of a value, so entries sort like the values
constexpr const char* kRowName = "row";

Expected<IndexColumn> Split(const std::string& column, const TableDescriptor& table) {
  const size_t colon = column.find(':');
  IndexColumn out = {column.substr(0, colon), colon == std::string::npos ? "" : column.substr(colon + 1)};
  if (table.Find(out.family) == nullptr) {
    return Status(Code::kInvalidArgument, "column '" + ToStringBinary(column) + "': table '" + table.name +
                                              "' has no family '" + ToStringBinary(out.family) + "'");
  }
  return out;
}

size_t AddColumn(IndexColumn column, std::vector<IndexColumn>* columns) {
  const auto at = std::find(columns->begin(), columns->end(), column);
  const auto index = static_cast<size_t>(at - columns->begin());
  if (at == columns->end()) {
    columns->push_back(std::move(column));
  }
  return index;
}

// A name for the field of a column: its qualifier, if it is a valid name.
std::string NameFor(const IndexColumn& column, const std::vector<IndexPart>& others) {
  std::string name = column.qualifier.empty() ? column.family : column.qualifier;
  std::replace_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
    name.insert(name.begin(), '_');
  }
  const auto taken = [&](const std::string& wanted) {
    return wanted == kRowName || std::ranges::any_of(others, [&](const IndexPart& part) {
             return part.field.name == wanted || (part.presence.has_value() && part.presence->name == wanted);
           });
  };
  std::string unique = name;
  for (int number = 2; taken(unique); ++number) {
    unique = name + "_" + std::to_string(number);
  }
  return unique;
}

std::string Prefix(IndexFunction function) { return function == IndexFunction::kNone ? "" : NameOf(function) + "_"; }

// The byte before an optional field. It sorts rows that lack the field before those that have it, or after them if the field is DESC.
KeyField PresenceOf(const KeyField& field, const std::vector<IndexPart>& others) {
  KeyField presence;
  presence.name = NameFor({"", "has_" + field.name}, others);
  presence.type = KeyFieldType::kUnsigned;
  presence.width_bytes = 1;
  presence.descending = field.descending;
  return presence;
}

// The part of a hash or bucket: its bytes, and how they are derived from a value's.
IndexPart DerivedPart(const IndexField& field) {
  const bool hash = field.function == IndexFunction::kHash;
  IndexPart part;
  part.function = field.function;
  part.field.type = hash ? KeyFieldType::kBytes : KeyFieldType::kUnsigned;
  part.field.width_bytes = hash ? field.size : 1;
  part.derived.emplace();
  part.derived->type = hash ? KeyFieldType::kHash : KeyFieldType::kSalt;
  part.derived->width_bytes = part.field.width_bytes;
  part.derived->salt_buckets = hash ? 0 : field.size;
  part.derived->source_fields = {0};
  return part;
}

Expected<IndexPart> PartOfColumn(const IndexField& field, const TableDescriptor& table, IndexDefinition* index) {
  IndexColumn column = {kComputedFamily, "expression"};  // for the field's name: AddExpressions adds the column
  if (field.expression.empty()) {
    KLIP_ASSIGN_OR_RETURN(column, Split(field.column, table));
  }
  IndexPart part;
  if (field.type.empty()) {
    part = DerivedPart(field);
  } else {
    KLIP_ASSIGN_OR_RETURN(std::vector<KeyField> parsed, ParseFields("x:" + field.type));
    part.field = std::move(parsed.front());
    part.function = field.function;
  }
  part.field.name = NameFor({column.family, Prefix(field.function) + column.qualifier}, index->parts);
  if (part.field.width_bytes == 0) {
    part.field.delimiter = kEndOfText;
  }
  if (field.optional) {
    part.presence = PresenceOf(part.field, index->parts);
  }
  if (field.expression.empty()) {
    part.column = AddColumn(std::move(column), &index->columns);
  }
  return part;
}

// Derived fields are plain bytes here.
KeyField BytesOf(const KeyField& field, std::string name) {
  KeyField bytes;
  bytes.name = std::move(name);
  bytes.type = KeyFieldType::kBytes;
  bytes.width_bytes = field.width_bytes;
  return bytes;
}

Expected<IndexPart> PartOfKey(const IndexField& field, const TableDescriptor& table, IndexDefinition* index) {
  const std::string& name = field.key_field;
  if (!index->table_schema.has_value()) {
    const auto text = table.attributes.find(std::string(RowKeySchema::kTableAttribute));
    if (text == table.attributes.end() || text->second.empty()) {
      return Status(Code::kInvalidArgument,
                    "field 'key." + name + "': table '" + table.name + "' has no row-key schema");
    }
    KLIP_ASSIGN_OR_RETURN(index->table_schema, RowKeySchema::Parse(text->second));
  }
  const std::optional<int> at = index->table_schema->FieldIndex(name);
  if (!at.has_value()) {
    return Status(Code::kInvalidArgument,
                  "field 'key." + name + "': " + UnknownField(index->table_schema->fields(), name));
  }
  const KeyField& of_key = index->table_schema->fields()[static_cast<size_t>(*at)];
  IndexPart part;
  if (CaseOf(field.function).has_value()) {
    if (of_key.type != KeyFieldType::kText) {
      return Status(Code::kInvalidArgument, "field 'key." + name + "': upper and lower take text");
    }
    part.field.type = KeyFieldType::kText;  // of any width: letters may become two
    part.function = field.function;
  } else if (field.function != IndexFunction::kNone) {
    part = DerivedPart(field);
  } else {
    part.field = of_key.derived() || of_key.type == KeyFieldType::kHash ? BytesOf(of_key, "") : of_key;
  }
  part.key_field = static_cast<size_t>(*at);
  part.field.name = NameFor({"", Prefix(field.function) + name}, index->parts);
  if (part.field.width_bytes == 0 && !part.field.delimiter.has_value()) {
    part.field.delimiter = kEndOfText;
  }
  return part;
}

Status AddColumns(const TableDescriptor& table, IndexDefinition* index) {
  for (const auto& [column, value] : index->descriptor.where) {
    KLIP_ASSIGN_OR_RETURN(IndexColumn split, Split(column, table));
    index->where.push_back({AddColumn(std::move(split), &index->columns), value});
  }
  for (const std::string& column : index->descriptor.include) {
    KLIP_ASSIGN_OR_RETURN(IndexColumn split, Split(column, table));
    const size_t number = AddColumn(std::move(split), &index->columns);
    if (std::ranges::find(index->include, number) == index->include.end()) {
      index->include.push_back(number);
    }
  }
  return Status::Ok();
}

// Adds the column of an SQL expression, and its inputs. Returns its number among the computed columns.
Expected<size_t> AddExpression(const std::string& text, const TableDescriptor& table, IndexDefinition* index,
                               std::vector<IndexColumn>* columns) {
  const IndexExpressionMaker make = GetIndexExpressionMaker();
  IndexColumn column = {kComputedFamily, text};
  IndexDefinition::Computed computed{.text = text};
  if (make != nullptr) {
    KLIP_ASSIGN_OR_RETURN(computed.expression, make(text, index->descriptor.sql_table, table));
    column.qualifier = computed.expression->identity();
    for (const auto& [family, qualifier] : computed.expression->inputs()) {
      KLIP_ASSIGN_OR_RETURN(IndexColumn input, Split(family + ":" + qualifier, table));
      computed.inputs.push_back(AddColumn(std::move(input), &index->columns));
    }
  }
  const size_t number = AddColumn(std::move(column), columns);
  if (number == index->computed.size()) {
    index->computed.push_back(std::move(computed));
  }
  return number;
}

// Adds the columns of SQL's expressions, after all stored ones.
Status AddExpressions(const TableDescriptor& table, IndexDefinition* index) {
  std::vector<IndexColumn> columns;
  std::vector<std::pair<size_t, size_t>> of_parts;  // a part, and its computed column
  for (size_t i = 0; i < index->parts.size(); ++i) {
    if (const std::string& text = index->descriptor.fields[i].expression; !text.empty()) {
      KLIP_ASSIGN_OR_RETURN(const size_t number, AddExpression(text, table, index, &columns));
      of_parts.emplace_back(i, number);
    }
  }
  std::optional<size_t> condition;
  if (!index->descriptor.condition.empty()) {
    KLIP_ASSIGN_OR_RETURN(condition, AddExpression(index->descriptor.condition, table, index, &columns));
  }
  const size_t stored = index->columns.size();
  std::ranges::move(columns, std::back_inserter(index->columns));
  for (const auto& [part, number] : of_parts) {
    index->parts[part].column = stored + number;
  }
  if (condition.has_value()) {
    index->where.push_back({stored + *condition, std::string(kTrue)});
  }
  return Status::Ok();
}

// nullopt: the rows have no schema, or it is too long together with the fields of the index.
std::optional<RowKeySchema> WithRowFields(std::vector<KeyField> fields, const TableDescriptor& table) {
  const auto text = table.attributes.find(std::string(RowKeySchema::kTableAttribute));
  const Expected<RowKeySchema> schema = RowKeySchema::Parse(text == table.attributes.end() ? "" : text->second);
  for (const KeyField& field : schema.ok() ? schema->fields() : std::vector<KeyField>()) {
    KeyField& one =
        fields.emplace_back(field.derived() || field.type == KeyFieldType::kHash ? BytesOf(field, field.name) : field);
    while (std::ranges::count(fields, one.name, &KeyField::name) > 1 && !one.name.empty()) {
      one.name += "_of_row";
    }
  }
  Expected<RowKeySchema> keys = RowKeySchema::Parse(FieldsToString(fields));
  return schema.ok() && keys.ok() ? std::optional(*std::move(keys)) : std::nullopt;
}

Expected<IndexDefinition> Define(IndexDescriptor descriptor, const TableDescriptor& table) {
  // A schema cannot be empty: this one is replaced below.
  KLIP_ASSIGN_OR_RETURN(RowKeySchema row_only, RowKeySchema::Parse(std::string(kRowName) + ":bytes"));
  IndexDefinition index = {.descriptor = std::move(descriptor), .schema = std::move(row_only)};
  std::vector<KeyField> fields;
  for (const IndexField& field : index.descriptor.fields) {
    KLIP_ASSIGN_OR_RETURN(
        IndexPart part, field.key_field.empty() ? PartOfColumn(field, table, &index) : PartOfKey(field, table, &index));
    if (part.presence.has_value()) {
      fields.push_back(*part.presence);
    }
    fields.push_back(part.field);
    index.parts.push_back(std::move(part));
  }
  KLIP_RETURN_IF_ERROR(AddColumns(table, &index));
  KLIP_RETURN_IF_ERROR(AddExpressions(table, &index));
  index.key_schema = WithRowFields(fields, table);
  KeyField row;
  row.name = kRowName;
  row.type = KeyFieldType::kBytes;
  fields.push_back(std::move(row));
  KLIP_ASSIGN_OR_RETURN(index.schema, RowKeySchema::Parse(FieldsToString(fields)));
  return index;
}

Status NameIndex(std::string_view name, const Status& status) {
  return {status.code(), "index '" + std::string(name) + "': " + status.message()};
}

// Flips the sign bit of an integer: converts HBase's encoding to that of row keys, and back.
void FlipSign(const KeyField& field, std::string* bytes) {
  if (field.type == KeyFieldType::kSigned && !bytes->empty()) {
    bytes->front() = static_cast<char>(bytes->front() ^ '\x80');
  }
}

void AppendPresence(const IndexPart& part, bool present, std::string* key) {
  if (part.presence.has_value()) {
    key->push_back(PresenceByte(part, present));
  }
}

void AppendDelimiter(const IndexPart& part, std::string* key) {
  if (part.field.delimiter.has_value()) {
    key->push_back(*part.field.delimiter);
  }
}

const std::string* Find(const TableDescriptor& table, std::string_view attribute, std::string_view name) {
  const auto found = table.attributes.find(std::string(attribute).append(name));
  return found == table.attributes.end() ? nullptr : &found->second;
}

// Whether the settings that decide which version is visible are equal: entries must expire like their cells.
bool SeesTheSame(const FamilyDescriptor& a, const FamilyDescriptor& b) {
  return a.ttl_s == b.ttl_s && a.min_versions == b.min_versions && a.new_version_behavior == b.new_version_behavior &&
         a.keep_deleted_cells == b.keep_deleted_cells && (!a.new_version_behavior || a.max_versions == b.max_versions);
}

Status CheckKept(const IndexDefinition& index, const TableDescriptor& before, const TableDescriptor& after) {
  const std::string doing = "index '" + index.descriptor.name + "' has to be dropped before ";
  for (const IndexColumn& column : index.stored_columns()) {
    const FamilyDescriptor* const now = before.Find(column.family);
    if (now != nullptr && !SeesTheSame(*now, *after.Find(column.family))) {
      return {Code::kInvalidArgument,
              doing + "the TTL, MIN_VERSIONS, KEEP_DELETED_CELLS or NEW_VERSION_BEHAVIOR of family '" + column.family +
                  "' can change"};
    }
  }
  const std::string schema(RowKeySchema::kTableAttribute);
  if (index.table_schema.has_value() &&
      before.attributes.find(schema)->second != after.attributes.find(schema)->second) {
    return {Code::kInvalidArgument, doing + "the row-key schema can change"};
  }
  return Status::Ok();
}

}  // namespace

std::string IndexTableOf(std::string_view table, std::string_view index) {
  return std::string(table).append(kIndexTableMark).append(index);
}

std::optional<std::pair<std::string, std::string>> TableAndIndexOf(std::string_view index_table) {
  const size_t at = index_table.rfind(kIndexTableMark);
  return at == std::string_view::npos
             ? std::nullopt
             : std::optional(std::pair(std::string(index_table.substr(0, at)),
                                       std::string(index_table.substr(at + kIndexTableMark.size()))));
}

std::string IndexColumn::Name() const {
  return (family == kComputedFamily ? "" : ToStringBinary(family) + ":") + ToStringBinary(qualifier);
}

bool IndexDefinition::lacks_sql() const {
  return std::ranges::any_of(computed, [](const Computed& column) { return column.expression == nullptr; });
}

std::string IndexDefinition::LabelOf(size_t column) const {
  const size_t stored = stored_columns().size();
  return column < stored ? columns[column].Name() : computed[column - stored].text;
}

bool IndexDefinition::has_optional() const {
  return std::ranges::any_of(parts, [](const IndexPart& part) { return part.presence.has_value(); });
}

std::optional<size_t> IndexDefinition::ColumnIndex(std::string_view family, std::string_view qualifier) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].family == family && columns[i].qualifier == qualifier) {
      return i;
    }
  }
  return std::nullopt;
}

Expected<IndexDefinition> DefineIndex(IndexDescriptor descriptor, const TableDescriptor& table) {
  const std::string name = descriptor.name;
  Expected<IndexDefinition> index = Define(std::move(descriptor), table);
  return index.ok() ? std::move(index) : NameIndex(name, index.status());
}

Expected<IndexDefinition> DefineIndex(std::string_view name, std::string_view text, const TableDescriptor& table) {
  KLIP_ASSIGN_OR_RETURN(IndexDescriptor descriptor, IndexDescriptor::Parse(name, text));
  KLIP_ASSIGN_OR_RETURN(IndexDefinition index, DefineIndex(std::move(descriptor), table));
  const bool has_column =
      std::ranges::any_of(index.parts, [](const IndexPart& part) { return part.column.has_value(); });
  return has_column ? Expected<IndexDefinition>(std::move(index))
                    : NameIndex(name, Status(Code::kInvalidArgument, "no field is a column"));
}

std::string NameOf(IndexFunction function) {
  switch (function) {
    case IndexFunction::kUpper:
      return "upper";
    case IndexFunction::kLower:
      return "lower";
    case IndexFunction::kHash:
      return "hash";
    case IndexFunction::kBucket:
      return "bucket";
    case IndexFunction::kNone:
      break;
  }
  return "";
}

IndexFunction FunctionOf(base::LetterCase letter_case) {
  return letter_case == base::LetterCase::kUpper ? IndexFunction::kUpper : IndexFunction::kLower;
}

std::optional<base::LetterCase> CaseOf(IndexFunction function) {
  return function == IndexFunction::kUpper   ? std::optional(base::LetterCase::kUpper)
         : function == IndexFunction::kLower ? std::optional(base::LetterCase::kLower)
                                             : std::nullopt;
}

Status AppendStoredValue(const IndexPart& part, std::string_view stored, std::string* out) {
  if (part.derived.has_value()) {
    out->append(DerivedBytes(*part.derived, {&stored, 1}));
    return Status::Ok();
  }
  if (const auto letter_case = CaseOf(part.function); letter_case.has_value()) {
    return AppendTypedValue(part.field, base::InCase(stored, *letter_case), out);
  }
  return AppendTypedValue(part.field, stored, out);
}

Status AppendTypedValue(const KeyField& field, std::string_view stored, std::string* out) {
  if (field.type == KeyFieldType::kText) {
    return AppendField(field, stored, out);
  }
  if (field.type == KeyFieldType::kBytes) {
    return AppendField(field, ToStringBinary(stored), out);
  }
  if (stored.size() != static_cast<size_t>(field.width_bytes)) {
    return FieldError(
        field, std::to_string(stored.size()) + " bytes are stored, its type has " + std::to_string(field.width_bytes));
  }
  std::string bytes(stored);
  FlipSign(field, &bytes);
  Flip(field, &bytes);
  if (field.type == KeyFieldType::kDigits || field.type == KeyFieldType::kDate) {
    const Expected<std::string> text = DecodeField(field, bytes);
    if (!text.ok()) {
      return FieldError(field, text.status().message());
    }
  }
  out->append(bytes);
  return Status::Ok();
}

char PresenceByte(const IndexPart& part, bool present) {
  std::string byte(1, present ? '\x01' : '\0');
  Flip(*part.presence, &byte);
  return byte.front();
}

Status AppendPart(const IndexPart& part, std::string_view stored, std::string* key) {
  AppendPresence(part, /*present=*/true, key);
  KLIP_RETURN_IF_ERROR(AppendStoredValue(part, stored, key));
  AppendDelimiter(part, key);
  return Status::Ok();
}

void AppendAbsent(const IndexPart& part, std::string* key) {
  AppendPresence(part, /*present=*/false, key);
  key->append(static_cast<size_t>(part.field.width_bytes), '\0');
  AppendDelimiter(part, key);
}

std::string StoredValueOf(const IndexPart& part, std::string_view key_bytes) {
  std::string bytes(key_bytes);
  Flip(part.field, &bytes);
  FlipSign(part.field, &bytes);
  if (part.field.type == KeyFieldType::kText && part.field.width_bytes > 0) {
    bytes.erase(bytes.find_last_not_of(part.field.pad) + 1);
  }
  return bytes;
}

std::string KeyPartOf(const IndexPart& part, const KeyField& of_key, std::string_view bytes) {
  if (part.derived.has_value()) {
    return DerivedBytes(*part.derived, {&bytes, 1});
  }
  const std::optional<base::LetterCase> letter_case = CaseOf(part.function);
  if (!letter_case.has_value()) {
    return std::string(bytes);
  }
  const Expected<std::string> text = DecodeField(of_key, bytes);  // without padding; text always decodes
  return base::InCase(text.ok() ? std::string_view(*text) : bytes, *letter_case);
}

Expected<std::vector<std::string>> KeyPartsOf(const IndexDefinition& index, std::string_view row) {
  std::vector<std::string> parts(index.parts.size());
  if (!index.table_schema.has_value()) {
    return parts;
  }
  const auto refuse = [&](const std::string& message) {
    return Status(Code::kInvalidArgument, "index '" + index.descriptor.name + "': the row '" + ToStringBinary(row) +
                                              "' cannot be indexed: " + message);
  };
  const Expected<std::vector<std::string_view>> fields = SplitRow(index.table_schema->fields(), row);
  if (!fields.ok()) {
    return refuse(fields.status().message());
  }
  for (size_t i = 0; i < parts.size(); ++i) {
    const IndexPart& part = index.parts[i];
    if (part.key_field.has_value()) {
      parts[i] = KeyPartOf(part, index.table_schema->fields()[*part.key_field], (*fields)[*part.key_field]);
      if (part.field.delimiter.has_value() && parts[i].find(*part.field.delimiter) != std::string::npos) {
        return refuse("field '" + part.field.name + "' holds a zero byte");
      }
    }
  }
  return parts;
}

void AddComputedCells(const IndexDefinition& index, std::string_view row, std::vector<const Cell*>* of_columns,
                      ComputedCells* storage) {
  for (const IndexDefinition::Computed& column : index.computed) {
    std::vector<std::optional<std::string_view>> inputs;
    for (const size_t input : column.inputs) {
      const Cell* const cell = (*of_columns)[input];
      inputs.push_back(cell == nullptr ? std::nullopt : std::optional(cell->value));
    }
    Expected<std::optional<std::string>> value =
        column.expression == nullptr ? Expected(std::optional<std::string>()) : column.expression->ValueOf(row, inputs);
    if (!value.ok() || !value->has_value()) {
      of_columns->push_back(nullptr);
      continue;
    }
    auto& [bytes, cell] = storage->emplace_back(**std::move(value), Cell());
    cell.value = bytes;
    of_columns->push_back(&cell);
  }
}

bool MeetsWhere(const IndexDefinition& index, std::span<const Cell* const> of_columns) {
  return std::ranges::all_of(index.where, [&](const IndexDefinition::Equal& equal) {
    return of_columns[equal.column] != nullptr && of_columns[equal.column]->value == equal.value;
  });
}

bool ShouldHaveEntry(const IndexDefinition& index, std::span<const Cell* const> of_columns) {
  const auto lacks = [&](const IndexPart& part) {
    return part.column.has_value() && !part.presence.has_value() && of_columns[*part.column] == nullptr;
  };
  return MeetsWhere(index, of_columns) && std::ranges::none_of(index.parts, lacks) &&
         std::ranges::any_of(of_columns, [](const Cell* cell) { return cell != nullptr; });
}

bool AppendEntryKey(const IndexDefinition& index, std::string_view row, std::span<const Cell* const> of_columns,
                    std::string* key) {
  if (!ShouldHaveEntry(index, of_columns)) {
    return false;
  }
  std::vector<std::string> key_parts;
  if (index.table_schema.has_value()) {
    Expected<std::vector<std::string>> parts = KeyPartsOf(index, row);
    if (!parts.ok()) {
      return false;
    }
    key_parts = *std::move(parts);
  }
  for (size_t i = 0; i < index.parts.size(); ++i) {
    const IndexPart& part = index.parts[i];
    const Cell* const cell = part.column.has_value() ? of_columns[*part.column] : nullptr;
    if (!part.column.has_value()) {
      key->append(key_parts[i]);
      AppendDelimiter(part, key);
    } else if (cell == nullptr) {
      AppendAbsent(part, key);
    } else if (!AppendPart(part, cell->value, key).ok()) {
      return false;
    }
  }
  key->append(row);
  return true;
}

bool HasAllFields(const IndexDefinition& index, std::string_view entry) {
  const Expected<std::vector<std::string_view>> fields = SplitRow(index.schema.fields(), entry);
  size_t at = 0;
  for (const IndexPart& part : index.parts) {
    if (part.presence.has_value() &&
        (!fields.ok() || (*fields)[at++].front() != PresenceByte(part, /*present=*/true))) {
      return false;
    }
    ++at;
  }
  return true;
}

Expected<std::string_view> TableRowOf(const IndexDefinition& index, std::string_view entry) {
  const Expected<std::vector<std::string_view>> fields = SplitRow(index.schema.fields(), entry);
  if (!fields.ok()) {
    return Status(Code::kCorruption, "index '" + index.descriptor.name + "': " + fields.status().message());
  }
  return fields->back();
}

Status CheckIndexes(const TableDescriptor* before, const TableDescriptor& after) {
  constexpr std::string_view kAttribute = IndexDescriptor::kTableAttribute;
  for (auto at = after.attributes.lower_bound(std::string(kAttribute));
       at != after.attributes.end() && at->first.starts_with(kAttribute); ++at) {
    const std::string name = at->first.substr(kAttribute.size());
    KLIP_ASSIGN_OR_RETURN(const IndexDefinition index, DefineIndex(name, at->second, after));
    if (before == nullptr) {
      continue;
    }
    const std::string* const now = Find(*before, kAttribute, name);
    if (now == nullptr ? Find(after, IndexDescriptor::kBuildingAttribute, name) == nullptr : *now != at->second) {
      return {Code::kInvalidArgument, "index '" + name + "' of table '" + after.name +
                                          "' can only be changed by Admin::indexes(), or klip index create and drop"};
    }
    if (now == nullptr && index.lacks_sql()) {
      return {Code::kUnsupported, "index '" + name + "' has SQL expressions, and this program is not linked with SQL"};
    }
    if (now != nullptr) {
      KLIP_RETURN_IF_ERROR(CheckKept(index, *before, after));
    }
  }
  return Status::Ok();
}

}  // namespace klip::rowkey
