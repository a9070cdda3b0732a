#include "sql/plan/implication.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sql/plan/push_down.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using BoundKind = BoundExpression::Kind;

class Implication {
 public:
  explicit Implication(const std::function<size_t(size_t)>& column_of) : column_of_(column_of) {}

  bool Holds(BoundExpression& condition, BoundExpression& other) const;

 private:
  bool Same(BoundExpression& a, BoundExpression& b) const;
  bool SameOperands(BoundExpression& a, BoundExpression& b) const;
  bool ImpliesLeaf(BoundExpression& condition, BoundExpression& other) const;

  const std::function<size_t(size_t)>& column_of_;
};

bool SameValue(const Value& a, const Value& b) {
  if (a.is_null() || b.is_null()) {
    return a.is_null() && b.is_null();
  }
  return a.type() == b.type() && CompareValues(a, b) == 0;
}

// subject OP value, or value OP subject turned around; nullopt: another condition.
struct ValueComparison {
  BoundExpression* subject = nullptr;
  Compare compare = Compare::kEqual;
  const Value* value = nullptr;
};

std::optional<ValueComparison> ValueComparisonOf(BoundExpression& condition) {
  if (condition.kind() != BoundKind::kCompare) {
    return std::nullopt;
  }
  BoundExpression& a = *condition.operands()[0];
  BoundExpression& b = *condition.operands()[1];
  if (const Value* const value = b.constant(); value != nullptr && !value->is_null()) {
    return ValueComparison{&a, condition.compare(), value};
  }
  const Value* const value = a.constant();
  return value == nullptr || value->is_null()
             ? std::nullopt
             : std::optional(ValueComparison{&b, Mirrored(condition.compare()), value});
}

// The values that the condition allows for its subject: those of = and IN; empty: others.
std::vector<Value> EqualValuesOf(BoundExpression& condition) {
  std::vector<Value> values;
  if (const std::optional<ValueComparison> comparison = ValueComparisonOf(condition);
      comparison.has_value() && comparison->compare == Compare::kEqual) {
    values.push_back(*comparison->value);
  }
  if (condition.kind() == BoundKind::kIn && !condition.negated()) {
    for (size_t i = 1; i < condition.operands().size(); ++i) {
      const Value* const value = condition.operands()[i]->constant();
      if (value == nullptr) {
        return {};
      }
      if (!value->is_null()) {
        values.push_back(*value);
      }
    }
  }
  return values;
}

BoundExpression* LeafSubjectOf(BoundExpression& condition) {
  if (const std::optional<ValueComparison> comparison = ValueComparisonOf(condition); comparison.has_value()) {
    return comparison->subject;
  }
  const bool has_subject = condition.kind() == BoundKind::kIn || condition.kind() == BoundKind::kLike ||
                           condition.kind() == BoundKind::kIsNull;
  return has_subject ? condition.operands()[0].get() : nullptr;
}

// Whether rows with this value of the subject meet the condition.
bool Allows(BoundExpression& condition, const Value& value) {
  const auto comparable = [&](const Value& other) {
    return CommonType({.type = value.type()}, {.type = other.type()}).type != Type::kNull;
  };
  if (const std::optional<ValueComparison> comparison = ValueComparisonOf(condition); comparison.has_value()) {
    return comparable(*comparison->value) && Holds(comparison->compare, CompareValues(value, *comparison->value));
  }
  if (condition.kind() == BoundKind::kLike) {
    const std::optional<std::string_view> prefix = LikePrefixOf(condition);
    return prefix.has_value() && IsText(value.type()) && value.text().starts_with(*prefix);
  }
  const std::vector<Value> values = EqualValuesOf(condition);
  return std::ranges::any_of(values,
                             [&](const Value& one) { return comparable(one) && CompareValues(value, one) == 0; });
}

