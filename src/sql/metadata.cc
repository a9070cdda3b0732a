#include "sql/metadata.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "sql/catalog/definition.h"
#include "sql/list_rows.h"
#include "sql/plan/index_expression.h"
#include "sql/syntax/parser.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

Column Text(std::string label) { return {.label = std::move(label), .type = {.type = Type::kVarchar}}; }
Column Small(std::string label) { return {.label = std::move(label), .type = {.type = Type::kSmallint}}; }
Column Whole(std::string label) { return {.label = std::move(label), .type = {.type = Type::kInteger}}; }
Column Big(std::string label) { return {.label = std::move(label), .type = {.type = Type::kBigint}}; }
Column Bytes(std::string label) { return {.label = std::move(label), .type = {.type = Type::kVarbinary}}; }
Column Boolean(std::string label) { return {.label = std::move(label), .type = {.type = Type::kBoolean}}; }

Value TextValue(std::string text) { return Value::Text(std::move(text)); }
Value WholeValue(int64_t value) { return {Type::kInteger, value}; }
Value SizeValue(int value) { return value > 0 ? WholeValue(value) : Value(); }

// LIKE with % and _; \ escapes the next character.
bool Like(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) {
    return text.empty();
  }
  if (pattern[0] == '%') {
    return Like(text, pattern.substr(1)) || (!text.empty() && Like(text.substr(1), pattern));
  }
  if (text.empty()) {
    return false;
  }
  if (pattern[0] == '\\' && pattern.size() > 1) {
    return pattern[1] == text[0] && Like(text.substr(1), pattern.substr(2));
  }
  return (pattern[0] == '_' || pattern[0] == text[0]) && Like(text.substr(1), pattern.substr(1));
}

bool Fits(std::string_view text, const std::optional<std::string>& pattern) {
  constexpr size_t kLongest = 512;  // Like may try every split
  return !pattern.has_value() || (pattern->size() <= kLongest && Like(text, *pattern));
}

bool Fits(const TableDefinition& table, const TablePattern& pattern) {
  return Fits(table.tenant, pattern.catalog) && Fits(table.name.schema, pattern.schema) &&
         Fits(table.name.name, pattern.table);
}

std::string KindOf(const TableDefinition& table) {
  return table.system ? "SYSTEM TABLE" : table.view ? "VIEW" : "TABLE";
}

bool Wanted(const TablePattern& pattern, std::string_view kind) {
  return pattern.types.empty() || std::find(pattern.types.begin(), pattern.types.end(), kind) != pattern.types.end();
}

std::vector<Value> TableRow(const TableDefinition& table) {
  const Value view_type = !table.view               ? Value()
                          : !table.base.has_value() ? TextValue("MAPPED")
                          : table.read_only         ? TextValue("READ_ONLY")
                                                    : TextValue("UPDATABLE");
  return {TextValue(table.tenant),
          TextValue(table.name.schema),
          TextValue(table.name.name),
          TextValue(KindOf(table)),
          Value(),
          Value(),
          Value(),
          Value(),
          Value(),
          Value::Boolean(table.HasProperty("IMMUTABLE_ROWS")),
          SizeValue(table.salt_buckets),
          Value::Boolean(table.HasProperty("MULTI_TENANT")),
          TextValue(SelectText(table)),
          view_type,
          Value(),
          Value::Boolean(table.transactional()),
          Value::Boolean(false),
          Value(),
          Value()};
}

// The row of an index or a sequence.
std::vector<Value> OtherRow(const std::string& schema, const std::string& name, const char* kind) {
  std::vector<Value> row(19);
  row[1] = TextValue(schema);
  row[2] = TextValue(name);
  row[3] = TextValue(kind);
  return row;
}

std::vector<Value> IndexRow(const TableDefinition& table, const IndexInfo& index) {
  std::vector<Value> row = OtherRow(table.name.schema, index.index.name, "INDEX");
  row[8] = TextValue(index.building ? "BUILDING" : index.unusable ? "INACTIVE" : "ACTIVE");
  row[9] = Value::Boolean(table.HasProperty("IMMUTABLE_ROWS"));
  row[10] = SizeValue(table.salt_buckets);
  row[11] = Value::Boolean(table.HasProperty("MULTI_TENANT"));
  row[14] = TextValue("GLOBAL");
  row[15] = Value::Boolean(table.transactional());
  row[16] = Value::Boolean(false);
  return row;
}

