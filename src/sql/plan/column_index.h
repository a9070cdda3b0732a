// CREATE INDEX: klip's own secondary indexes (docs/indexes.md) on columns of SQL.
#pragma once

#include <string>

#include "klip/connection.h"
#include "sql/catalog/table_definition.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// Returns when the index is complete. Errors: kUnsupported: on a cluster, INCLUDE and SQL expressions; a type without a fixed order of
// bytes; 504, there is no such column; those of CheckIndexable; 303 (23101), a subquery in WHERE; 304 (23102), WHERE is no condition.
Status CreateColumnIndex(Connection* connection, const TableDefinition& table, const CreateIndex& statement);

Status IndexUndefined(const std::string& schema, const std::string& name);  // 1042 (42M06)

// Errors: IndexUndefined.
Status DropColumnIndex(Connection* connection, const TableDefinition& table, const Drop& statement);

// UNUSABLE and DISABLE: reads do not use it, writes maintain it. USABLE and ACTIVE: reads use it again. REBUILD: it is emptied and built
// again, and then used. Errors: 1042 (42M06), no such index; kUnsupported, on a cluster, other than REBUILD.
Status AlterColumnIndex(Connection* connection, const TableDefinition& table, const AlterIndex& statement);

// The row-key schema type that uses the column's bytes unchanged. Empty: none.
std::string IndexTypeOf(const DataType& type);

}  // namespace klip::sql
