// Formats expressions: in Phoenix's format, and as SQL.
#include <cmath>
#include <utility>

#include "sql/syntax/ast.h"
#include "sql/syntax/lexer.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using Kind = Expression::Kind;

std::string Quoted(std::string_view text, bool sql) {
  std::string out = "'";
  for (char c : text) {
    out.append(c == '\'' || (c == '\\' && sql) ? 2 : 1, c);
  }
  return out + "'";
}

std::string HexOf(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out = "X'";
  for (char c : bytes) {
    out += kDigits[static_cast<uint8_t>(c) >> 4];
    out += kDigits[static_cast<uint8_t>(c) & 15];
  }
  return out + "'";
}

// A double with a point or exponent, so that it is parsed as one.
std::string DoubleAsSql(double value) {
  if (std::isinf(value)) {
    return value < 0 ? "-1E999" : "1E999";
  }
  char digits[32];
  int length = std::snprintf(digits, sizeof(digits), "%.17E", value);
  return {digits, static_cast<size_t>(length)};
}

std::string LiteralText(const Value& value, bool sql) {
  if (value.is_null()) {
    return sql ? "null" : "";
  }
  switch (value.type()) {
    case Type::kBoolean:
      return value.boolean() ? "true" : "false";
    case Type::kInteger:
    case Type::kBigint:
      return std::to_string(value.integer());
    case Type::kChar:
    case Type::kVarchar:
      return Quoted(value.text(), sql);
    case Type::kBinary:
    case Type::kVarbinary:
      return HexOf(value.text());
    case Type::kDouble:
      return sql ? DoubleAsSql(value.real()) : value.ToString();
    default:
      return IsTime(value.type()) ? std::string(TypeName(value.type())) + " '" + value.ToString() + "'"
                                  : value.ToString();
  }
}

// Whether it needs parentheses in SQL when it is an operand.
bool IsBareCondition(const Expression& node) {
  Kind kind = node.kind;
  return kind == Kind::kCompare || kind == Kind::kIsNull || kind == Kind::kLike || kind == Kind::kIn ||
         kind == Kind::kExists || kind == Kind::kQuantified || kind == Kind::kNot ||
         (kind == Kind::kBetween && node.negated);
}

enum class Form : uint8_t { kPhoenix, kSql, kGroup, kCall };

class Printer {
 public:
  explicit Printer(Form form) : form_(form), sql_(form != Form::kPhoenix) {}

  void Print(const Expression& node);
  std::string Take() { return std::move(out_); }

 private:
  void Append(std::string_view text) { out_ += text; }
  // As an operand of an operator that binds tighter than a condition.
  void Operand(const Expression& node);
  void List(const Expression& node, std::string_view between, size_t first = 0);
  void Column(const Expression& node);
  void Between(const Expression& node);
  void In(const Expression& node);
  void Like(const Expression& node);
  void Case(const Expression& node);
  void Cast(const Expression& node);
  void Function(const Expression& node);
  void Over(const Window& window);
  void Negate(const Expression& node);
  void Element(const Expression& node);
  void NextValue(const Expression& node);
  void Quantified(const Expression& node);
  void Subquery(const Expression& node);
  void Query(const Expression& node);

  Form form_;
  bool sql_;
  std::string out_;
};

void Printer::Operand(const Expression& node) {
  bool parentheses = sql_ && IsBareCondition(node);
  Append(parentheses ? "(" : "");
  Print(node);
  Append(parentheses ? ")" : "");
}

void Printer::List(const Expression& node, std::string_view between, size_t first) {
  for (size_t i = first; i < node.operands.size(); ++i) {
    Append(i == first ? "" : between);
    bool tight = node.kind == Kind::kArithmetic || node.kind == Kind::kConcat || node.kind == Kind::kCompare;
    const bool null =
        node.kind == Kind::kArray && node.operands[i]->kind == Kind::kLiteral && node.operands[i]->value.is_null();
    null ? Append("null") : tight ? Operand(*node.operands[i]) : Print(*node.operands[i]);
  }
}

void Printer::Column(const Expression& node) {
  for (const std::string* part : {&node.schema, &node.qualifier}) {
    if (!part->empty()) {
      Append(QuotedName(*part) + ".");
    }
  }
  Append(node.kind == Kind::kStar ? "*" : QuotedName(node.name));
}

void Printer::Between(const Expression& node) {
  const Expression& value = *node.operands[0];
  Append(node.negated ? "NOT ((" : "(");
  Operand(value);
  Append(" >= ");
  Operand(*node.operands[1]);
  Append(" AND ");
  Operand(value);
  Append(" <= ");
  Operand(*node.operands[2]);
  Append(node.negated ? "))" : ")");
}

