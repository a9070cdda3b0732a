#include "sql/catalog/definition.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/family_attributes.h"
#include "klip/row_key.h"
#include "sql/catalog/column_encoding.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

constexpr int kMostBuckets = 256;

// Properties with a meaning for SQL, not for HBase. Those that klip does not need are stored, and have no effect.
constexpr std::array<std::string_view, 20> kSqlProperties = {"APPEND_ONLY_SCHEMA",
                                                             "AUTO_PARTITION_SEQ",
                                                             "CHANGE_DETECTION_ENABLED",
                                                             "COLUMN_ENCODED_BYTES",
                                                             "DEFAULT_COLUMN_FAMILY",
                                                             "DISABLE_WAL",
                                                             "ENCODING_SCHEME",
                                                             "GUIDE_POSTS_WIDTH",
                                                             "IMMUTABLE_ROWS",
                                                             "IMMUTABLE_STORAGE_SCHEME",
                                                             kMarkerFamilyProperty,
                                                             "MULTI_TENANT",
                                                             "PHOENIX_TTL",
                                                             "SALT_BUCKETS",
                                                             "SCHEMA_VERSION",
                                                             "STORE_NULLS",
                                                             "TRANSACTIONAL",
                                                             "TRANSACTION_PROVIDER",
                                                             "UPDATE_CACHE_FREQUENCY",
                                                             "USE_STATS_FOR_PARALLELIZATION"};

bool IsSqlProperty(std::string_view name) {
  return std::find(kSqlProperties.begin(), kSqlProperties.end(), name) != kSqlProperties.end();
}

std::string TextOf(const Value& value) {
  return value.type() == Type::kBoolean ? (value.boolean() ? "true" : "false")
         : value.is_null()              ? ""
                                        : value.ToString();
}

const Value* FindProperty(const std::vector<Property>& properties, std::string_view name) {
  const auto found = std::find_if(properties.begin(), properties.end(), [&](const Property& property) {
    return property.family.empty() && property.name == name;
  });
  return found == properties.end() ? nullptr : &found->value;
}

Expected<TableColumn> DefineColumn(const ColumnDefinition& declared, const std::string& default_family) {
  TableColumn column;
  column.family = declared.family.empty() ? default_family : declared.family;
  column.name = declared.name;
  column.qualifier = declared.name;
  column.type = declared.type;
  column.not_null = declared.not_null;
  column.descending = declared.descending;
  column.row_timestamp = declared.row_timestamp;
  column.number = declared.encoded_qualifier;
  if (declared.default_value != nullptr) {
    column.default_value = Clone(*declared.default_value);
  }
  return column;
}

Status CheckKeyColumn(const TableColumn& column, bool last) {
  if (!column.family.empty()) {
    return SqlError(1003, "42J01",
                    "Primary key columns must not have a family name. columnName=" + column.family + "." + column.name);
  }
  if (!last && (column.type.type == Type::kVarbinary || column.type.array)) {
    return SqlError(1005, "42J03",
                    "The VARBINARY/ARRAY type can only be used as the last part of a multi-part row key. columnName=" +
                        column.name);
  }
  return Status::Ok();
}

Expected<int> SaltBuckets(const std::vector<Property>& properties) {
  const Value* const buckets = FindProperty(properties, "SALT_BUCKETS");
  if (buckets == nullptr || buckets->is_null()) {
    return 0;
  }
  const Expected<Value> number = Convert(*buckets, {.type = Type::kInteger});
  if (!number.ok() || number->integer() < 0 || number->integer() > kMostBuckets) {
    return SqlError(1021, "42Y80", "Salt bucket numbers should be with 1 and 256.");
  }
  return static_cast<int>(number->integer());
}

std::vector<KeyColumn> KeyOf(const CreateTable& statement) {
  std::vector<KeyColumn> key = statement.key;
  for (const ColumnDefinition& column : statement.columns) {
    if (column.primary_key) {
      key.push_back({column.name, column.descending, column.row_timestamp});
    }
  }
  return key;
}

bool IsKeyColumn(std::span<const KeyColumn> key, const ColumnDefinition& column) {
  return std::ranges::find(key, column.name, &KeyColumn::name) != key.end();
}

