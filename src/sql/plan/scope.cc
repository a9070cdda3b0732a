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

// The name of a table that has an alias qualifies its columns, too.
bool IsOfTable(const ScopeColumn& column, const Expression& name) {
  return name.schema.empty() && !name.qualifier.empty() && SameName(column.table.name, name.qualifier);
}

}  // namespace

Status Ambiguous(const std::string& column) {
  return SqlError(502, "42702", "Column reference ambiguous or duplicate names. columnName=" + column);
}

Expected<std::optional<size_t>> Scope::Find(const Expression& column) const {
  std::vector<size_t> found;
  const auto find = [&](auto qualifies) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].row_part == RowPart::kNone && SameName(columns[i].name, column.name) &&
          qualifies(columns[i], column)) {
        found.push_back(i);
      }
    }
  };
  find(Qualifies);
  const bool by_table = found.empty() && (outer == nullptr || !outer->HasQualifier(column.qualifier));
  if (by_table) {
    find(IsOfTable);
  }
  if (found.size() > 1) {
    return by_table ? SqlError(501, "42000", "Several tables of the query are " + column.qualifier)
                    : Ambiguous(column.name);
  }
  return found.empty() ? std::nullopt : std::optional(found[0]);
}

Status Scope::UndefinedQualifier(const std::string& qualifier) const {
  const bool several =
      std::ranges::any_of(columns, [&](const ScopeColumn& column) { return column.alias != columns.front().alias; });
  return several ? SqlError(1012, "42M03", "Table undefined. tableName=" + qualifier)
                 : SqlError(1001, "42I01", "Undefined column family. familyName=" + qualifier);
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