std::string IndexedText(const std::string& name, const IndexField& field) {
  return field.function == IndexFunction::kUpper   ? "UPPER(" + name + ")"
         : field.function == IndexFunction::kLower ? "LOWER(" + name + ")"
                                                   : name;
}

// The stored bytes of a constant that a view requires, and Phoenix's 00 behind them.
Value RequiredBytes(const TableColumn& column) {
  if (column.required == nullptr || column.required->kind != Expression::Kind::kLiteral) {
    return {};
  }
  const Expected<Value> value = Convert(column.required->value, column.type);
  std::string bytes;
  if (value.ok()) {
    EncodeValue(*value, column.type, &bytes);
  }
  return value.ok() ? Value(Type::kVarbinary, bytes + '\0') : Value();
}

// A field of an index, as JDBC shows it.
struct ShownField {
  std::string text;      // as Phoenix names an indexed expression: "UPPER(0:NAME)"
  std::string declared;  // "UPPER(NAME)"
  std::string family;
  DataType type;
  bool descending = false;
};

// nullopt: not of SQL, such as the marker cell of rows.
std::optional<ShownField> FieldOf(const TableDefinition& table, const IndexField& field) {
  const bool descending = field.type.ends_with(" desc");
  if (!field.expression.empty()) {
    const Expected<ExpressionPtr> parsed = ParseExpression(field.expression);
    const Expected<std::unique_ptr<TableExpression>> made =
        parsed.ok() ? TableExpression::Make(**parsed, table) : parsed.status();
    return made.ok()
               ? std::optional(ShownField{field.expression, field.expression, "", (*made)->bound().type(), descending})
               : std::nullopt;
  }
  const auto found = std::find_if(table.columns.begin(), table.columns.end(), [&](const TableColumn& column) {
    return field.key_field.empty() ? column.key_position < 0 && column.cell_name() == field.column
                                   : column.key_position >= 0 && column.name == field.key_field;
  });
  if (found == table.columns.end()) {
    return std::nullopt;
  }
  const bool unnamed = found->family.empty() || found->family == kDefaultFamily;
  return ShownField{IndexedText(found->family + ":" + found->name, field),
                    IndexedText(unnamed ? found->name : found->family + "." + found->name, field), found->family,
                    found->type, field.key_field.empty() ? descending : found->descending};
}

// A column of a table or an index, as JDBC's getColumns() describes it.
struct DescribedColumn {
  std::string name;
  std::string family;
  DataType type;
  bool nullable = true;
  Value definition;  // of a DEFAULT, or of an indexed column
  Value view_constant;
  Value key_sequence;
};

std::vector<DescribedColumn> ColumnsOfTable(const TableDefinition& table) {
  std::vector<DescribedColumn> columns;
  for (const size_t i : table.DeclaredOrder()) {
    const TableColumn& column = table.columns[i];
    columns.push_back(
        {.name = column.name,
         .family = column.family,
         .type = column.type,
         .nullable = !column.not_null,
         .definition = column.default_value == nullptr ? Value() : TextValue(ToString(*column.default_value)),
         .view_constant = RequiredBytes(column),
         .key_sequence = column.key_position < 0 ? Value() : WholeValue(table.KeySequence(column))});
  }
  return columns;
}

// A type of fixed length whose values may be NULL, as Phoenix's index tables have it in their keys.
DataType IndexedType(const DataType& type) {
  DataType indexed = type;
  indexed.type = type.type == Type::kChar     ? Type::kVarchar
                 : type.type == Type::kBinary ? Type::kVarbinary
                 : !type.array && (IsNumber(type.type) || IsTime(type.type) || type.type == Type::kBoolean)
                     ? Type::kDecimal
                     : type.type;
  return indexed;
}

void AddNames(const Expression& expression, std::set<std::string>* names) {
  if (expression.kind == Expression::Kind::kColumn) {
    names->insert(expression.name);
  }
  for (const ExpressionPtr& operand : expression.operands) {
    AddNames(*operand, names);
  }
}

// Those of columns whose values the fields have, or are computed from. klip includes them, too, to check rows.
std::set<std::string> NamesInFields(const TableDefinition& table, const IndexDescriptor& index) {
  std::set<std::string> names;
  for (const IndexField& field : index.fields) {
    for (const TableColumn& column : table.columns) {
      if (column.cell_name() == field.column) {
        names.insert(column.name);
      }
    }
    if (const Expected<ExpressionPtr> parsed = ParseExpression(field.expression); parsed.ok()) {
      AddNames(**parsed, &names);
    }
  }
  return names;
}

