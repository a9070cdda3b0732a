// Parses expressions and SELECT, which contain each other.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "sql/syntax/ast.h"
#include "sql/syntax/token_reader.h"

namespace klip::sql {

// Stores the result of a rule; false: it failed.
template <typename T>
bool Keep(std::unique_ptr<T> parsed, std::unique_ptr<T>* out) {
  *out = std::move(parsed);
  return *out != nullptr;
}

// Functions return null or false after an error, which the reader stores.
class QueryParser {
 public:
  explicit QueryParser(TokenReader* reader) : reader_(*reader) {}

  // Highest position of a parameter so far, plus one.
  int parameters() const { return parameters_; }

  ExpressionPtr ParseExpression();
  // Without comparisons and logic, except in parentheses.
  ExpressionPtr ParseValue() { return ParseChain(kSum); }
  // One or more, with commas between them.
  bool ParseList(std::vector<ExpressionPtr>* list);
  // NULL, TRUE, numbers, texts, x'00', DATE '2014-06-28'. REQUIRES: IsLiteral().
  ExpressionPtr ParseLiteral();
  bool IsLiteral() const;

  // Whether a SELECT begins here: SELECT or WITH.
  bool AtSelect() const { return reader_.Is(TokenKind::kWordSelect) || reader_.Is(TokenKind::kWordWith); }
  // A SELECT with all its clauses; one in parentheses, if another is combined with it.
  std::unique_ptr<Select> ParseSelect();
  bool ParseHints(std::vector<std::string>* hints);
  bool ParseOrderBy(std::vector<OrderTerm>* terms);
  // A whole number or a parameter.
  ExpressionPtr ParseLimit();

  // "INTEGER", "DECIMAL(10, 2)", "VARCHAR ARRAY", "BIGINT[]". `name`: of the column, for errors.
  bool ParseType(std::string_view name, DataType* type);
  // Columns with types, as in FROM t (a INTEGER), up to the parenthesis.
  bool ParseDynamicColumns(std::vector<ColumnDefinition>* columns);

 private:
  // Levels of operators whose operands form flat lists, loosest first.
  enum Level : uint8_t { kOr, kAnd, kSum, kDifference, kConcat };

  ExpressionPtr ParseChain(Level level);
  ExpressionPtr ParseOperand(Level level);
  ExpressionPtr ParseNot();
  ExpressionPtr ParseCondition();
  ExpressionPtr ParseComparison(ExpressionPtr left);
  ExpressionPtr ParseIsNull(ExpressionPtr left);
  ExpressionPtr ParseLike(ExpressionPtr left, bool negated);
  ExpressionPtr ParseBetween(ExpressionPtr left, bool negated);
  ExpressionPtr ParseIn(ExpressionPtr left, bool negated);
  ExpressionPtr ParseExists();
  ExpressionPtr ParseProduct();
  ExpressionPtr ParseNegated();
  ExpressionPtr ParseElement();
  ExpressionPtr ParseTerm();
  ExpressionPtr ParseNamed();
  ExpressionPtr ParseFunction();
  bool ParseWithin(Expression* call);
  bool ParseOver(Expression* call);
  bool ParseFrame(WindowFrame* frame);
  bool ParseFrameBound(WindowFrame::Bound* bound);
  ExpressionPtr ParseParentheses();
  ExpressionPtr ParseCase();
  ExpressionPtr ParseCast();
  ExpressionPtr ParseArray();
  ExpressionPtr ParseSequence();
  ExpressionPtr ParseParameter();
  // The SELECT before a right parenthesis, which is consumed.
  bool ParseSubquery(Expression* node);

  // Adds an operand. False: the tree is too deep.
  bool Add(Expression* node, ExpressionPtr operand);
  bool AddList(Expression* node);
  ExpressionPtr Number(TokenKind kind, std::string_view text);
  ExpressionPtr ParseTimeLiteral();
  ExpressionPtr ParseBytes();
  ExpressionPtr Fail() {
    reader_.FailHere();
    return nullptr;
  }

  bool ParseCommonTables();
  bool ParseCommonTable();
  bool UseCommonTable(FromItem* item);
  bool AtSetOperation() const;
  std::unique_ptr<Select> ParseSetOperations();
  std::unique_ptr<Select> ParseIntersections();
  std::unique_ptr<Select> ParseSetOperand();
  bool ParseSingleSelect(Select* select);
  bool ParseSelectItem(SelectItem* item);
  bool ParseStar(Expression* star);
  bool ParseTail(Select* select);
  std::unique_ptr<FromItem> ParseTables();
  std::unique_ptr<FromItem> ParseJoins();
  std::unique_ptr<FromItem> ParseTable();
  bool ParseTableInParentheses(FromItem* item);
  bool ParseJoinKind(FromItem::Join* join, bool* found);
  std::unique_ptr<FromItem> Join(FromItem::Join kind, std::unique_ptr<FromItem> left, std::unique_ptr<FromItem> right);
  bool ParseAlias(std::string* alias);

  bool TooDeep();
  bool CountJoin();

  // WITH name AS (...): each use becomes a copy of the query.
  struct CommonTable {
    std::string name;
    std::vector<std::string> columns;  // as written behind the name
    std::unique_ptr<Select> select;
    int depth = 1;      // levels of nodes
    size_t tokens = 0;  // of its text, with those of the queries copied into it
  };

  TokenReader& reader_;
  std::vector<CommonTable> common_tables_;  // those that are visible, inner ones last
  size_t copied_tokens_ = 0;                // of the common tables that were used
  int parameters_ = 0;
  int open_ = 0;     // open functions: nested expressions and SELECTs
  int deepest_ = 0;  // of the expressions of the current SELECT: the levels of nodes
  int joins_ = 0;  // and what is planned as one above the operands before it: EXCEPT, INTERSECT, UNION ALL behind UNION
  size_t clones_ = 0;  // nodes copied for simple CASEs
};

}  // namespace klip::sql
