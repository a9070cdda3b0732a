#include "sql/plan/scope.h"

#include <algorithm>

namespace klip::sql {
namespace {

// An unquoted name, which is in upper case, also matches a column whose name is in lower case.
bool SameName(std::string_view column, std::string_view name) {
  return column == name ||
         std::equal(column.begin(), column.end(), name.begin(), name.end(), [](char of_column, char of_name) {
           return of_column == of_name || (of_name >= 'A' && of_name <= 'Z' && of_column == of_name - 'A' + 'a');
         });
}

// A qualifier names a table, its alias, or a family.
bool Qualifies(const ScopeColumn& column, const Expression& name) {
  if (!name.schema.empty()) {  // schema.table.column, or table.family.column
    return (name.schema == column.table.schema && name.qualifier == column.table.name) ||
           (name.schema == column.alias && SameName(column.family, name.qualifier));
  }
  return name.qualifier.empty() || SameName(column.alias, name.qualifier) || SameName(column.family, name.qualifier);
}

}  // namespace

Expected<std::optional<size_t>> Scope::Find(const Expression& column) const {
  std::optional<size_t> found;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].row_part != RowPart::kNone || !SameName(columns[i].name, column.name) ||
        !Qualifies(columns[i], column)) {
      continue;
    }
    if (found.has_value()) {
      return SqlError(502, "42702", "Column reference ambiguous or duplicate names. columnName=" + column.name);
    }
    found = i;
  }
  return found;
}

bool Scope::HasQualifier(std::string_view qualifier) const {
  return std::any_of(columns.begin(), columns.end(), [&](const ScopeColumn& column) {
    return SameName(column.alias, qualifier) || SameName(column.family, qualifier);
  });
}

std::vector<ScopeColumn> ScopeColumnsOf(const TableDefinition& table, const std::string& alias) {
  std::vector<ScopeColumn> columns;
  for (const TableColumn& column : table.columns) {
    columns.push_back({.alias = alias,
                       .table = table.name,
                       .family = column.family,
                       .name = column.name,
                       .qualifier = column.qualifier,
                       .type = column.type,
                       .nullable = column.key_position < 0 ? !column.not_null : !table.HasValue(column),
                       .descending = column.descending,
                       .row_part = column.row_part});
  }
  return columns;
}

std::string ColumnText(const Expression& column) {
  return (column.schema.empty() ? "" : column.schema + ".") + (column.qualifier.empty() ? "" : column.qualifier + ".") +
         column.name;
}

}  // namespace klip::sql
