// Catalog queries with the columns of JDBC's DatabaseMetaData, as in Phoenix.
#pragma once

#include <memory>
#include <vector>

#include "klip/sql.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/sequence.h"

namespace klip::sql {

std::unique_ptr<Rows> TablesOf(const std::vector<ListedTable>& tables, const std::vector<ListedSequence>& sequences,
                               const TablePattern& pattern);
std::unique_ptr<Rows> ColumnsOf(const std::vector<ListedTable>& tables, const TablePattern& pattern);
std::unique_ptr<Rows> PrimaryKeysOf(const std::vector<ListedTable>& tables, const TablePattern& pattern);
std::unique_ptr<Rows> IndexesOf(const std::vector<ListedTable>& tables, const TablePattern& pattern);
std::unique_ptr<Rows> SchemasOf(const std::vector<ListedTable>& tables, const TablePattern& pattern);

}  // namespace klip::sql
