// Answers of the catalog with the columns of JDBC's DatabaseMetaData, as Phoenix has them.
#pragma once

#include <memory>
#include <vector>

#include "klip/sql.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

std::unique_ptr<Rows> TablesOf(const std::vector<TablePtr>& tables, const TablePattern& pattern);
std::unique_ptr<Rows> ColumnsOf(const std::vector<TablePtr>& tables, const TablePattern& pattern);
std::unique_ptr<Rows> PrimaryKeysOf(const std::vector<TablePtr>& tables, const TablePattern& pattern);
std::unique_ptr<Rows> SchemasOf(const std::vector<TablePtr>& tables, const TablePattern& pattern);

}  // namespace klip::sql
