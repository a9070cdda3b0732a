#include "sql/syntax/ast.h"

namespace klip::sql {
namespace {

ExpressionPtr CloneOf(const ExpressionPtr& expression) { return expression == nullptr ? nullptr : Clone(*expression); }

std::vector<ExpressionPtr> CloneOf(const std::vector<ExpressionPtr>& list) {
  std::vector<ExpressionPtr> copy;
  copy.reserve(list.size());
  for (const ExpressionPtr& expression : list) {
    copy.push_back(CloneOf(expression));
  }
  return copy;
}

std::vector<ColumnDefinition> CloneOf(const std::vector<ColumnDefinition>& columns) {
  std::vector<ColumnDefinition> copy;
  for (const ColumnDefinition& column : columns) {
    copy.push_back({.family = column.family,
                    .name = column.name,
                    .type = column.type,
                    .not_null = column.not_null,
                    .nullable = column.nullable,
                    .primary_key = column.primary_key,
                    .descending = column.descending,
                    .row_timestamp = column.row_timestamp,
                    .default_value = CloneOf(column.default_value)});
  }
  return copy;
}

std::vector<OrderTerm> CloneOf(const std::vector<OrderTerm>& terms) {
  std::vector<OrderTerm> copy;
  for (const OrderTerm& term : terms) {
    copy.push_back(
        {.expression = CloneOf(term.expression), .descending = term.descending, .nulls_last = term.nulls_last});
  }
  return copy;
}

std::unique_ptr<Window> CloneOf(const std::unique_ptr<Window>& window) {
  if (window == nullptr) {
    return nullptr;
  }
  auto copy = std::make_unique<Window>();
  copy->partition_by = CloneOf(window->partition_by);
  copy->order_by = CloneOf(window->order_by);
  copy->frame = window->frame;
  return copy;
}

std::unique_ptr<FromItem> CloneOf(const std::unique_ptr<FromItem>& item) {
  if (item == nullptr) {
    return nullptr;
  }
  auto copy = std::make_unique<FromItem>();
  copy->kind = item->kind;
  copy->table = item->table;
  copy->alias = item->alias;
  copy->dynamic_columns = CloneOf(item->dynamic_columns);
  copy->sample = CloneOf(item->sample);
  copy->select = item->select == nullptr ? nullptr : Clone(*item->select);
  copy->columns = item->columns;
  copy->join = item->join;
  copy->left = CloneOf(item->left);
  copy->right = CloneOf(item->right);
  copy->on = CloneOf(item->on);
  return copy;
}

}  // namespace

ExpressionPtr Clone(const Expression& expression) {
  auto copy = std::make_unique<Expression>();
  copy->kind = expression.kind;
  copy->operands = CloneOf(expression.operands);
  copy->value = expression.value;
  copy->schema = expression.schema;
  copy->qualifier = expression.qualifier;
  copy->name = expression.name;
  copy->operation = expression.operation;
  copy->position = expression.position;
  copy->negated = expression.negated;
  copy->ignore_case = expression.ignore_case;
  copy->distinct = expression.distinct;
  copy->all = expression.all;
  copy->current = expression.current;
  copy->type = expression.type;
  copy->sequence = expression.sequence;
  for (const auto& [term, descending] : expression.within) {
    copy->within.emplace_back(CloneOf(term), descending);
  }
  copy->over = CloneOf(expression.over);
  copy->select = expression.select == nullptr ? nullptr : Clone(*expression.select);
  copy->depth = expression.depth;
  return copy;
}

std::unique_ptr<Select> Clone(const Select& select) {
  auto copy = std::make_unique<Select>();
  copy->hints = select.hints;
  copy->distinct = select.distinct;
  for (const SelectItem& item : select.items) {
    copy->items.push_back({.expression = CloneOf(item.expression), .alias = item.alias});
  }
  copy->from = CloneOf(select.from);
  copy->where = CloneOf(select.where);
  copy->group_by = CloneOf(select.group_by);
  copy->having = CloneOf(select.having);
  for (const SetOperand& operand : select.set_operands) {
    copy->set_operands.push_back({.kind = operand.kind, .select = Clone(*operand.select)});
  }
  copy->order_by = CloneOf(select.order_by);
  copy->limit = CloneOf(select.limit);
  copy->offset = CloneOf(select.offset);
  return copy;
}

}  // namespace klip::sql
