// The same as key_ranges.h for tables with a row-key schema: conditions on the fields become a KeyQuery. Padded text does
// not sort in the key like its values, so only equality and prefixes of text are used.
#pragma once

#include <functional>
#include <memory>

#include "filter/rows/row_set.h"
#include "sql/catalog/table_definition.h"
#include "sql/exec/expression.h"

namespace klip::sql {

// nullopt: all rows.
std::optional<KeyQuery> KeyQueryOf(BoundExpression& condition, const TableDefinition& table,
                                   const std::function<int(size_t column)>& key_position);

}  // namespace klip::sql
