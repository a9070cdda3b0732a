// The tables of the schema SYSTEM, which Phoenix's clients read to list tables, columns, indexes and sequences. They can
// be read like other tables, but are not stored: their rows are derived from the catalog when a statement reads them.
//
// SYSTEM.CATALOG has a row for each table, view and index, with COLUMN_NAME null; one for each column; and one for each
// index of a table, with the index's name in COLUMN_FAMILY and LINK_TYPE 1. After CREATE TABLE s.t (id INTEGER PRIMARY
// KEY, v VARCHAR):
//
//   TABLE_SCHEM  TABLE_NAME  COLUMN_NAME  COLUMN_FAMILY  TABLE_TYPE  DATA_TYPE  KEY_SEQ
//   S            T           null         null           u           null       null
//   S            T           ID           null           null        4          1
//   S            T           V            0              null        12         null
#pragma once

#include <string_view>
#include <vector>

#include "klip/sql_value.h"
#include "klip/status.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/sequence.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

inline constexpr std::string_view kSystemSchema = "SYSTEM";

// CATALOG, FUNCTION, SEQUENCE and STATS. They live until the process ends.
const std::vector<TablePtr>& SystemTables();

// SYSTEM.STATEMENTS: the statements that the process runs for clients, and results that these have not read to the end.
const TablePtr& StatementsTable();

// One of these. Null: no table of that name.
TablePtr FindSystemTable(const TableName& name);

// The current rows, in key order, each with a value of its type or NULL for each column. FUNCTION and STATS are empty:
// klip has no user-defined functions, and keeps its statistics elsewhere. REQUIRES: `table` is a system table.
Expected<std::vector<std::vector<Value>>> SystemRows(const TableDefinition& table, Catalog* catalog,
                                                     Sequences* sequences);

}  // namespace klip::sql
