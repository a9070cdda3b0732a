#include "sql/plan/push_down.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "filter/comparators/case_comparator.h"
#include "filter/filters/expression_condition.h"
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

// What a comparison has on its other side: a column, UPPER or LOWER of one, or an expression of an index.
struct Subject {
  const TableColumn* column = nullptr;  // null: not a column
  std::optional<base::LetterCase> letter_case;
  std::string expression;  // its identity; empty: none
  DataType type;

  explicit operator bool() const { return column != nullptr || !expression.empty(); }
};

Subject SubjectOf(BoundExpression& expression, const ColumnOf& column_of, PushDownFor indexes) {
  Subject subject;
  BoundExpression* column = &expression;
  if (indexes.letter_case && expression.letter_case().has_value()) {
    subject.letter_case = expression.letter_case();
    column = expression.operands()[0].get();
  }
  const bool is_cell = column->kind() == BoundExpression::Kind::kColumn && HasOneForm(column_of(column->column()));
  if (is_cell && (!subject.letter_case.has_value() || column->type().type == Type::kVarchar)) {
    subject.column = &column_of(column->column());
    subject.type = subject.column->type;
    return subject;
  }
  const bool has_order = expression.type().type != Type::kChar && !expression.type().array;
  return indexes.expressions && has_order ? Subject{.expression = expression.identity(), .type = expression.type()}
                                          : Subject();
}

FilterPtr CellFilter(const Subject& subject, CompareOp op, ComparatorPtr comparator) {
  if (subject.column == nullptr) {
    return std::make_shared<filter::ExpressionCondition>(subject.expression, op, std::move(comparator));
  }
  SingleColumnValue filter;
  filter.family = subject.column->family;
  filter.qualifier = subject.column->qualifier;
  filter.op = op;
  filter.comparator = std::move(comparator);
  if (subject.letter_case.has_value()) {
    filter.comparator = std::make_shared<filter::CaseComparator>(*subject.letter_case, std::move(filter.comparator));
  }
  filter.filter_if_missing = true;
  return SingleColumnValueFilter(std::move(filter));
}

// Those to compare the subject's bytes with; nullopt: none, or the value has none.
std::optional<std::string> BytesFor(const Subject& subject, const Value* value) {
  if (value == nullptr || value->is_null()) {
    return std::nullopt;
  }
  bool exact = true;
  std::optional<std::string> bytes =
      ComparableBytes(subject.type, subject.column == nullptr ? WithoutNegativeZero(*value) : *value, &exact);
  return exact ? bytes : std::nullopt;
}

// For bytes of BytesFor. The zeros of a column are equal, and next to each other; expressions of indexes have only one.
FilterPtr BytesFilter(const Subject& subject, CompareOp op, std::string bytes) {
  if (subject.column == nullptr) {
    return CellFilter(subject, op, BinaryComparator(std::move(bytes)));
  }
  const std::string least = LeastEqual(subject.type, bytes);
  const std::string greatest = GreatestEqual(subject.type, std::move(bytes));
  if (op == CompareOp::kEqual && least != greatest) {
    return FilterList(ListOperator::kMustPassOne, {CellFilter(subject, op, BinaryComparator(least)),
                                                   CellFilter(subject, op, BinaryComparator(greatest))});
  }
  const bool from_least = op == CompareOp::kGreaterOrEqual || op == CompareOp::kLess;
  return CellFilter(subject, op, BinaryComparator(from_least ? least : greatest));
}

FilterPtr CompareFilter(BoundExpression& condition, const ColumnOf& column_of, PushDownFor indexes) {
  BoundExpression* a = condition.operands()[0].get();
  BoundExpression* b = condition.operands()[1].get();
  Compare compare = condition.compare();
  if (a->constant() != nullptr) {
    std::swap(a, b);
    compare = Mirrored(compare);
  }
  const Subject subject = SubjectOf(*a, column_of, indexes);
  if (!subject || compare == Compare::kNotEqual) {
    return nullptr;
  }
  std::optional<std::string> bytes = BytesFor(subject, b->constant());
  return bytes.has_value() ? BytesFilter(subject, OpOf(compare), *std::move(bytes)) : nullptr;
}

FilterPtr InFilter(BoundExpression& condition, const ColumnOf& column_of, PushDownFor indexes) {
  constexpr size_t kMostValues = 16;  // each is compared with each row's cell
  const Subject subject = SubjectOf(*condition.operands()[0], column_of, indexes);
  if (!subject || condition.negated() || condition.operands().size() - 1 > kMostValues) {
    return nullptr;
  }
  std::vector<FilterPtr> any;
  for (size_t i = 1; i < condition.operands().size(); ++i) {
    std::optional<std::string> bytes = BytesFor(subject, condition.operands()[i]->constant());
    if (!bytes.has_value()) {
      return nullptr;
    }
    any.push_back(BytesFilter(subject, CompareOp::kEqual, *std::move(bytes)));
  }
  return any.empty() ? nullptr : FilterList(ListOperator::kMustPassOne, std::move(any));
}

FilterPtr LikeFilter(BoundExpression& condition, const ColumnOf& column_of, PushDownFor indexes) {
  const Subject subject = SubjectOf(*condition.operands()[0], column_of, indexes);
  const std::optional<std::string_view> prefix = LikePrefixOf(condition);
  return subject && subject.type.type == Type::kVarchar && prefix.has_value() && !prefix->empty()
             ? CellFilter(subject, CompareOp::kEqual, BinaryPrefixComparator(std::string(*prefix)))
             : nullptr;
}

}  // namespace

std::optional<std::string_view> LikePrefixOf(BoundExpression& condition) {
  const Value* const pattern =
      condition.kind() == BoundExpression::Kind::kLike ? condition.operands()[1]->constant() : nullptr;
  if (pattern == nullptr || pattern->is_null() || condition.negated() || condition.ignore_case()) {
    return std::nullopt;
  }
  const std::string_view text = pattern->text();
  const size_t wildcard = text.find_first_of("%_\\");
  return wildcard != std::string_view::npos && wildcard + 1 == text.size() && text[wildcard] == '%'
             ? std::optional(text.substr(0, wildcard))
             : std::nullopt;
}

FilterPtr PushDown(BoundExpression& condition, const ColumnOf& column_of, PushDownFor indexes) {
  switch (condition.kind()) {
    case BoundExpression::Kind::kCompare:
      return CompareFilter(condition, column_of, indexes);
    case BoundExpression::Kind::kIn:
      return InFilter(condition, column_of, indexes);
    case BoundExpression::Kind::kLike:
      return LikeFilter(condition, column_of, indexes);
    case BoundExpression::Kind::kOr: {
      std::vector<FilterPtr> any;
      for (const BoundPtr& operand : condition.operands()) {
        FilterPtr filter = PushDown(*operand, column_of, indexes);
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
        if (FilterPtr filter = PushDown(*operand, column_of, indexes); filter != nullptr) {
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