// The columns of Phoenix's table for the index: its key with the rest of the table's, and what it includes.
std::vector<DescribedColumn> ColumnsOfIndex(const TableDefinition& table, const IndexDescriptor& index) {
  std::vector<DescribedColumn> columns;
  std::set<std::string> keys;
  const auto add_key = [&](const TableColumn& column) {
    if (!column.hidden && keys.insert(column.name).second) {
      columns.push_back({.name = ":" + column.name,
                         .type = column.type,
                         .nullable = !column.not_null,
                         .definition = TextValue("\"" + column.name + "\"")});
    }
  };
  for (const IndexField& field : index.fields) {
    if (!field.key_field.empty()) {
      const auto key = std::ranges::find(table.keys(), field.key_field, &TableColumn::name);
      key == table.keys().end() ? void() : add_key(*key);
    } else if (const std::optional<ShownField> shown = FieldOf(table, field); shown.has_value()) {
      const bool plain = field.expression.empty() && field.function == IndexFunction::kNone;
      columns.push_back({.name = plain ? shown->text : ": " + shown->declared,
                         .type = IndexedType(shown->type),
                         .definition = TextValue((plain ? "" : " ") + shown->declared)});
    }
  }
  std::ranges::for_each(table.keys(), add_key);
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].key_sequence = WholeValue(static_cast<int64_t>(i) + 1);
  }
  const std::set<std::string> indexed = NamesInFields(table, index);
  for (const TableColumn& column : table.columns) {
    if (column.key_position < 0 && !indexed.contains(column.name) &&
        std::ranges::find(index.include, column.cell_name()) != index.include.end()) {
      columns.push_back({.name = column.family + ":" + column.name, .family = column.family, .type = column.type});
    }
  }
  return columns;
}

void AppendColumns(const TableDefinition& table, const std::string& name, const std::vector<DescribedColumn>& columns,
                   const std::function<bool(const DescribedColumn&)>& wanted, std::vector<std::vector<Value>>* rows) {
  int64_t position = 0;
  for (const DescribedColumn& column : columns) {
    ++position;
    if (!wanted(column)) {
      continue;
    }
    const DataType& type = column.type;
    std::vector<Value>& row = rows->emplace_back(29);
    row[1] = TextValue(table.name.schema);
    row[2] = TextValue(name);
    row[3] = TextValue(column.name);
    row[4] = WholeValue(JdbcType(type));
    row[5] = TextValue(std::string(TypeName(type.type)) + (type.array ? " ARRAY" : ""));
    row[6] = SizeValue(type.type == Type::kDecimal && type.max_length == 0 ? type.precision : type.max_length);
    row[8] = type.scale >= 0 ? WholeValue(type.scale) : Value();
    row[10] = WholeValue(column.nullable ? 1 : 0);
    row[12] = column.definition;
    row[16] = WholeValue(position);
    row[17] = TextValue(column.nullable ? "true" : "false");  // Phoenix's words
    row[24] = TextValue(column.family);
    row[25] = WholeValue(PhoenixType(type));
    row[26] = column.view_constant;
    row[27] = Value::Boolean(table.HasProperty("MULTI_TENANT"));
    row[28] = column.key_sequence;
  }
}

}  // namespace

