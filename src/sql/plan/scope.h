// Which columns the names of a query mean.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sql/catalog/table_definition.h"
#include "sql/exec/expression.h"

namespace klip::sql {

struct ScopeColumn {
  std::string alias;  // of the table, or its name
  TableName table;    // empty for a derived table
  std::string family;
  std::string name;
  DataType type;
  bool nullable = true;
};

// The columns of a query's FROM, in order, and those of the query around it.
struct Scope {
  // A column of the query around, and the parameter that stands for it in this one.
  struct Correlation {
    size_t outer_column = 0;
    Constant* parameter = nullptr;
  };

  std::vector<ScopeColumn> columns;
  Scope* outer = nullptr;
  std::vector<Correlation> correlations;

  // The column's index; nullopt: it has none of that name. Errors: 502 (42702), several have.
  Expected<std::optional<size_t>> Find(const Expression& column) const;
  // Whether a table or a family is called that.
  bool HasQualifier(std::string_view qualifier) const;
};

// "T.NAME", as messages have it.
std::string ColumnText(const Expression& column);

}  // namespace klip::sql
