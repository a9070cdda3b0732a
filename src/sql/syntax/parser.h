// From text to statements: a hand-written lexer, and a recursive-descent parser with precedence climbing for
// expressions. The grammar is Phoenix 5.2's, with INSERT and UPDATE on top (docs/sql.md). Pure; depth and sizes are
// limited, so no input overflows the stack.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// One statement; a semicolon may follow.
// Errors: as Phoenix, with line and column. "ERROR 601 (42P00): Syntax error. Encountered "x" at line 1, column 10.",
// 602 (a token is missing), 603 (there is one too many), 604 (it is another one).
Expected<Parsed> ParseStatement(std::string_view text);

// One expression alone: a default value, a view's condition.
Expected<ExpressionPtr> ParseExpression(std::string_view text);

// A statement of a script.
struct ScriptStatement {
  std::string text;   // without the semicolon
  int line = 1;       // where it begins, from 1
  bool ended = true;  // false: the script ends without a semicolon after it, perhaps within a text or a comment
};

// Cuts a script at the semicolons that end statements; comments (`--`, `//`, `/* */`) and quotes are respected. Empty
// statements are left out. REQUIRES: less than 4 GB.
std::vector<ScriptStatement> SplitScript(std::string_view text);

}  // namespace klip::sql