std::unique_ptr<Rows> TablesOf(const std::vector<ListedTable>& tables, const std::vector<ListedSequence>& sequences,
                               const TablePattern& pattern) {
  std::vector<Column> columns = {Text("TABLE_CAT"),
                                 Text("TABLE_SCHEM"),
                                 Text("TABLE_NAME"),
                                 Text("TABLE_TYPE"),
                                 Text("REMARKS"),
                                 Text("TYPE_NAME"),
                                 Text("SELF_REFERENCING_COL_NAME"),
                                 Text("REF_GENERATION"),
                                 Text("INDEX_STATE"),
                                 Boolean("IMMUTABLE_ROWS"),
                                 Whole("SALT_BUCKETS"),
                                 Boolean("MULTI_TENANT"),
                                 Text("VIEW_STATEMENT"),
                                 Text("VIEW_TYPE"),
                                 Text("INDEX_TYPE"),
                                 Boolean("TRANSACTIONAL"),
                                 Boolean("IS_NAMESPACE_MAPPED"),
                                 Big("GUIDE_POSTS_WIDTH"),
                                 Text("TRANSACTION_PROVIDER")};
  constexpr size_t kSchema = 1;
  constexpr size_t kName = 2;
  constexpr size_t kKind = 3;
  std::vector<std::vector<Value>> rows;
  for (const ListedTable& listed : tables) {
    const TableName& name = listed.table->name;
    if (Wanted(pattern, KindOf(*listed.table)) && Fits(*listed.table, pattern)) {
      rows.push_back(TableRow(*listed.table));
    }
    for (const IndexInfo& index : listed.indexes) {
      if (Wanted(pattern, "INDEX") && Fits(listed.table->tenant, pattern.catalog) &&
          Fits(name.schema, pattern.schema) && Fits(index.index.name, pattern.table)) {
        rows.push_back(IndexRow(*listed.table, index));
      }
    }
  }
  for (const ListedSequence& sequence : sequences) {
    if (!pattern.types.empty() && Wanted(pattern, "SEQUENCE") && Fits(sequence.name.schema, pattern.schema) &&
        Fits(sequence.name.name, pattern.table)) {
      rows.push_back(OtherRow(sequence.name.schema, sequence.name.name, "SEQUENCE"));
    }
  }
  const auto key = [](const std::vector<Value>& row) {
    return std::tuple(row[kKind].text(), row[kSchema].is_null() ? std::string_view() : row[kSchema].text(),
                      row[kName].text());
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return MakeListRows(std::move(columns), std::move(rows));
}

std::unique_ptr<Rows> ColumnsOf(const std::vector<ListedTable>& tables, const TablePattern& pattern) {
  std::vector<Column> columns = {
      Text("TABLE_CAT"),         Text("TABLE_SCHEM"),      Text("TABLE_NAME"),        Text("COLUMN_NAME"),
      Whole("DATA_TYPE"),        Text("TYPE_NAME"),        Whole("COLUMN_SIZE"),      Whole("BUFFER_LENGTH"),
      Whole("DECIMAL_DIGITS"),   Whole("NUM_PREC_RADIX"),  Whole("NULLABLE"),         Text("REMARKS"),
      Text("COLUMN_DEF"),        Whole("SQL_DATA_TYPE"),   Whole("SQL_DATETIME_SUB"), Whole("CHAR_OCTET_LENGTH"),
      Whole("ORDINAL_POSITION"), Text("IS_NULLABLE"),      Text("SCOPE_CATALOG"),     Text("SCOPE_SCHEMA"),
      Text("SCOPE_TABLE"),       Text("SOURCE_DATA_TYPE"), Small("IS_AUTOINCREMENT"), Whole("ARRAY_SIZE"),
      Text("COLUMN_FAMILY"),     Whole("TYPE_ID"),         Bytes("VIEW_CONSTANT"),    Boolean("MULTI_TENANT"),
      Small("KEY_SEQ")};
  std::optional<std::string> column_pattern = pattern.column;
  std::optional<std::string> family_pattern;  // "family.column"
  if (const size_t point = pattern.column.value_or("").find('.'); point != std::string::npos) {
    family_pattern = pattern.column->substr(0, point);
    column_pattern = pattern.column->substr(point + 1);
  }
  const auto wanted = [&](const DescribedColumn& column) {
    return Fits(column.name, column_pattern) && Fits(column.family, family_pattern);
  };
  std::vector<std::vector<Value>> rows;
  for (const ListedTable& listed : tables) {  // as Phoenix: first indexes, then tables, then views
    const TableDefinition& table = *listed.table;
    for (const IndexInfo& info : listed.indexes) {
      if (Fits(table.tenant, pattern.catalog) && Fits(table.name.schema, pattern.schema) &&
          Fits(info.index.name, pattern.table)) {
        AppendColumns(table, info.index.name, ColumnsOfIndex(table, info.index), wanted, &rows);
      }
    }
  }
  for (const std::string_view kind : {"SYSTEM TABLE", "TABLE", "VIEW"}) {
    for (const ListedTable& listed : tables) {
      if (KindOf(*listed.table) == kind && Fits(*listed.table, pattern)) {
        AppendColumns(*listed.table, listed.table->name.name, ColumnsOfTable(*listed.table), wanted, &rows);
      }
    }
  }
  return MakeListRows(std::move(columns), std::move(rows));
}

std::unique_ptr<Rows> PrimaryKeysOf(const std::vector<ListedTable>& tables, const TablePattern& pattern) {
  std::vector<Column> columns = {Text("TABLE_CAT"), Text("TABLE_SCHEM"),  Text("TABLE_NAME"),  Text("COLUMN_NAME"),
                                 Whole("KEY_SEQ"),  Text("PK_NAME"),      Text("ASC_OR_DESC"), Whole("DATA_TYPE"),
                                 Text("TYPE_NAME"), Whole("COLUMN_SIZE"), Whole("TYPE_ID"),    Text("VIEW_CONSTANT")};
  std::vector<std::vector<Value>> rows;
  for (const ListedTable& listed : tables) {
    const TablePtr& table = listed.table;
    if (!Fits(*table, pattern) || table->has_row_ids()) {
      continue;
    }
    for (const TableColumn& column : table->keys()) {
      if (column.hidden) {
        continue;
      }
      const Value jdbc = WholeValue(JdbcType(column.type));
      rows.push_back({Value(), TextValue(table->name.schema), TextValue(table->name.name), TextValue(column.name),
                      WholeValue(table->KeySequence(column)), TextValue("PK"), TextValue(column.descending ? "D" : "A"),
                      jdbc, TextValue(std::string(TypeName(column.type.type))), SizeValue(column.type.max_length),
                      WholeValue(PhoenixType(column.type)), Value()});
    }
  }
  return MakeListRows(std::move(columns), std::move(rows));
}

std::unique_ptr<Rows> IndexesOf(const std::vector<ListedTable>& tables, const TablePattern& pattern) {
  constexpr int64_t kOtherIndex = 3;  // JDBC's tableIndexOther
  std::vector<Column> columns = {
      Text("TABLE_CAT"),        Text("TABLE_SCHEM"),  Text("TABLE_NAME"),   Boolean("NON_UNIQUE"),
      Text("INDEX_QUALIFIER"),  Text("INDEX_NAME"),   Whole("TYPE"),        Whole("ORDINAL_POSITION"),
      Text("COLUMN_NAME"),      Text("ASC_OR_DESC"),  Whole("CARDINALITY"), Whole("PAGES"),
      Text("FILTER_CONDITION"), Whole("DATA_TYPE"),   Text("TYPE_NAME"),    Whole("TYPE_ID"),
      Text("COLUMN_FAMILY"),    Whole("COLUMN_SIZE"), Whole("ARRAY_SIZE")};
  std::vector<std::vector<Value>> rows;
  for (const ListedTable& listed : tables) {
    const TableDefinition& table = *listed.table;
    if (!Fits(table, pattern)) {
      continue;
    }
    for (const IndexInfo& index : listed.indexes) {
      int64_t position = 0;
      for (const IndexField& field : index.index.fields) {
        const std::optional<ShownField> shown = FieldOf(table, field);
        if (!shown.has_value()) {
          continue;
        }
        const DataType& type = shown->type;
        rows.push_back({Value(), TextValue(table.name.schema), TextValue(table.name.name),
                        Value::Boolean(!index.index.unique), Value(), TextValue(index.index.name),
                        WholeValue(kOtherIndex), WholeValue(++position), TextValue(shown->text),
                        TextValue(shown->descending ? "D" : "A"), Value(), Value(), Value(), WholeValue(JdbcType(type)),
                        TextValue(std::string(TypeName(type.type))), WholeValue(PhoenixType(type)),
                        TextValue(shown->family), SizeValue(type.max_length), Value()});
      }
    }
  }
  return MakeListRows(std::move(columns), std::move(rows));
}

std::unique_ptr<Rows> SchemasOf(const std::vector<ListedTable>& tables, const TablePattern& pattern) {
  std::set<std::string> schemas;
  if (Fits("", pattern.schema)) {
    schemas.insert("");  // of tables without a schema, which always exists
  }
  for (const ListedTable& listed : tables) {
    if (Fits(listed.table->name.schema, pattern.schema)) {
      schemas.insert(listed.table->name.schema);
    }
  }
  std::vector<std::vector<Value>> rows;
  for (const std::string& schema : schemas) {
    rows.push_back({TextValue(schema), Value()});
  }
  return MakeListRows({Text("TABLE_SCHEM"), Text("TABLE_CATALOG")}, std::move(rows));
}

}  // namespace klip::sql
