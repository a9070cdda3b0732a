#include "sql/plan/scope.h"

namespace klip::sql {
namespace {

// A qualifier names a table, by its alias, or a family.
bool Qualifies(const ScopeColumn& column, const Expression& name) {
  if (!name.schema.empty()) {  // schema.table.column, or table.family.column
    return (name.schema == column.table.schema && name.qualifier == column.table.name) ||
           (name.schema == column.alias && name.qualifier == column.family);
  }
  return name.qualifier.empty() || name.qualifier == column.alias || name.qualifier == column.family;
}

}  // namespace

Expected<std::optional<size_t>> Scope::Find(const Expression& column) const {
  std::optional<size_t> found;
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name != column.name || !Qualifies(columns[i], column)) {
      continue;
    }
    if (found.has_value()) {
      return SqlError(502, "42702", "Column reference ambiguous or duplicate names. columnName=" + column.name);
    }
    found = i;
  }
  return found;
}

std::string ColumnText(const Expression& column) {
  return (column.schema.empty() ? "" : column.schema + ".") + (column.qualifier.empty() ? "" : column.qualifier + ".") +
         column.name;
}

}  // namespace klip::sql
