#include "sql/plan/push_down.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "filter/comparators/case_comparator.h"
#include "klip/comparator.h"
#include "sql/catalog/stored_value.h"

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

// What a comparison has on its other side: a column, or UPPER or LOWER of one.
struct Subject {
  const TableColumn* column = nullptr;  // null: something else
  std::optional<base::LetterCase> letter_case;
};

Subject SubjectOf(BoundExpression& expression, const ColumnOf& column_of, bool with_case) {
  Subject subject;
  BoundExpression* column = &expression;
  if (with_case && expression.letter_case().has_value()) {
    subject.letter_case = expression.letter_case();
    column = expression.operands()[0].get();
  }
  if (column->kind() != BoundExpression::Kind::kColumn || !HasOneForm(column_of(column->column()))) {
    return {};
  }
  subject.column = &column_of(column->column());
  return subject.letter_case.has_value() && subject.column->type.type != Type::kVarchar ? Subject() : subject;
}

FilterPtr CellFilter(const Subject& subject, CompareOp op, std::string bytes) {
  SingleColumnValue filter;
  filter.family = subject.column->family;
  filter.qualifier = subject.column->qualifier;
  filter.op = op;
  filter.comparator = BinaryComparator(std::move(bytes));
  if (subject.letter_case.has_value()) {
    filter.comparator = std::make_shared<filter::CaseComparator>(*subject.letter_case, std::move(filter.comparator));
  }
  filter.filter_if_missing = true;
  return SingleColumnValueFilter(std::move(filter));
}

FilterPtr CompareFilter(BoundExpression& condition, const ColumnOf& column_of, bool with_case) {
  BoundExpression* a = condition.operands()[0].get();
  BoundExpression* b = condition.operands()[1].get();
  Compare compare = condition.compare();
  if (a->constant() != nullptr) {
    std::swap(a, b);
    compare = Mirrored(compare);
  }
  const Value* const value = b->constant();
  const Subject subject = SubjectOf(*a, column_of, with_case);
  if (subject.column == nullptr || value == nullptr || value->is_null() || compare == Compare::kNotEqual) {
    return nullptr;
  }
  bool exact = true;
  std::optional<std::string> bytes = ComparableBytes(*subject.column, *value, &exact);
  return bytes.has_value() && exact ? CellFilter(subject, OpOf(compare), *std::move(bytes)) : nullptr;
}

FilterPtr InFilter(BoundExpression& condition, const ColumnOf& column_of, bool with_case) {
  constexpr size_t kMostValues = 16;  // each is compared with each row's cell
  const Subject subject = SubjectOf(*condition.operands()[0], column_of, with_case);
  if (subject.column == nullptr || condition.negated() || condition.operands().size() - 1 > kMostValues) {
    return nullptr;
  }
  std::vector<FilterPtr> any;
  for (size_t i = 1; i < condition.operands().size(); ++i) {
    const Value* const value = condition.operands()[i]->constant();
    bool exact = true;
    std::optional<std::string> bytes;
    if (value != nullptr && !value->is_null()) {
      bytes = ComparableBytes(*subject.column, *value, &exact);
    }
    if (!bytes.has_value() || !exact) {
      return nullptr;
    }
    any.push_back(CellFilter(subject, CompareOp::kEqual, *std::move(bytes)));
  }
  return any.empty() ? nullptr : FilterList(ListOperator::kMustPassOne, std::move(any));
}

}  // namespace

bool AsksCase(const BoundExpression& condition) {
  return condition.letter_case().has_value() ||
         std::ranges::any_of(condition.operands(), [](const BoundPtr& operand) { return AsksCase(*operand); });
}

FilterPtr PushDown(BoundExpression& condition, const ColumnOf& column_of, bool with_case) {
  switch (condition.kind()) {
    case BoundExpression::Kind::kCompare:
      return CompareFilter(condition, column_of, with_case);
    case BoundExpression::Kind::kIn:
      return InFilter(condition, column_of, with_case);
    case BoundExpression::Kind::kOr: {
      std::vector<FilterPtr> any;
      for (const BoundPtr& operand : condition.operands()) {
        FilterPtr filter = PushDown(*operand, column_of, with_case);
        if (filter == nullptr) {
          return nullptr;  // any row may meet this one
        }
        any.push_back(std::move(filter));
      }
      return FilterList(ListOperator::kMustPassOne, std::move(any));
    }
    case BoundExpression::Kind::kAnd: {
      std::vector<FilterPtr> all;
      for (const BoundPtr& operand : condition.operands()) {
        if (FilterPtr filter = PushDown(*operand, column_of, with_case); filter != nullptr) {
          all.push_back(std::move(filter));
        }
      }
      return all.size() > 1 ? FilterList(ListOperator::kMustPassAll, std::move(all)) : all.empty() ? nullptr : all[0];
    }
    default:
      return nullptr;
  }
}

}  // namespace klip::sql