bool MayBeRowTimestamp(const DataType& type) {
  return !type.array && (IsTime(type.type) || type.type == Type::kBigint || type.type == Type::kUnsignedLong);
}

Expected<TableColumn> DefineKeyColumn(const CreateTable& statement, const KeyColumn& part, bool last) {
  const auto declared = std::ranges::find(statement.columns, part.name, &ColumnDefinition::name);
  if (declared == statement.columns.end()) {
    return SqlError(504, "42703", "Undefined column. columnName=" + part.name);
  }
  if (declared->nullable && KeyOf(statement).size() == 1) {
    return SqlError(1000, "42I00", "Single column primary key may not be NULL. columnName=" + part.name);
  }
  KLIP_ASSIGN_OR_RETURN(TableColumn column, DefineColumn(*declared, {}));
  column.ordinal = static_cast<int>(declared - statement.columns.begin());
  column.descending = part.descending;
  column.row_timestamp = part.row_timestamp;
  if (column.row_timestamp && !MayBeRowTimestamp(column.type)) {
    return SqlError(530, "42907",
                    "A column can be added as ROW_TIMESTAMP only if it is of type DATE, BIGINT, TIME OR TIMESTAMP. "
                    "columnName=" +
                        column.name);
  }
  column.not_null = column.not_null || declared->primary_key || FixedBytes(column.type) > 0;
  KLIP_RETURN_IF_ERROR(CheckKeyColumn(column, last));
  return column;
}

TableColumn RowIdColumn() {
  TableColumn id;
  id.name = "_ROWID";
  id.type = {.type = Type::kBinary, .max_length = 16};
  id.key_position = 0;
  id.not_null = id.hidden = true;
  return id;
}

bool HasColumn(std::span<const TableColumn> columns, const TableColumn& wanted) {
  return std::ranges::any_of(columns, [&](const TableColumn& column) {
    return column.name == wanted.name && (column.family == wanted.family || column.key_position >= 0);
  });
}

Status DuplicateColumn(const TableName& table, const std::string& column) {
  return SqlError(514, "42892",
                  "A duplicate column name was detected in the object definition or ALTER TABLE/VIEW statement. "
                  "columnName=" +
                      table.name + "." + column);
}

// The family of a new table's markers: the default one if there are columns in it or none at all, else the first column's.
std::string FirstFamily(const TableDefinition& table) {
  const std::span cells = std::span(table.columns).subspan(table.key_columns);
  const bool uses_default =
      cells.empty() || std::ranges::find(cells, table.default_family, &TableColumn::family) != cells.end();
  return uses_default ? table.default_family : cells.front().family;
}

// Rows keep their markers where they are when columns come and go.
void KeepMarkers(TableDefinition* table) {
  if (table->empty_family.has_value() && *table->empty_family != FirstFamily(*table) &&
      std::ranges::find(table->properties, kMarkerFamilyProperty, [](const auto& property) {
        return std::string_view(property.first);
      }) == table->properties.end()) {
    table->properties.emplace_back(kMarkerFamilyProperty, Value::Text(*table->empty_family));
  }
}

std::string QuotedText(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    quoted.append(c == '\'' ? 2 : 1, c);
  }
  return quoted + "'";
}

std::string PropertyText(const Value& value) {
  return value.is_null()                  ? "NULL"
         : IsNumber(value.type())         ? value.ToString()
         : value.type() == Type::kBoolean ? TextOf(value)
                                          : QuotedText(value.ToString());
}

std::string ColumnText(const TableDefinition& table, const TableColumn& column) {
  std::string text;
  if (column.key_position < 0 && column.family != table.default_family) {
    text += QuotedName(column.family) + ".";
  }
  text += QuotedName(column.name) + " " + ToString(column.type);
  if (column.not_null) {
    text += " NOT NULL";
  }
  if (column.default_value != nullptr) {
    text += " DEFAULT " + ToSql(*column.default_value);
  }
  if (column.number > 0) {
    text += " ENCODED_QUALIFIER " + std::to_string(column.number);
  }
  return text;
}

