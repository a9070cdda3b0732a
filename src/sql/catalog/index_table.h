// What the SQL expressions of an index read: a table with the columns of the key and those that the expressions name, as the text
// that the index's declaration contains (klip/index.h, sql_table).
#pragma once

#include <string>
#include <vector>

#include "klip/admin.h"
#include "klip/index.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

// `used`: which columns of the table, besides those of its key. REQUIRES: not a table of Phoenix.
std::string IndexTableStatement(const TableDefinition& table, const std::vector<bool>& used);
// The inverse. `descriptor`: of the indexed table. Errors: those of parsing and of Define.
Expected<TableDefinition> ReadIndexTable(const std::string& sql_table, const TableDescriptor& descriptor);

// Whether the index depends on the column "family:qualifier", other than by INCLUDE.
bool IndexReads(const IndexDescriptor& index, const TableDescriptor& descriptor, const std::string& column);

}  // namespace klip::sql
