// Conditions on cells that the store can check, as HBase's filters. Then it returns fewer rows, an index may find them
// (docs/indexes.md), and a cluster sends fewer. The condition is still evaluated for each returned row.
#pragma once

#include <functional>
#include <string>

#include "klip/filter.h"
#include "sql/catalog/table_definition.h"
#include "sql/exec/expression.h"

namespace klip::sql {

// A filter that passes every row that meets the condition. Null: none. `column_of`: maps a column of the condition to the
// table's. `with_case`: conditions on UPPER and LOWER of a column become filters too. These work in this process only, and
// cost more than the condition itself, so they pay if an index answers them.
FilterPtr PushDown(BoundExpression& condition, const std::function<const TableColumn&(size_t column)>& column_of,
                   bool with_case);

// Whether the condition compares UPPER or LOWER of something.
bool AsksCase(const BoundExpression& condition);

}  // namespace klip::sql
