#include "sql/plan/over_items.h"

#include <optional>
#include <utility>

#include "sql/plan/label.h"

namespace klip::sql {
namespace {

std::optional<size_t> ItemOf(const Expression& expression, std::span<const ListedItem> items) {
  const std::string text = ToString(expression);
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].expression == &expression || ToString(*items[i].expression) == text || items[i].label == text) {
      return i;
    }
  }
  return std::nullopt;
}

// Makes each part that is an item the column of a scope that has an item's number as its name.
Status NameItems(std::span<const ListedItem> items, Expression* expression) {
  if (const std::optional<size_t> item = ItemOf(*expression, items); item.has_value()) {
    *expression = Expression();
    expression->kind = Expression::Kind::kColumn;
    expression->name = std::to_string(*item);
    return Status::Ok();
  }
  if (expression->kind == Expression::Kind::kColumn) {
    return SqlError(1018, "42Y27", "The expression must be in SELECT DISTINCT: " + ToString(*expression));
  }
  for (const ExpressionPtr& operand : expression->operands) {
    KLIP_RETURN_IF_ERROR(NameItems(items, operand.get()));
  }
  return Status::Ok();
}

}  // namespace

Expected<BoundPtr> BindOverItems(const Expression& expression, std::span<const ListedItem> items, BinderHost* host) {
  if (const std::optional<size_t> item = ItemOf(expression, items); item.has_value()) {
    return MakeColumn(*item, items[*item].type);
  }
  if (expression.kind == Expression::Kind::kColumn || HasAggregate(expression)) {
    return SqlError(511, "42890", "All ORDER BY expressions must appear in SELECT DISTINCT: " + ToString(expression));
  }
  const ExpressionPtr named = Clone(expression);
  KLIP_RETURN_IF_ERROR(NameItems(items, named.get()));
  Scope scope;
  for (size_t i = 0; i < items.size(); ++i) {
    scope.columns.push_back({.name = std::to_string(i), .type = items[i].type});
  }
  Binder binder(host, &scope);
  binder.AllowNextValues(false);
  return binder.Bind(*named);
}

}  // namespace klip::sql
