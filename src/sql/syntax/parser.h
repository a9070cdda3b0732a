// From text to statements: a hand-written lexer, and a recursive-descent parser with precedence climbing for expressions. The grammar
// is Phoenix 5.2's, with INSERT and UPDATE on top (docs/sql.md). Pure; depth and sizes are limited, so no input overflows the stack.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// One statement; a semicolon may follow.
// Errors: as Phoenix: "ERROR 601 (42P00): Syntax error. Encountered "FORM" at line 1, column 10.", 602 (missing token), 604 (something
// that is not a token).
Expected<Parsed> ParseStatement(std::string_view text);

// One expression alone: a default value, a view's condition.
Expected<ExpressionPtr> ParseExpression(std::string_view text);

// Cuts a script at the semicolons that end statements; comments (`--`, `//`, `/* */`) and quotes are respected. Empty statements are
// left out.
std::vector<std::string> SplitScript(std::string_view text);

}  // namespace klip::sql