void Printer::In(const Expression& node) {
  Append(node.negated && !sql_ ? "NOT (" : "");
  Operand(*node.operands[0]);
  Append(node.negated && sql_ ? " NOT IN (" : " IN (");
  if (node.select != nullptr) {
    Query(node);
  } else {
    List(node, ",", 1);
  }
  Append(node.negated && !sql_ ? "))" : ")");
}

void Printer::Like(const Expression& node) {
  Append(node.negated && !sql_ ? "NOT (" : "");
  Operand(*node.operands[0]);
  Append(node.negated && sql_ ? " NOT" : "");
  Append(node.ignore_case && sql_ ? " ILIKE " : " LIKE ");
  Operand(*node.operands[1]);
  Append(node.negated && !sql_ ? ")" : "");
}

void Printer::Case(const Expression& node) {
  Append("CASE ");
  size_t pairs = node.operands.size() / 2;
  for (size_t i = 0; i < pairs; ++i) {
    Append(i > 0 && sql_ ? " WHEN " : "WHEN ");  // Phoenix writes no blank before the second
    Print(*node.operands[2 * i]);
    Append(" THEN ");
    Print(*node.operands[2 * i + 1]);
  }
  if (node.operands.size() % 2 != 0) {
    Append(" ELSE ");
    Print(*node.operands.back());
  }
  Append(" END");
}

void Printer::Cast(const Expression& node) {
  Append(sql_ ? "CAST(" : "TO_" + std::string(TypeName(node.type.type)) + (node.type.array ? " ARRAY(" : "("));
  Print(*node.operands[0]);
  Append(sql_ ? " AS " + ToString(node.type) + ")" : ")");
}

void Printer::Function(const Expression& node) {
  bool counts = node.name == "COUNT" && node.distinct && !sql_;
  Append(counts ? "DISTINCT_COUNT" : QuotedName(node.name));
  Append(node.distinct && !counts ? "(DISTINCT " : "(");
  if (!node.within.empty() && !sql_) {  // Phoenix passes the sort expressions as the first arguments
    for (const auto& [expression, descending] : node.within) {
      Print(*expression);
      Append(", ");
    }
    Append(node.within.front().second ? "false, " : "true, ");
  }
  bool star = node.operands.size() == 1 && node.operands[0]->kind == Kind::kStar;
  if (star) {
    Append(sql_ ? "*" : "1");
  } else {
    List(node, ", ");
  }
  Append(")");
  if (!node.within.empty() && sql_) {
    Append(" WITHIN GROUP (ORDER BY ");
    for (const auto& [expression, descending] : node.within) {
      Append(&expression == &node.within.front().first ? "" : ", ");
      Print(*expression);
    }
    Append(node.within.front().second ? " DESC)" : " ASC)");
  }
  if (node.over != nullptr) {
    Over(*node.over);
  }
}

std::string BoundText(const WindowFrame::Bound& bound) {
  switch (bound.kind) {
    case WindowFrame::BoundKind::kUnboundedPreceding:
      return "UNBOUNDED PRECEDING";
    case WindowFrame::BoundKind::kPreceding:
      return std::to_string(bound.rows) + " PRECEDING";
    case WindowFrame::BoundKind::kCurrentRow:
      return "CURRENT ROW";
    case WindowFrame::BoundKind::kFollowing:
      return std::to_string(bound.rows) + " FOLLOWING";
    case WindowFrame::BoundKind::kUnboundedFollowing:
      return "UNBOUNDED FOLLOWING";
  }
  return {};
}

void Printer::Over(const Window& window) {
  Append(" OVER (");
  std::string_view between = "PARTITION BY ";
  for (const ExpressionPtr& expression : window.partition_by) {
    Append(std::exchange(between, ", "));
    Print(*expression);
  }
  between = window.partition_by.empty() ? "ORDER BY " : " ORDER BY ";
  for (const OrderTerm& term : window.order_by) {
    Append(std::exchange(between, ", "));
    Print(*term.expression);
    Append(term.descending ? " DESC" : "");
    Append(!term.nulls_last.has_value() ? "" : *term.nulls_last ? " NULLS LAST" : " NULLS FIRST");
  }
  if (const WindowFrame& frame = window.frame; frame != WindowFrame()) {
    Append(window.partition_by.empty() && window.order_by.empty() ? "" : " ");
    Append(frame.rows ? "ROWS" : "RANGE");
    Append(" BETWEEN " + BoundText(frame.start) + " AND " + BoundText(frame.end));
  }
  Append(")");
}

void Printer::Negate(const Expression& node) {
  Append(sql_ ? "(- " : "(");
  Operand(*node.operands[0]);
  Append(sql_ ? ")" : " * -1)");
}

