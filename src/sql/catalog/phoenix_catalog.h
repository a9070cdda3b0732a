// Tables that Phoenix itself created. Their definitions are rows of its table SYSTEM.CATALOG: keys of tenant, schema, table, column and
// family with 00 between them, cells of the family 0 named as the columns are. A table has
//
//   00 S 00 T              its header: type, encoding of qualifiers, salt, ...
//   00 S 00 T 00 C         a column of the key
//   00 S 00 T 00 C 00 F    another column, of the family F
//   00 S 00 T 00 00 L      a link to L: an index, or what a view selects from
#pragma once

#include <optional>
#include <string>

#include "klip/connection.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

struct PhoenixTable {
  TableDefinition table;
  std::string select;  // of a view: "SELECT * FROM base WHERE ..."; the table has only the view's own columns then
};

// nullopt: Phoenix has no such table, or was never here.
// Errors: kUnsupported, naming what the table has that klip cannot read; kCorruption.
Expected<std::optional<PhoenixTable>> ReadPhoenixTable(Connection* connection, const TableName& name);

// The view of Phoenix's with the columns and conditions of `base`, as Catalog makes it of the view's SELECT, and its own columns.
TableDefinition ViewOver(const TableDefinition& base, TableDefinition view);

}  // namespace klip::sql
