#include "sql/plan/push_down.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "klip/comparator.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using ColumnOf = std::function<const TableColumn&(size_t)>;

// As `comparator OP cell`: HBase's filters have the value on the right.
CompareOp OpOf(Compare compare) {
  switch (compare) {
    case Compare::kLess:
      return CompareOp::kLess;
    case Compare::kLessOrEqual:
      return CompareOp::kLessOrEqual;
    case Compare::kGreater:
      return CompareOp::kGreater;
    case Compare::kGreaterOrEqual:
      return CompareOp::kGreaterOrEqual;
    default:
      return CompareOp::kEqual;
  }
}

FilterPtr CellFilter(const TableColumn& column, CompareOp op, std::string bytes) {
  SingleColumnValue filter;
  filter.family = column.family;
  filter.qualifier = column.qualifier;
  filter.op = op;
  filter.comparator = BinaryComparator(std::move(bytes));
  filter.filter_if_missing = true;
  return SingleColumnValueFilter(std::move(filter));
}

// False for CHAR, which may be stored with or without padding, for columns that share a cell, and for those with a value
// without a cell.
bool HasOneForm(const TableColumn& column) {
  return column.key_position < 0 && column.type.type != Type::kChar && !column.type.array && column.element == 0 &&
         column.missing.is_null();
}

FilterPtr CompareFilter(BoundExpression& condition, const ColumnOf& column_of) {
  BoundExpression* a = condition.operands()[0].get();
  BoundExpression* b = condition.operands()[1].get();
  Compare compare = condition.compare();
  if (a->constant() != nullptr) {
    std::swap(a, b);
    compare = Mirrored(compare);
  }
  const Value* const value = b->constant();
  if (a->kind() != BoundExpression::Kind::kColumn || value == nullptr || value->is_null() ||
      compare == Compare::kNotEqual || !HasOneForm(column_of(a->column()))) {
    return nullptr;
  }
  bool exact = true;
  std::optional<std::string> bytes = ComparableBytes(column_of(a->column()), *value, &exact);
  return bytes.has_value() && exact ? CellFilter(column_of(a->column()), OpOf(compare), *std::move(bytes)) : nullptr;
}

FilterPtr InFilter(BoundExpression& condition, const ColumnOf& column_of) {
  constexpr size_t kMostValues = 16;  // each is compared with each row's cell
  BoundExpression& a = *condition.operands()[0];
  if (condition.negated() || a.kind() != BoundExpression::Kind::kColumn ||
      condition.operands().size() - 1 > kMostValues || !HasOneForm(column_of(a.column()))) {
    return nullptr;
  }
  std::vector<FilterPtr> any;
  for (size_t i = 1; i < condition.operands().size(); ++i) {
    const Value* const value = condition.operands()[i]->constant();
    bool exact = true;
    std::optional<std::string> bytes;
    if (value != nullptr && !value->is_null()) {
      bytes = ComparableBytes(column_of(a.column()), *value, &exact);
    }
    if (!bytes.has_value() || !exact) {
      return nullptr;
    }
    any.push_back(CellFilter(column_of(a.column()), CompareOp::kEqual, *std::move(bytes)));
  }
  return any.empty() ? nullptr : FilterList(ListOperator::kMustPassOne, std::move(any));
}

}  // namespace

FilterPtr PushDown(BoundExpression& condition, const ColumnOf& column_of) {
  switch (condition.kind()) {
    case BoundExpression::Kind::kCompare:
      return CompareFilter(condition, column_of);
    case BoundExpression::Kind::kIn:
      return InFilter(condition, column_of);
    case BoundExpression::Kind::kAnd: {
      std::vector<FilterPtr> all;
      for (const BoundPtr& operand : condition.operands()) {
        if (FilterPtr filter = PushDown(*operand, column_of); filter != nullptr) {
          all.push_back(std::move(filter));
        }
      }
      return all.size() > 1 ? FilterList(ListOperator::kMustPassAll, std::move(all)) : all.empty() ? nullptr : all[0];
    }
    default:
      return nullptr;
  }
}

std::optional<std::string> ComparableBytes(const TableColumn& column, const Value& value, bool* exact) {
  const Expected<Value> near = Convert(value, column.type);
  if (!near.ok() || near->is_null()) {
    return std::nullopt;
  }
  *exact = CommonType({.type = value.type()}, {.type = near->type()}).type == Type::kNull ||
           CompareValues(*near, value) == 0;
  std::string bytes;
  EncodeValue(*near, column.type, &bytes);
  return bytes;
}

}  // namespace klip::sql