// Whether a OP x implies b OP y: n > 5 implies n >= 5, n > 3 and n != 5.
bool RangeImplies(const ValueComparison& a, const ValueComparison& b) {
  if (CommonType({.type = a.value->type()}, {.type = b.value->type()}).type == Type::kNull) {
    return false;
  }
  const std::weak_ordering order = CompareValues(*a.value, *b.value);
  const bool up = a.compare == Compare::kGreater || a.compare == Compare::kGreaterOrEqual;
  const bool down = a.compare == Compare::kLess || a.compare == Compare::kLessOrEqual;
  if (!up && !down) {
    return false;
  }
  const bool beyond = up ? order > 0 : order < 0;  // `a` starts beyond the value of `b`
  const bool open = a.compare == Compare::kGreater || a.compare == Compare::kLess;
  switch (b.compare) {
    case Compare::kGreater:
    case Compare::kLess:
      return up == (b.compare == Compare::kGreater) && (beyond || (order == 0 && open));
    case Compare::kGreaterOrEqual:
    case Compare::kLessOrEqual:
      return up == (b.compare == Compare::kGreaterOrEqual) && (beyond || order == 0);
    case Compare::kNotEqual:
      return beyond || (order == 0 && open);
    default:
      return false;
  }
}

bool Implication::SameOperands(BoundExpression& a, BoundExpression& b) const {
  return a.operands().size() == b.operands().size() &&
         std::ranges::equal(a.operands(), b.operands(),
                            [&](const BoundPtr& x, const BoundPtr& y) { return Same(*x, *y); });
}

bool Implication::Same(BoundExpression& a, BoundExpression& b) const {
  if (const Value* const value = a.constant(); value != nullptr) {
    const Value* const other = b.constant();
    return other != nullptr && SameValue(*value, *other);
  }
  if (a.kind() != b.kind() || ToString(a.type()) != ToString(b.type())) {  // CAST rounds to the length of its type
    return false;
  }
  switch (a.kind()) {
    case BoundKind::kColumn:
      return column_of_(a.column()) == b.column();
    case BoundKind::kOther:
      return !a.identity().empty() && a.identity() == b.identity();
    case BoundKind::kSubquery:
    case BoundKind::kConstant:
      return false;
    default:
      return a.compare() == b.compare() && a.negated() == b.negated() && a.ignore_case() == b.ignore_case() &&
             SameOperands(a, b);
  }
}

bool Implication::ImpliesLeaf(BoundExpression& condition, BoundExpression& other) const {
  BoundExpression* const subject = LeafSubjectOf(condition);
  BoundExpression* const of_other = LeafSubjectOf(other);
  if (subject == nullptr || of_other == nullptr || !Same(*subject, *of_other)) {
    return false;
  }
  if (other.kind() == BoundKind::kIsNull) {  // NULL meets neither comparisons nor their opposites
    return other.negated() && (condition.kind() != BoundKind::kIsNull || condition.negated());
  }
  const std::vector<Value> values = EqualValuesOf(condition);
  const bool opposite = other.negated();
  if (!values.empty() && !opposite) {
    return std::ranges::all_of(values, [&](const Value& value) { return Allows(other, value); });
  }
  if (condition.kind() == BoundKind::kLike && other.kind() == BoundKind::kLike) {
    const std::optional<std::string_view> longer = LikePrefixOf(condition);
    const std::optional<std::string_view> shorter = LikePrefixOf(other);
    return longer.has_value() && shorter.has_value() && longer->starts_with(*shorter);
  }
  const std::optional<ValueComparison> a = ValueComparisonOf(condition);
  const std::optional<ValueComparison> b = ValueComparisonOf(other);
  return a.has_value() && b.has_value() && RangeImplies(*a, *b);
}

bool Implication::Holds(BoundExpression& condition, BoundExpression& other) const {
  const auto implies = [&](const BoundPtr& operand) { return Holds(condition, *operand); };
  if (other.kind() == BoundKind::kAnd) {
    return std::ranges::all_of(other.operands(), implies);
  }
  if (condition.kind() == BoundKind::kOr) {
    return std::ranges::all_of(condition.operands(), [&](const BoundPtr& operand) { return Holds(*operand, other); });
  }
  if (Same(condition, other) || (other.kind() == BoundKind::kOr && std::ranges::any_of(other.operands(), implies))) {
    return true;
  }
  if (condition.kind() == BoundKind::kAnd) {
    return std::ranges::any_of(condition.operands(), [&](const BoundPtr& operand) { return Holds(*operand, other); });
  }
  return ImpliesLeaf(condition, other);
}

}  // namespace

bool Implies(BoundExpression& condition, BoundExpression& other, const std::function<size_t(size_t)>& column_of) {
  return Implication(column_of).Holds(condition, other);
}

}  // namespace klip::sql