void Printer::Element(const Expression& node) {
  Append(sql_ ? "(" : "ARRAY_ELEM(");
  Print(*node.operands[0]);
  Append(sql_ ? ")[" : ", ");
  Print(*node.operands[1]);
  Append(sql_ ? "]" : ")");
}

void Printer::NextValue(const Expression& node) {
  Append(node.current ? "CURRENT VALUE FOR " : "NEXT");
  if (!node.current) {
    Append(sql_ ? " " : "[");
    if (!node.operands.empty()) {
      Print(*node.operands[0]);
    } else {
      Append(sql_ ? "" : "1");
    }
    bool plain = sql_ && node.operands.empty();
    Append(!sql_ ? "] VALUE(S) FOR " : plain ? "VALUE FOR " : " VALUES FOR ");
  }
  Append(ToString(node.sequence));
}

void Printer::Quantified(const Expression& node) {
  Operand(*node.operands[0]);
  Append(" " + node.operation + (node.all ? " ALL(" : " ANY("));
  if (node.select != nullptr) {
    Query(node);
  } else {
    Print(*node.operands[1]);
  }
  Append(")");
}

void Printer::Subquery(const Expression& node) {
  Append(node.kind == Kind::kExists ? "EXISTS (" : "(");
  Query(node);
  Append(")");
}

void Printer::Query(const Expression& node) {
  Append("SELECT");
  if (form_ == Form::kCall) {  // it is not printed, but it is not any other one
    Append(" " + std::to_string(reinterpret_cast<uintptr_t>(node.select.get())));
  }
}

void Printer::Print(const Expression& node) {
  switch (node.kind) {
    case Kind::kLiteral:
      return Append(LiteralText(node.value, sql_));
    case Kind::kColumn:
    case Kind::kStar:
      return Column(node);
    case Kind::kParameter:
      return Append(form_ == Form::kSql || form_ == Form::kCall ? ":" + std::to_string(node.position + 1) : "?");
    case Kind::kNegate:
      return Negate(node);
    case Kind::kNot:
      Append("NOT (");
      Print(*node.operands[0]);
      return Append(")");
    case Kind::kAnd:
    case Kind::kOr:
    case Kind::kArithmetic:
    case Kind::kConcat:
    case Kind::kRow:
      Append("(");
      List(node, node.kind == Kind::kAnd          ? " AND "
                 : node.kind == Kind::kOr         ? " OR "
                 : node.kind == Kind::kConcat     ? " || "
                 : node.kind == Kind::kArithmetic ? " " + node.operation + " "
                                                  : ", ");
      return Append(")");
    case Kind::kCompare:
      return List(node, " " + node.operation + " ");
    case Kind::kIsNull:
      Operand(*node.operands[0]);
      return Append(node.negated ? " IS NOT NULL" : " IS NULL");
    case Kind::kLike:
      return Like(node);
    case Kind::kBetween:
      return Between(node);
    case Kind::kIn:
      return In(node);
    case Kind::kQuantified:
      return Quantified(node);
    case Kind::kCase:
      return Case(node);
    case Kind::kCast:
      return Cast(node);
    case Kind::kFunction:
      return Function(node);
    case Kind::kExists:
    case Kind::kSubquery:
      return Subquery(node);
    case Kind::kArray:
      Append("ARRAY[");
      List(node, ",");
      return Append("]");
    case Kind::kElement:
      return Element(node);
    case Kind::kNextValue:
      return NextValue(node);
  }
}

std::string Print(const Expression& expression, Form form) {
  Printer printer(form);
  printer.Print(expression);
  return printer.Take();
}

}  // namespace

std::string QuotedName(std::string_view name) {
  std::vector<Token> tokens = Tokenize(name.substr(0, kMaxStatementBytes));
  bool plain = tokens[0].kind == TokenKind::kName && tokens[0].length == name.size() && NormalizedName(name) == name;
  return plain ? std::string(name) : "\"" + std::string(name) + "\"";
}

std::string ToString(const TableName& name) {
  return (name.schema.empty() ? "" : QuotedName(name.schema) + ".") + QuotedName(name.name);
}

std::string SortText(const Expression& meant, const OrderTerm& term) {
  return ToString(meant) + (term.descending ? " DESC" : "") + (term.nulls_last.value_or(false) ? " NULLS LAST" : "");
}

std::string ToString(const Expression& expression) { return Print(expression, Form::kPhoenix); }
std::string ToSql(const Expression& expression) { return Print(expression, Form::kSql); }
std::string GroupIdentity(const Expression& expression) { return Print(expression, Form::kGroup); }
std::string CallIdentity(const Expression& expression) { return Print(expression, Form::kCall); }

}  // namespace klip::sql
