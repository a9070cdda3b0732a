#include "sql/plan/expression_identity.h"

#include <algorithm>
#include <utility>

#include "sql/plan/binder.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using Node = Expression::Kind;

// Whether any node of the expression is so.
template <typename Is>
bool AnyNode(const Expression& expression, const Is& is) {
  return is(expression) ||
         std::ranges::any_of(expression.operands, [&](const ExpressionPtr& operand) { return AnyNode(*operand, is); });
}

bool DependsOnMore(const Expression& node) {
  static constexpr std::string_view kNames[] = {"CURRENT_DATE", "CURRENT_TIME", "NOW", "RAND"};
  return node.kind == Node::kNextValue ||
         (node.kind == Node::kFunction &&
          (std::ranges::find(kNames, node.name) != std::end(kNames) || RowPartOf(node.name) != RowPart::kNone));
}

bool IsUnsupported(const Expression& node) {
  return node.select != nullptr || node.over != nullptr || !node.within.empty() || node.kind == Node::kParameter ||
         node.kind == Node::kStar;
}

bool IsColumn(const Expression& node) { return node.kind == Node::kColumn; }

// Gives each column a name that says all that its value depends on. False: the scope does not have it.
bool SpellOut(const Scope& scope, Expression* expression) {
  if (expression->kind == Node::kColumn) {
    const Expected<std::optional<size_t>> found = scope.Find(*expression);
    if (!found.ok() || !found->has_value()) {
      return false;
    }
    const ScopeColumn& column = scope.columns[**found];
    expression->schema.clear();
    expression->qualifier.clear();
    const std::string& name =
        column.qualifier.empty() ? column.name : column.qualifier;  // views have names of their own
    expression->name = column.family + "." + name + " " + ToString(column.type);
  }
  return std::ranges::all_of(expression->operands,
                             [&](const ExpressionPtr& operand) { return SpellOut(scope, operand.get()); });
}

}  // namespace

Status CheckIndexable(const Expression& expression) {
  if (HasAggregate(expression)) {
    return SqlError(520, "42897", "Aggregate expression not allowed in an index. " + ToString(expression));
  }
  if (AnyNode(expression, DependsOnMore)) {
    return SqlError(521, "42898", "Non-deterministic expression not allowed in an index. " + ToString(expression));
  }
  if (AnyNode(expression, IsUnsupported)) {
    return {Code::kUnsupported, "SQL: a subquery, window or parameter in an index: " + ToString(expression)};
  }
  return AnyNode(expression, IsColumn)
             ? Status::Ok()
             : SqlError(522, "42899", "Stateless expression not allowed in an index. " + ToString(expression));
}

std::string ExpressionIdentity(const Expression& expression, const Scope& scope) {
  const auto prevents = [](const Expression& node) {
    return DependsOnMore(node) || IsUnsupported(node) || (node.kind == Node::kFunction && IsAggregate(node.name));
  };
  if (AnyNode(expression, prevents) || !AnyNode(expression, IsColumn)) {
    return {};
  }
  const ExpressionPtr spelled_out = Clone(expression);
  return SpellOut(scope, spelled_out.get()) ? ToSql(*spelled_out) : std::string();
}

}  // namespace klip::sql