// The part of a row-key schema for the bytes of the column; empty: none.
std::string SchemaPart(const TableColumn& column, bool last) {
  const std::string name = column.name + ":";
  std::string part;
  switch (column.type.array ? Type::kNull : column.type.type) {
    case Type::kTinyint:
      part = "i8";
      break;
    case Type::kSmallint:
      part = "i16";
      break;
    case Type::kInteger:
      part = "i32";
      break;
    case Type::kBigint:
    case Type::kDate:
    case Type::kTime:
      part = "i64";
      break;
    case Type::kUnsignedTinyint:
      part = "u8";
      break;
    case Type::kUnsignedSmallint:
      part = "u16";
      break;
    case Type::kUnsignedInt:
      part = "u32";
      break;
    case Type::kUnsignedLong:
      part = "u64";
      break;
    case Type::kUnsignedDate:
    case Type::kUnsignedTime:
      part = "ts";
      break;
    case Type::kChar:
      part = "text(" + std::to_string(column.type.max_length) + ")";
      break;
    case Type::kBinary:
      part = "bytes(" + std::to_string(column.type.max_length) + ")";
      break;
    case Type::kVarchar:
      part = last ? "text" : "text('\\x00')";
      break;
    default:
      return {};
  }
  if (column.descending && !KeySeparator(column).has_value()) {
    part += " desc";
  }
  return column.descending && KeySeparator(column).has_value() ? std::string() : name + part;
}

}  // namespace

std::string PhysicalName(const TableName& name) {
  return name.schema.empty() ? name.name : name.schema + "." + name.name;
}

Status CheckProperty(const Property& property, bool adds_columns) {
  if (!property.family.empty() && property.name == "TTL") {
    return SqlError(1050, "43A07", "TTL can only be specified for the table. columnFamily=" + property.family);
  }
  if (adds_columns && (property.name == "TTL" || IsSqlProperty(property.name))) {
    return SqlError(1053, "43A10", "Table property not allowed in ALTER TABLE ADD. Property: " + property.name);
  }
  return Status::Ok();
}

Status CheckIndexProperties(const CreateIndex& index) {
  KLIP_RETURN_IF_ERROR(SaltBuckets(index.properties).status());
  if (index.local && FindProperty(index.properties, "SALT_BUCKETS") != nullptr) {
    return SqlError(1110, "XCL10", "Local index may not be salted. tableName=" + index.name);
  }
  return FindProperty(index.properties, "TTL") == nullptr
             ? Status::Ok()
             : SqlError(10949, "44A30",
                        "TTL of an index cannot be set: it has that of its table. tableName=" + index.name);
}

Expected<TableDefinition> Define(const CreateTable& statement) {
  TableDefinition table;
  table.name = statement.name;
  table.physical_name = PhysicalName(statement.name);
  table.view = statement.view;
  table.read_only = statement.view;
  const Value* const default_family = FindProperty(statement.properties, "DEFAULT_COLUMN_FAMILY");
  table.default_family =
      default_family == nullptr || default_family->is_null() ? std::string(kDefaultFamily) : default_family->ToString();
  KLIP_ASSIGN_OR_RETURN(table.salt_buckets, SaltBuckets(statement.properties));
  const std::vector<KeyColumn> key = KeyOf(statement);
  if (key.size() > std::max<size_t>(statement.key.size(), 1)) {
    return SqlError(510, "42889", "The table already has a primary key. tableName=" + PhysicalName(statement.name));
  }
  if (key.empty() && !statement.view && !statement.columns.empty()) {
    table.columns.push_back(RowIdColumn());
  } else if (key.empty()) {
    return SqlError(509, "42888", "The table does not have a primary key. tableName=" + PhysicalName(statement.name));
  }
  if (std::ranges::count(key, true, &KeyColumn::row_timestamp) > 1) {
    return SqlError(527, "42904",
                    "Only one column of the primary key may be ROW_TIMESTAMP. tableName=" + table.name.name);
  }
  for (const KeyColumn& part : key) {
    const size_t position = table.columns.size();
    KLIP_ASSIGN_OR_RETURN(TableColumn column, DefineKeyColumn(statement, part, position + 1 == key.size()));
    column.key_position = static_cast<int>(position);
    table.columns.push_back(std::move(column));
  }
  table.key_columns = table.columns.size();
  for (const ColumnDefinition& declared : statement.columns) {
    if (!IsKeyColumn(key, declared)) {
      KLIP_ASSIGN_OR_RETURN(TableColumn column, DefineColumn(declared, table.default_family));
      column.ordinal = static_cast<int>(&declared - statement.columns.data());
      table.columns.push_back(std::move(column));
    }
  }
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (HasColumn(std::span(table.columns).first(i), table.columns[i])) {
      return DuplicateColumn(table.name, table.columns[i].name);
    }
  }
  if (!table.view) {
    const Value* const family = FindProperty(statement.properties, kMarkerFamilyProperty);
    table.empty_family = family == nullptr || family->is_null() ? FirstFamily(table) : family->ToString();
  }
  for (const Property& property : statement.properties) {
    KLIP_RETURN_IF_ERROR(CheckProperty(property, /*adds_columns=*/false));
    table.properties.emplace_back(property.family.empty() ? property.name : property.family + "." + property.name,
                                  property.value);
  }
  table.next_numbers.insert(statement.qualifier_counters.begin(), statement.qualifier_counters.end());
  KLIP_RETURN_IF_ERROR(NumberColumns(&table));
  return table;
}

