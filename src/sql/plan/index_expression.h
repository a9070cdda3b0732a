// The SQL expressions of indexes: checked by CREATE INDEX, and computed for each write of any client (rowkey/index_expression.h).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "klip/admin.h"
#include "rowkey/index_expression.h"
#include "sql/catalog/table_definition.h"
#include "sql/exec/expression.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// An expression over the columns of a table.
class TableExpression {
 public:
  // `table` must outlive it. Errors: those of CheckIndexable and of binding.
  static Expected<std::unique_ptr<TableExpression>> Make(const Expression& expression, const TableDefinition& table);
  virtual ~TableExpression() = default;

  virtual BoundExpression& bound() = 0;  // over all columns of the table
  virtual const std::string& identity() const = 0;
  virtual const std::vector<bool>& columns() const = 0;  // of the table, that it reads
  // Its value for a row. `cells`: of the columns outside of the key that it reads, in their order; nullopt: NULL. The value is NULL, too,
  // if the row is not one of the table. Errors: 201 (22000), bytes that are not of a column's type; those of functions.
  virtual Expected<Value> ValueOf(std::string_view row, std::span<const std::optional<std::string_view>> cells) = 0;
};

// As rowkey::IndexExpressionMaker.
Expected<std::shared_ptr<const rowkey::IndexExpression>> MakeIndexExpression(const std::string& expression,
                                                                             const std::string& sql_table,
                                                                             const TableDescriptor& table);

}  // namespace klip::sql
