#include "sql/metadata.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "sql/list_rows.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

Column Text(std::string label) { return {.label = std::move(label), .type = {.type = Type::kVarchar}}; }
Column Whole(std::string label) { return {.label = std::move(label), .type = {.type = Type::kInteger}}; }
Column Boolean(std::string label) { return {.label = std::move(label), .type = {.type = Type::kBoolean}}; }

Value TextValue(std::string text) { return Value::Text(std::move(text)); }
Value WholeValue(int64_t value) { return {Type::kInteger, value}; }
Value SizeValue(int value) { return value > 0 ? WholeValue(value) : Value(); }

// LIKE with % and _; \ takes the next character as it is.
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
  return Fits(table.name.schema, pattern.schema) && Fits(table.name.name, pattern.table);
}

std::string KindOf(const TableDefinition& table) { return table.view ? "VIEW" : "TABLE"; }

}  // namespace

std::unique_ptr<Rows> TablesOf(const std::vector<TablePtr>& tables, const TablePattern& pattern) {
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
                                 Whole("GUIDE_POSTS_WIDTH"),
                                 Text("TRANSACTION_PROVIDER")};
  std::vector<std::vector<Value>> rows;
  for (const TablePtr& table : tables) {
    const bool wanted = pattern.types.empty() ||
                        std::find(pattern.types.begin(), pattern.types.end(), KindOf(*table)) != pattern.types.end();
    if (!wanted || !Fits(*table, pattern)) {
      continue;
    }
    rows.push_back({Value(), TextValue(table->name.schema), TextValue(table->name.name), TextValue(KindOf(*table)),
                    Value(), Value(), Value(), Value(), Value(), Value::Boolean(false), SizeValue(table->salt_buckets),
                    Value::Boolean(false), Value(), table->view ? TextValue("MAPPED") : Value(), Value(),
                    Value::Boolean(false), Value::Boolean(false), Value(), Value()});
  }
  return MakeListRows(std::move(columns), std::move(rows));
}

std::unique_ptr<Rows> ColumnsOf(const std::vector<TablePtr>& tables, const TablePattern& pattern) {
  std::vector<Column> columns = {
      Text("TABLE_CAT"),         Text("TABLE_SCHEM"),       Text("TABLE_NAME"),        Text("COLUMN_NAME"),
      Whole("DATA_TYPE"),        Text("TYPE_NAME"),         Whole("COLUMN_SIZE"),      Whole("BUFFER_LENGTH"),
      Whole("DECIMAL_DIGITS"),   Whole("NUM_PREC_RADIX"),   Whole("NULLABLE"),         Text("REMARKS"),
      Text("COLUMN_DEF"),        Whole("SQL_DATA_TYPE"),    Whole("SQL_DATETIME_SUB"), Whole("CHAR_OCTET_LENGTH"),
      Whole("ORDINAL_POSITION"), Text("IS_NULLABLE"),       Text("SCOPE_CATALOG"),     Text("SCOPE_SCHEMA"),
      Text("SCOPE_TABLE"),       Whole("SOURCE_DATA_TYPE"), Text("IS_AUTOINCREMENT"),  Whole("ARRAY_SIZE"),
      Text("COLUMN_FAMILY"),     Whole("TYPE_ID"),          Text("VIEW_CONSTANT"),     Boolean("MULTI_TENANT"),
      Whole("KEY_SEQ")};
  std::vector<std::vector<Value>> rows;
  for (const TablePtr& table : tables) {
    if (!Fits(*table, pattern)) {
      continue;
    }
    for (size_t i = 0; i < table->columns.size(); ++i) {
      const TableColumn& column = table->columns[i];
      if (!Fits(column.name, pattern.column)) {
        continue;
      }
      const int size = column.type.type == Type::kDecimal ? column.type.precision : column.type.max_length;
      const Value jdbc = WholeValue(JdbcType(column.type));
      rows.push_back({Value(),
                      TextValue(table->name.schema),
                      TextValue(table->name.name),
                      TextValue(column.name),
                      jdbc,
                      TextValue(std::string(TypeName(column.type.type)) + (column.type.array ? " ARRAY" : "")),
                      SizeValue(size),
                      Value(),
                      column.type.scale >= 0 ? WholeValue(column.type.scale) : Value(),
                      Value(),
                      WholeValue(column.not_null ? 0 : 1),
                      Value(),
                      column.default_value == nullptr ? Value() : TextValue(ToString(*column.default_value)),
                      Value(),
                      Value(),
                      Value(),
                      WholeValue(static_cast<int64_t>(i) + 1),
                      TextValue(column.not_null ? "NO" : "YES"),
                      Value(),
                      Value(),
                      Value(),
                      Value(),
                      TextValue("NO"),
                      Value(),
                      TextValue(column.family),
                      jdbc,
                      Value(),
                      Value::Boolean(false),
                      column.key_position < 0 ? Value() : WholeValue(column.key_position + 1)});
    }
  }
  return MakeListRows(std::move(columns), std::move(rows));
}

std::unique_ptr<Rows> PrimaryKeysOf(const std::vector<TablePtr>& tables, const TablePattern& pattern) {
  std::vector<Column> columns = {Text("TABLE_CAT"), Text("TABLE_SCHEM"),  Text("TABLE_NAME"),  Text("COLUMN_NAME"),
                                 Whole("KEY_SEQ"),  Text("PK_NAME"),      Text("ASC_OR_DESC"), Whole("DATA_TYPE"),
                                 Text("TYPE_NAME"), Whole("COLUMN_SIZE"), Whole("TYPE_ID"),    Text("VIEW_CONSTANT")};
  std::vector<std::vector<Value>> rows;
  for (const TablePtr& table : tables) {
    if (!Fits(*table, pattern)) {
      continue;
    }
    for (const TableColumn& column : table->keys()) {
      const Value jdbc = WholeValue(JdbcType(column.type));
      rows.push_back({Value(), TextValue(table->name.schema), TextValue(table->name.name), TextValue(column.name),
                      WholeValue(column.key_position + 1), TextValue("PK"), TextValue(column.descending ? "D" : "A"),
                      jdbc, TextValue(std::string(TypeName(column.type.type))), SizeValue(column.type.max_length), jdbc,
                      Value()});
    }
  }
  return MakeListRows(std::move(columns), std::move(rows));
}

std::unique_ptr<Rows> SchemasOf(const std::vector<TablePtr>& tables, const TablePattern& pattern) {
  std::set<std::string> schemas;
  for (const TablePtr& table : tables) {
    if (Fits(table->name.schema, pattern.schema)) {
      schemas.insert(table->name.schema);
    }
  }
  std::vector<std::vector<Value>> rows;
  for (const std::string& schema : schemas) {
    rows.push_back({TextValue(schema), Value()});
  }
  return MakeListRows({Text("TABLE_SCHEM"), Text("TABLE_CATALOG")}, std::move(rows));
}

}  // namespace klip::sql