namespace {

// If a field type's order in the key differs from that of its values (padded text), key_query.h handles it.
DataType TypeOf(const KeyField& field) {
  static constexpr Type kSigned[] = {Type::kTinyint, Type::kSmallint, Type::kInteger, Type::kBigint};
  static constexpr Type kUnsigned[] = {Type::kUnsignedTinyint, Type::kUnsignedSmallint, Type::kUnsignedInt,
                                       Type::kUnsignedLong};
  const size_t by_width = field.width_bytes <= 1 ? 0 : field.width_bytes <= 2 ? 1 : field.width_bytes <= 4 ? 2 : 3;
  switch (field.type) {
    case KeyFieldType::kSigned:
      return {.type = kSigned[by_width]};
    case KeyFieldType::kUnsigned:
      return {.type = kUnsigned[by_width]};
    case KeyFieldType::kDigits:  // sorted as numbers
      return {.type = field.width_bytes <= 9    ? Type::kInteger
                      : field.width_bytes <= 18 ? Type::kBigint
                                                : Type::kDecimal};
    case KeyFieldType::kTimestamp:
    case KeyFieldType::kReverseTimestamp:
      return {.type = Type::kTimestamp};
    case KeyFieldType::kBytes:
    case KeyFieldType::kHash:
      return {.type = Type::kVarbinary};
    default:
      return {.type = Type::kVarchar};
  }
}

}  // namespace

Expected<TableDefinition> DefineBySchema(const TableName& name, const TableDescriptor& descriptor,
                                         const std::vector<ColumnDefinition>& columns) {
  TableDefinition table;
  table.name = name;
  table.physical_name = descriptor.name;
  table.view = true;
  table.default_family = descriptor.families.empty() ? std::string(kDefaultFamily) : descriptor.families.front().name;
  const auto text = descriptor.attributes.find(std::string(RowKeySchema::kTableAttribute));
  if (text == descriptor.attributes.end()) {
    return SqlError(509, "42888", "The table does not have a primary key. tableName=" + PhysicalName(name));
  }
  KLIP_ASSIGN_OR_RETURN(table.schema, RowKeySchema::Parse(text->second));
  for (size_t i = 0; i < table.schema->fields().size(); ++i) {
    const KeyField& field = table.schema->fields()[i];
    if (!field.derived()) {
      TableColumn column;
      column.name = field.name;
      column.type = TypeOf(field);
      column.key_position = static_cast<int>(table.columns.size());
      column.schema_field = static_cast<int>(i);
      column.descending = field.descending || field.type == KeyFieldType::kReverseTimestamp;
      column.not_null = true;
      table.columns.push_back(std::move(column));
    }
  }
  table.key_columns = table.columns.size();
  for (const ColumnDefinition& declared : columns) {
    KLIP_ASSIGN_OR_RETURN(TableColumn column, DefineColumn(declared, table.default_family));
    table.columns.push_back(std::move(column));
  }
  return table;
}

