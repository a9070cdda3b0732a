// Conditions on cells that the store can check by itself, as HBase's filters: it then gives out fewer rows, an index may find them
// (docs/indexes.md), and a cluster sends fewer. The condition is still evaluated for each row that comes.
#pragma once

#include <functional>
#include <string>

#include "klip/filter.h"
#include "sql/catalog/table_definition.h"
#include "sql/exec/expression.h"

namespace klip::sql {

// A filter that every row passes that meets the condition. Null: there is none.
// `column_of`: the table's column that a column of the condition is.
FilterPtr PushDown(BoundExpression& condition, const std::function<const TableColumn&(size_t column)>& column_of);

// The bytes beside which a column's are compared to compare it with `value`; nullopt: there are none. *exact: they are those of the value,
// not of one near to it.
std::optional<std::string> ComparableBytes(const TableColumn& column, const Value& value, bool* exact);

}  // namespace klip::sql
