#include "fuzz/targets.h"
#include "sql/syntax/parser.h"

namespace klip::fuzz {

// A statement, an expression, a script. What ToSql prints is read as the same expression.
void FuzzSql(std::string_view bytes) {
  const Expected<sql::Parsed> statement = sql::ParseStatement(bytes);
  Check(statement.ok() || !statement.status().message().empty());
  for (const sql::ScriptStatement& part : sql::SplitScript(bytes)) {
    Check(!part.text.empty() && part.line > 0);
  }
  const Expected<sql::ExpressionPtr> expression = sql::ParseExpression(bytes);
  if (!expression.ok()) {
    return;
  }
  const std::string printed = sql::ToSql(**expression);
  Check(sql::ToSql(*sql::Clone(**expression)) == printed);
  (void)sql::ToString(**expression);
  const Expected<sql::ExpressionPtr> again = sql::ParseExpression(printed);  // not of subqueries, which are not printed
  Check(!again.ok() || sql::ToSql(**again) == printed);
}

}  // namespace klip::fuzz
