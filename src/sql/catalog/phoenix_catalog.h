// Tables that Phoenix itself created. Their definitions are rows of its table SYSTEM.CATALOG. The keys are tenant,
// schema, table, column and family, separated by 00; the cells of family 0 are named after Phoenix's columns. A table has
//
//   00 S 00 T              its header: type, encoding of qualifiers, salt, ...
//   00 S 00 T 00 C         a column of the key
//   00 S 00 T 00 C 00 F    another column, in family F
//   00 S 00 T 00 00 L      a link to L: an index, or the base of a view
//
// The keys of a tenant's views begin with the tenant instead. Of a view with columns or conditions of its base, only the
// view's own columns have rows, and those of the base that the view has dropped.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "klip/connection.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

struct PhoenixTable {
  TableDefinition table;
  std::string select;  // of a view: "SELECT * FROM ... WHERE ..."; then the table has only the view's own columns
  std::optional<TableName> base;                             // of a view, if it differs from the one that SELECT names
  std::vector<std::pair<std::string, std::string>> dropped;  // of a view: family and name of columns of its base
};

// The tenant's view of this name, or else the table or view that belongs to no tenant. nullopt: Phoenix has no such
// table, or was never used here. Errors: kUnsupported, naming the feature of the table that klip cannot read; kCorruption.
Expected<std::optional<PhoenixTable>> ReadPhoenixTable(Connection* connection, const std::string& tenant,
                                                       const TableName& name);

// A Phoenix view: the columns and conditions of `base`, as Catalog derives it from the view's SELECT, without those that
// it dropped, plus its own columns.
TableDefinition ViewOver(const TableDefinition& base, PhoenixTable found);

}  // namespace klip::sql
