// What ALTER TABLE … DROP COLUMN removes besides the definition, as Phoenix does: else the values would come back with a
// column of the same name. Neither function does anything for columns of the key.
#pragma once

#include <vector>

#include "klip/connection.h"
#include "klip/status.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

// Drops the indexes that are sorted by one of the columns or have it in WHERE. Call it before the definition changes, since
// an index keeps its family from being dropped.
Status DropIndexesOn(Connection* connection, const TableDefinition& table, const std::vector<TableColumn>& columns);

// Deletes the columns' cells in all rows. A column in a shared cell of its family has none of its own, and its position is
// not used again. Call it after the definition has changed: rows that others write meanwhile do not have the columns.
Status DeleteCellsOf(Connection* connection, const TableDefinition& table, const std::vector<TableColumn>& columns);

}  // namespace klip::sql
