// Resolves the column names of a query.
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
  std::string qualifier = {};  // of its cells; empty: a key column, or of a derived table
  DataType type;
  bool nullable = true;
  bool descending = false;            // in the key
  RowPart row_part = RowPart::kNone;  // else no name refers to it
};

// The columns of a query's FROM, in order, and those of the outer query.
struct Scope {
  // A column of the outer query, and the slot from which this one reads it.
  struct Correlation {
    size_t outer_column = 0;
    SlotPtr slot;
  };

  std::vector<ScopeColumn> columns;
  Scope* outer = nullptr;
  std::vector<Correlation> correlations;

  // The column's index; nullopt: no column has that name. Errors: 502 (42702), several have it; 501 (42000), they are of
  // tables with other aliases, whose name qualifies it.
  Expected<std::optional<size_t>> Find(const Expression& column) const;
  // Whether a table or a family has that name.
  bool HasQualifier(std::string_view qualifier) const;
  // 1001 (42I01), of one table, which has no such family; 1012 (42M03), of several tables.
  Status UndefinedQualifier(const std::string& qualifier) const;
};

// The columns of a table, in its order.
std::vector<ScopeColumn> ScopeColumnsOf(const TableDefinition& table, const std::string& alias);

// "T.NAME", as in messages.
std::string ColumnText(const Expression& column);

// 502 (42702).
Status Ambiguous(const std::string& column);

}  // namespace klip::sql
