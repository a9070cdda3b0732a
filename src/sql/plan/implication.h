// Whether one condition implies another: then a partial index with the other one contains all rows that meet the first.
#pragma once

#include <cstddef>
#include <functional>

#include "sql/exec/expression.h"

namespace klip::sql {

// Whether every row for which `condition` is true meets `other`. False: perhaps not. It compares structure, and the values that both
// allow for the same column or expression. Example: n = 5 AND s LIKE 'ab%' implies n > 3, n IN (4, 5), n IS NOT NULL and s LIKE 'a%'.
// `column_of`: the number in `other` for that of a column in `condition`.
bool Implies(BoundExpression& condition, BoundExpression& other, const std::function<size_t(size_t column)>& column_of);

}  // namespace klip::sql