namespace {

// `of_view`: it may be a column of the base, which had no column of that name when the view was created.
Status AddColumn(const ColumnDefinition& declared, bool if_not_exists, bool of_view, TableDefinition* table) {
  KLIP_ASSIGN_OR_RETURN(TableColumn column, DefineColumn(declared, table->default_family));
  const auto same = std::ranges::find_if(table->columns, [&](const TableColumn& other) {
    return other.inherited && other.key_position < 0 && other.cell_name() == column.cell_name() &&
           other.type == column.type;
  });
  if (of_view && same != table->columns.end()) {
    same->inherited = false;
    return Status::Ok();
  }
  const bool exists = HasColumn(table->columns, column);
  if (exists && !if_not_exists) {
    return DuplicateColumn(table->name, column.name);
  }
  if (!exists) {
    column.ordinal = static_cast<int>(table->columns.size());
    table->columns.push_back(std::move(column));
  }
  return Status::Ok();
}

// Rows that the table has lack the column, and end where it would begin. So it may be NULL, which only values of variable length can be.
Status AddKeyColumn(const ColumnDefinition& declared, bool if_not_exists, TableDefinition* table) {
  KLIP_ASSIGN_OR_RETURN(TableColumn column, DefineColumn(declared, /*default_family=*/{}));
  KLIP_RETURN_IF_ERROR(CheckKeyColumn(column, /*last=*/true));
  if (std::ranges::find(table->columns, column.name, &TableColumn::name) != table->columns.end()) {
    return if_not_exists ? Status::Ok() : DuplicateColumn(table->name, column.name);
  }
  if (declared.not_null) {
    return SqlError(1006, "42J04", "Only nullable columns may be added to the primary key. columnName=" + column.name);
  }
  const DataType& last = table->key(table->key_columns - 1).type;
  if (last.type == Type::kVarbinary || last.array) {
    return SqlError(1015, "42J04", "Nothing can follow the last column of the primary key, of type " + ToString(last));
  }
  if (FixedBytes(column.type) > 0 || table->view || table->schema.has_value() || table->has_row_ids()) {
    return Status(Code::kUnsupported,
                  "SQL: ALTER TABLE ADD " + column.name + " " + ToString(column.type) +
                      " PRIMARY KEY: a type of fixed width, a view, or a table without a PRIMARY KEY");
  }
  column.descending = declared.descending;
  column.ordinal = static_cast<int>(table->columns.size());
  ExtendKey(std::move(column), table);
  table->own_key_columns = 0;
  return Status::Ok();
}

}  // namespace

Status AddViewColumns(const CreateTable& view, TableDefinition* table) {
  const std::vector<KeyColumn> key = KeyOf(view);
  if (!key.empty() && !CanExtendKey(*table)) {
    return SqlError(1036, "42J04",
                    "Cannot modify the primary key of a VIEW if last PK column of parent is variable in length. "
                    "columnName=" +
                        table->key(table->key_columns - 1).name);
  }
  const size_t inherited = table->columns.size();
  for (size_t i = 0; i < key.size(); ++i) {
    KLIP_ASSIGN_OR_RETURN(TableColumn column, DefineKeyColumn(view, key[i], i + 1 == key.size()));
    if (std::ranges::find(table->columns, column.name, &TableColumn::name) != table->columns.end()) {
      return DuplicateColumn(table->name, column.name);
    }
    column.ordinal += static_cast<int>(inherited);
    ExtendKey(std::move(column), table);
  }
  for (const ColumnDefinition& declared : view.columns) {
    if (!IsKeyColumn(key, declared)) {
      const size_t before = table->columns.size();
      KLIP_RETURN_IF_ERROR(AddColumn(declared, /*if_not_exists=*/false, /*of_view=*/true, table));
      if (table->columns.size() > before) {
        table->columns.back().ordinal =
            static_cast<int>(inherited + static_cast<size_t>(&declared - view.columns.data()));
      }
    }
  }
  return Status::Ok();
}

