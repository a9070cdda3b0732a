// Conditions on cells that the store can check, as HBase's filters. Then it returns fewer rows, an index may find them
// (docs/indexes.md), and a cluster sends fewer. The condition is still evaluated for each returned row.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "klip/filter.h"
#include "sql/catalog/table_definition.h"
#include "sql/exec/expression.h"

namespace klip::sql {

// Conditions that become filters only if an index answers them: these filters work in this process only, and cost more than the
// conditions themselves.
struct PushDownFor {
  bool letter_case = false;  // indexes on UPPER and LOWER of a column
  bool expressions = false;  // indexes on SQL expressions
};

// A filter that passes every row that meets the condition. Null: none. `column_of`: maps a column of the condition to the
// table's.
FilterPtr PushDown(BoundExpression& condition, const std::function<const TableColumn&(size_t column)>& column_of,
                   PushDownFor indexes);

// The bytes before the wildcard of LIKE 'prefix%'; nullopt: another pattern, or no LIKE. Valid as long as the pattern.
std::optional<std::string_view> LikePrefixOf(BoundExpression& condition);

}  // namespace klip::sql
