// CREATE INDEX: klip's own secondary indexes (docs/indexes.md) on columns of SQL.
#pragma once

#include <string>

#include "klip/connection.h"
#include "sql/catalog/table_definition.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// Returns when the index is complete. Errors: kUnsupported: on a cluster, INCLUDE; an expression other than UPPER and LOWER of a
// VARCHAR; WHERE other than column = literal, joined by AND; a column of a type without a fixed order of
// bytes; 504, there is no such column.
Status CreateColumnIndex(Connection* connection, const TableDefinition& table, const CreateIndex& statement);

// Errors: 1012 (42M03), no such index.
Status DropColumnIndex(Connection* connection, const TableDefinition& table, const Drop& statement);

// The row-key schema type that uses the column's bytes unchanged. Empty: none.
std::string IndexTypeOf(const DataType& type);

}  // namespace klip::sql