Status CheckDeclared(const TableName& table, const std::vector<ColumnDefinition>& columns) {
  for (auto column = columns.begin(); column != columns.end(); ++column) {
    const bool twice = std::any_of(columns.begin(), column, [&](const ColumnDefinition& before) {
      return before.name == column->name && before.family == column->family;
    });
    if (twice) {
      return DuplicateColumn(table, column->name);
    }
    const Expression* const value = column->default_value.get();
    if (value != nullptr && value->kind == Expression::Kind::kColumn) {
      return SqlError(504, "42703", "Undefined column. columnName=" + value->name);
    }
    if (value == nullptr || value->kind != Expression::Kind::kLiteral || value->value.is_null()) {
      continue;  // UPSERT computes and checks it
    }
    const bool converts = Coercible(value->value.type(), column->type.type) ||
                          (IsNumber(value->value.type()) && IsNumber(column->type.type)) ||
                          (IsText(value->value.type()) && IsTime(column->type.type));
    if (!converts || column->type.array) {
      return SqlError(203, "22005",
                      "Type mismatch. " + std::string(TypeName(value->value.type())) + " and " +
                          ToString(column->type) + " for the DEFAULT of " + column->name);
    }
    KLIP_RETURN_IF_ERROR(Convert(value->value, column->type).status());
  }
  return Status::Ok();
}

Status AddColumns(const std::vector<ColumnDefinition>& columns, bool if_not_exists, TableDefinition* table) {
  for (const ColumnDefinition& declared : columns) {
    KLIP_RETURN_IF_ERROR(declared.primary_key ? AddKeyColumn(declared, if_not_exists, table)
                                              : AddColumn(declared, if_not_exists, /*of_view=*/false, table));
  }
  KeepMarkers(table);
  return NumberColumns(table);
}

Status DropColumns(const std::vector<std::pair<std::string, std::string>>& columns, bool if_exists,
                   TableDefinition* table) {
  for (const auto& dropped : columns) {
    const std::string& family = dropped.first;
    const std::string& name = dropped.second;
    const auto column = std::find_if(table->columns.begin(), table->columns.end(), [&](const TableColumn& other) {
      return other.name == name && (family.empty() || other.family == family);
    });
    if (column == table->columns.end()) {
      if (if_exists) {
        continue;
      }
      return SqlError(504, "42703", "Undefined column. columnName=" + table->name.name + "." + name);
    }
    if (family.empty() && std::ranges::count(table->columns, name, &TableColumn::name) > 1) {
      return SqlError(502, "42702", "Column reference ambiguous or duplicate names. columnName=" + name);
    }
    if (column->key_position >= 0) {
      return SqlError(506, "42817", "Primary key column may not be dropped. columnName=" + name);
    }
    table->columns.erase(column);
  }
  if (table->has_row_ids() && table->columns.size() == table->key_columns) {
    return SqlError(
        506, "42817",
        "The last column of a table without a primary key may not be dropped. tableName=" + ToString(table->name));
  }
  KeepMarkers(table);
  return Status::Ok();
}

namespace {

std::string KeyText(std::span<const TableColumn> key) {
  std::string text;
  for (const TableColumn& column : key) {
    text += (text.empty() ? " CONSTRAINT PK PRIMARY KEY (" : ", ") + QuotedName(column.name) +
            (column.descending ? " DESC" : "") + (column.row_timestamp ? " ROW_TIMESTAMP" : "");
  }
  return text.empty() ? text : text + ")";
}

std::string SelectViewText(const TableDefinition& view) {
  std::string columns;
  for (const size_t i : view.DeclaredOrder()) {
    const TableColumn& column = view.columns[i];
    if (!column.inherited) {
      columns += (columns.empty() ? "(" : ", ") + ColumnText(view, column);
    }
  }
  const std::span keys = view.keys();
  const auto own_keys = std::ranges::count(keys, false, &TableColumn::inherited);  // the last of them
  return "CREATE VIEW " + ToString(view.name) + " " + columns + KeyText(keys.last(static_cast<size_t>(own_keys))) +
         (columns.empty() ? "" : ") ") + "AS " + SelectText(view);
}

}  // namespace

std::string SelectText(const TableDefinition& view) {
  if (!view.base.has_value()) {
    return {};
  }
  std::string columns;
  for (const size_t i : view.DeclaredOrder()) {
    const TableColumn& column = view.columns[i];
    if (view.names_columns && column.inherited && !column.hidden) {
      const bool unique = std::ranges::count(view.columns, column.name, &TableColumn::name) == 1;
      const bool in_family = column.key_position < 0 && (column.family != view.default_family || !unique);
      columns +=
          (columns.empty() ? "" : ", ") + (in_family ? QuotedName(column.family) + "." : "") + QuotedName(column.name);
    }
  }
  if (view.names_columns && columns.empty()) {
    columns = QuotedName(view.columns[0].name);
  }
  return "SELECT " + (columns.empty() ? "*" : columns) + " " + view.from_text;
}

