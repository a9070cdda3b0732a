// Parses statements: a hand-written lexer, and a recursive-descent parser with precedence climbing for expressions. The
// grammar is Phoenix 5.2's plus INSERT and UPDATE (docs/sql.md). Pure; depth and sizes are limited, so no input overflows
// the stack.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// One statement, with an optional semicolon. Errors as in Phoenix, with line and column: "ERROR 601 (42P00): Syntax
// error. Encountered "x" at line 1, column 10.", 602 (a missing token), 603 (an extra token), 604 (a wrong token).
Expected<Parsed> ParseStatement(std::string_view text);

// A single expression: a default value, a view's condition.
Expected<ExpressionPtr> ParseExpression(std::string_view text);

// A statement of a script.
struct ScriptStatement {
  std::string text;   // without the semicolon
  int line = 1;       // where it starts, from 1
  bool ended = true;  // false: the script ends without a semicolon after it, perhaps inside a text or a comment
};

// Splits a script at the semicolons that end statements; respects comments (`--`, `//`, `/* */`) and quotes. Omits empty
// statements. REQUIRES: less than 4 GB.
std::vector<ScriptStatement> SplitScript(std::string_view text);

}  // namespace klip::sql
