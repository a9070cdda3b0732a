#include "sql/syntax/parameter_values.h"

#include <utility>

namespace klip::sql {
namespace {

ExpressionPtr Literal(const Value& value) {
  auto literal = std::make_unique<Expression>();
  if (!value.is_array()) {
    literal->value = value;
    return literal;
  }
  literal->kind = Expression::Kind::kArray;
  for (const Value& element : value.array()) {
    literal->operands.push_back(Literal(element));
  }
  return literal;
}

void Put(std::span<const Value> values, ExpressionPtr* expression) {
  if (*expression == nullptr) {
    return;
  }
  if ((*expression)->kind == Expression::Kind::kParameter) {
    *expression = Literal(values[static_cast<size_t>((*expression)->position)]);
    return;
  }
  for (ExpressionPtr& operand : (*expression)->operands) {
    Put(values, &operand);
  }
}

void Put(std::span<const Value> values, std::vector<ColumnDefinition>* columns) {
  for (ColumnDefinition& column : *columns) {
    Put(values, &column.default_value);
  }
}

}  // namespace

void PutValues(std::span<const Value> values, ParsedStatement* statement) {
  if (auto* const table = std::get_if<CreateTable>(statement); table != nullptr) {
    Put(values, &table->columns);
    if (table->as != nullptr) {
      Put(values, &table->as->where);
    }
  } else if (auto* const alter = std::get_if<AlterTable>(statement); alter != nullptr) {
    Put(values, &alter->add);
  } else if (auto* const index = std::get_if<CreateIndex>(statement); index != nullptr) {
    for (OrderTerm& term : index->columns) {
      Put(values, &term.expression);
    }
    Put(values, &index->where);
  } else if (auto* const sequence = std::get_if<CreateSequence>(statement); sequence != nullptr) {
    for (ExpressionPtr* const number :
         {&sequence->start, &sequence->increment, &sequence->min, &sequence->max, &sequence->cache}) {
      Put(values, number);
    }
  }
}

}  // namespace klip::sql