std::string ToStatement(const TableDefinition& table) {
  if (table.base.has_value()) {
    return SelectViewText(table);
  }
  std::string text = table.view ? "CREATE VIEW " : "CREATE TABLE ";
  text += ToString(table.name) + " (";
  std::string separator;
  for (const size_t i : table.DeclaredOrder()) {
    const TableColumn& column = table.columns[i];
    if (column.schema_field < 0) {
      text += separator + ColumnText(table, column);
      separator = ", ";
    }
  }
  if (!table.schema.has_value() && !table.has_row_ids()) {
    text += KeyText(table.keys());
  }
  text += ")";
  for (size_t i = 0; i < table.properties.size(); ++i) {
    const auto& [name, value] = table.properties[i];
    const size_t dot = name.find('.');
    text += (i == 0 ? " " : ", ") +
            (dot == std::string::npos ? name : QuotedName(name.substr(0, dot)) + "." + name.substr(dot + 1)) + "=" +
            PropertyText(value);
  }
  separator = " COLUMN_QUALIFIER_COUNTER (";
  for (const auto& [family, next] : table.next_numbers) {
    text += separator + QuotedText(family) + "=" + std::to_string(next);
    separator = ", ";
  }
  return table.next_numbers.empty() ? text : text + ")";
}

std::vector<std::string> SaltSplits(int buckets) {
  std::vector<std::string> splits;
  for (int bucket = 1; bucket < buckets; ++bucket) {
    splits.emplace_back(1, static_cast<char>(bucket));
  }
  return splits;
}

std::vector<std::string> FamiliesOf(const TableDefinition& table) {
  std::vector<std::string> families;
  const auto add = [&](const std::string& family) {
    if (std::ranges::find(families, family) == families.end()) {
      families.push_back(family);
    }
  };
  if (table.empty_family.has_value()) {
    add(*table.empty_family);
  }
  for (const TableColumn& column : std::span(table.columns).subspan(table.key_columns)) {
    add(column.family);
  }
  for (const auto& [name, value] : table.properties) {
    const size_t dot = name.find('.');
    if (dot != std::string::npos && !IsSqlProperty(std::string_view(name).substr(dot + 1))) {
      add(name.substr(0, dot));
    }
  }
  return families;
}

Expected<TableDescriptor> DescriptorOf(const TableDefinition& table, TableDescriptor descriptor) {
  descriptor.name = table.physical_name;
  const auto family_of = [&](const std::string& name) -> FamilyDescriptor& {
    const auto found = std::ranges::find(descriptor.families, name, &FamilyDescriptor::name);
    if (found != descriptor.families.end()) {
      return *found;
    }
    descriptor.families.emplace_back().name = name;
    return descriptor.families.back();
  };
  const std::vector<std::string> families = FamiliesOf(table);
  std::ranges::for_each(families, family_of);
  for (const auto& [name, value] : table.properties) {
    const size_t dot = name.find('.');
    const std::string attribute = dot == std::string::npos ? name : name.substr(dot + 1);
    if (IsSqlProperty(attribute)) {
      continue;
    }
    if (dot != std::string::npos) {
      KLIP_RETURN_IF_ERROR(base::SetAttribute(attribute, TextOf(value), &family_of(name.substr(0, dot))));
    } else if (base::IsFamilySetting(attribute)) {
      for (const std::string& family : families) {
        KLIP_RETURN_IF_ERROR(base::SetAttribute(attribute, TextOf(value), &family_of(family)));
      }
    } else {
      descriptor.attributes[attribute] = TextOf(value);
    }
  }
  std::string schema = table.salt_buckets > 0 ? "_SALT:u8" : "";
  for (size_t i = 0; i < table.key_columns; ++i) {
    const std::string part = SchemaPart(table.key(i), i + 1 == table.key_columns);
    if (part.empty()) {
      schema.clear();
      break;
    }
    schema += (schema.empty() ? "" : " ") + part;
  }
  if (!schema.empty() && RowKeySchema::Parse(schema).ok()) {
    descriptor.attributes[std::string(RowKeySchema::kTableAttribute)] = schema;
  }
  return descriptor;
}

}  // namespace klip::sql
