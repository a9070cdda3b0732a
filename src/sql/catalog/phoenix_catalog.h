// Tables that Phoenix itself created. Their definitions are rows of its table SYSTEM.CATALOG. The keys are tenant,
// schema, table, column and family, separated by 00; the cells of family 0 are named after Phoenix's columns. A table has
//
//   00 S 00 T              its header: type, encoding of qualifiers, salt, ...
//   00 S 00 T 00 C         a column of the key
//   00 S 00 T 00 C 00 F    another column, in family F
//   00 S 00 T 00 00 L      a link to L: an index, or the base of a view
#pragma once

#include <optional>
#include <string>

#include "klip/connection.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

struct PhoenixTable {
  TableDefinition table;
  std::string select;  // of a view: "SELECT * FROM base WHERE ..."; then the table has only the view's own columns
};

// nullopt: Phoenix has no such table, or was never used here. Errors: kUnsupported, naming the feature of the table that
// klip cannot read; kCorruption.
Expected<std::optional<PhoenixTable>> ReadPhoenixTable(Connection* connection, const TableName& name);

// A Phoenix view: the columns and conditions of `base`, as Catalog derives it from the view's SELECT, plus its own
// columns.
TableDefinition ViewOver(const TableDefinition& base, TableDefinition view);

}  // namespace klip::sql
