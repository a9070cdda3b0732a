#include "sql/catalog/index_table.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "sql/catalog/column_encoding.h"
#include "sql/catalog/definition.h"
#include "sql/syntax/parser.h"

namespace klip::sql {
namespace {

// The properties that decide how keys and cells are read.
bool IsOfFormat(const std::pair<std::string, Value>& property) {
  static constexpr std::string_view kNames[] = {"SALT_BUCKETS", "COLUMN_ENCODED_BYTES", "DEFAULT_COLUMN_FAMILY",
                                                "IMMUTABLE_ROWS", "IMMUTABLE_STORAGE_SCHEME"};
  return std::ranges::find(kNames, std::string_view(property.first)) != std::end(kNames);
}

}  // namespace

std::string IndexTableStatement(const TableDefinition& table, const std::vector<bool>& used) {
  TableDefinition read = table;
  read.base.reset();
  read.view = !table.empty_family.has_value();
  read.columns.clear();
  for (size_t i = 0; i < table.columns.size(); ++i) {
    if (i < table.key_columns || used[i]) {
      read.columns.push_back(table.columns[i]);
      read.columns.back().default_value = nullptr;
    }
  }
  std::erase_if(read.properties, [](const auto& property) { return !IsOfFormat(property); });
  const bool has_numbers = table.empty_qualifier == std::string(kEncodedEmptyQualifierBytes, '\0');
  if (has_numbers && read.next_numbers.empty()) {  // a view: its table counts
    read.next_numbers.emplace(read.default_family, kFirstColumnNumber);
  }
  if (table.empty_family.has_value()) {
    read.properties.emplace_back(kMarkerFamilyProperty, Value::Text(*table.empty_family));
  }
  return ToStatement(read);
}

Expected<TableDefinition> ReadIndexTable(const std::string& sql_table, const TableDescriptor& descriptor) {
  KLIP_ASSIGN_OR_RETURN(const Parsed parsed, ParseStatement(sql_table));
  const auto* const create = std::get_if<CreateTable>(&parsed.statement);
  if (create == nullptr || create->as != nullptr) {
    return Status(Code::kInvalidArgument, "not a CREATE TABLE or CREATE VIEW: " + sql_table);
  }
  const bool has_key = !create->key.empty() || std::ranges::any_of(create->columns, &ColumnDefinition::primary_key);
  return create->view && !has_key ? DefineBySchema(create->name, descriptor, create->columns) : Define(*create);
}

bool IndexReads(const IndexDescriptor& index, const TableDescriptor& descriptor, const std::string& column) {
  if (std::ranges::find(index.fields, column, &IndexField::column) != index.fields.end() ||
      std::ranges::any_of(index.where, [&](const auto& condition) { return condition.first == column; })) {
    return true;
  }
  if (index.sql_table.empty()) {
    return false;
  }
  const Expected<TableDefinition> table = ReadIndexTable(index.sql_table, descriptor);
  return table.ok() && std::ranges::any_of(std::span(table->columns).subspan(table->key_columns),
                                           [&](const TableColumn& one) { return one.cell_name() == column; });
}

}  // namespace klip::sql
