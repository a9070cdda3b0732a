// What an index can contain, and by which name a query finds it there.
#pragma once

#include <string>

#include "klip/status.h"
#include "sql/plan/scope.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// Whether the expression has one value for each row, now and later. Errors, with Phoenix's numbers: 520 (42897), an aggregate; 521
// (42898), it depends on more than the row, such as NOW and RAND; 522 (42899), it reads no column; kUnsupported: subqueries, windows,
// parameters.
Status CheckIndexable(const Expression& expression);

// Equal for two expressions if they compute the same from the same columns of a table: SQL in which columns have their families and types.
// Example: T.N * 2 is ("0.N INTEGER" * 2). Empty: it is not indexable, or reads a column that the scope does not have.
std::string ExpressionIdentity(const Expression& expression, const Scope& scope);

}  // namespace klip::sql
