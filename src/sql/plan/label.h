// Labels of columns that have no alias: Phoenix prints the expression as it compiles it, not as it was written.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "sql/plan/scope.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// What binding found out about an expression.
struct BoundNote {
  DataType type;
  std::optional<Value> constant;  // of a constant expression; parameters count, as NULL
};
using BoundNotes = std::unordered_map<const Expression*, BoundNote>;

// "(FAM.N + 1)" for n + 1 of one table, "(A.N + 1)" in a join; "6" for 2 * 3, "ROUND(X, 2, 1)", "D = 1.0" for 1 = d.
// `notes`: of the expressions in it that were bound.
std::string CompiledLabel(const Expression& expression, const Scope& scope, bool join, const BoundNotes& notes);

// As JDBC asks it: whether an alias or all columns have lower-case letters. An expression of two or more operands is not.
bool IsCaseSensitive(const Expression& expression, std::string_view alias);

// What Phoenix says of such a column: an expression of columns that are NOT NULL is not NULL, although SUBSTR may be.
bool IsNullable(const Expression& expression, const Scope& scope);

}  // namespace klip::sql
