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
// table's.
FilterPtr PushDown(BoundExpression& condition, const std::function<const TableColumn&(size_t column)>& column_of);

// The bytes to compare a column's bytes with, for a comparison with `value`; nullopt: none. *exact: they are those of the
// value, not of a nearby one.
std::optional<std::string> ComparableBytes(const TableColumn& column, const Value& value, bool* exact);

}  // namespace klip::sql
