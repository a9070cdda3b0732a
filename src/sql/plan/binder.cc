#include "sql/plan/binder.h"

#include <algorithm>

#include "klip/sql.h"
#include "sql/plan/expression_identity.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using Node = Expression::Kind;

Expected<Compare> CompareOf(const std::string& operation) {
  static constexpr std::pair<std::string_view, Compare> kCompares[] = {
      {"=", Compare::kEqual},  {"!=", Compare::kNotEqual},    {"<>", Compare::kNotEqual},
      {"<", Compare::kLess},   {"<=", Compare::kLessOrEqual}, {">=", Compare::kGreaterOrEqual},
      {">", Compare::kGreater}};
  for (const auto& [text, compare] : kCompares) {
    if (text == operation) {
      return compare;
    }
  }
  return SqlError(601, "42P00", "Syntax error. Unknown operator " + operation);
}

Expected<BoundPtr> And(std::vector<BoundPtr> operands) {
  if (operands.size() == 1) {
    return std::move(operands[0]);
  }
  return MakeLogic(BoundExpression::Kind::kAnd, std::move(operands));
}

Expected<BoundPtr> Or(std::vector<BoundPtr> operands) {
  if (operands.size() == 1) {
    return std::move(operands[0]);
  }
  return MakeLogic(BoundExpression::Kind::kOr, std::move(operands));
}

// From left to right. Each term nests those before it, and is computed on the stack.
Expected<BoundPtr> BindArithmetic(char operation, std::vector<BoundPtr> operands) {
  constexpr size_t kMostTerms = 2000;
  if (operands.size() > kMostTerms) {
    return SqlError(601, "42P00",
                    "Syntax error. The statement has more than " + std::to_string(kMostTerms) + " terms in a sum.");
  }
  BoundPtr result = std::move(operands[0]);
  for (size_t i = 1; i < operands.size(); ++i) {
    KLIP_ASSIGN_OR_RETURN(result, MakeArithmetic(operation, std::move(result), std::move(operands[i])));
  }
  return result;
}

// 1.50 has the label 1.50, and the value 1.5.
BoundPtr BindLiteral(const Expression& literal) {
  const Value& value = literal.value;
  if (value.is_null()) {
    return std::make_unique<Constant>(Value(), literal.type);
  }
  return MakeConstant(value.type() == Type::kDecimal ? Value::Number(Normalized(value.decimal())) : value);
}

bool IsRow(const Expression& expression) { return expression.kind == Node::kRow; }

// The values of a row, with those of rows in it; another expression is a row of one value.
void AppendParts(const Expression& row, std::vector<const Expression*>* parts) {
  if (!IsRow(row)) {
    parts->push_back(&row);
    return;
  }
  for (const ExpressionPtr& part : row.operands) {
    AppendParts(*part, parts);
  }
}

std::vector<const Expression*> PartsOf(const Expression& row) {
  std::vector<const Expression*> parts;
  AppendParts(row, &parts);
  return parts;
}

// As in Phoenix, NULL in the list of IN does not count, unless nothing else is there.
void DropNulls(const Expression& in, std::vector<BoundPtr>* operands) {
  const auto is_null = [](const ExpressionPtr& operand) {
    return operand->kind == Node::kLiteral && operand->value.is_null();
  };
  if (std::all_of(in.operands.begin() + 1, in.operands.end(), is_null)) {
    return;
  }
  for (size_t i = in.operands.size() - 1; i > 0; --i) {
    if (is_null(in.operands[i])) {
      operands->erase(operands->begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

Expected<BoundPtr> MakeCast(BoundPtr value, const DataType& type) {
  return Castable(value->type(), type)
             ? MakeConvert(std::move(value), type, /*cast=*/true)
             : SqlError(203, "22005", "Type mismatch. " + ToString(value->type()) + " and " + ToString(type));
}

const Expression* NullPart() {
  static const Expression kNull;
  return &kNull;
}

}  // namespace

RowPart RowPartOf(std::string_view function) {
  return function == "PHOENIX_ROW_TIMESTAMP"                                ? RowPart::kTime
         : function == "ROWKEY_BYTES_STRING" || function == kRowKeyFunction ? RowPart::kKey
                                                                            : RowPart::kNone;
}

bool CallsRowFunction(const Expression& expression, RowPart part) {
  const auto calls = [part](const Expression& operand) { return CallsRowFunction(operand, part); };
  return (expression.kind == Node::kFunction && RowPartOf(expression.name) == part) ||
         std::ranges::any_of(expression.operands, [&](const ExpressionPtr& operand) { return calls(*operand); }) ||
         std::ranges::any_of(expression.within, [&](const auto& term) { return calls(*term.first); });
}

bool HasAggregate(const Expression& expression) {
  if (expression.kind == Node::kFunction && expression.over == nullptr && IsAggregate(expression.name)) {
    return true;
  }
  const auto has = [](const ExpressionPtr& operand) { return HasAggregate(*operand); };
  return std::ranges::any_of(expression.operands, has) ||
         (expression.over != nullptr && (std::ranges::any_of(expression.over->partition_by, has) ||
                                         std::ranges::any_of(expression.over->order_by, has, &OrderTerm::expression)));
}

void CollectColumns(BoundExpression& expression, std::vector<bool>* columns) {
  if (expression.kind() == BoundExpression::Kind::kColumn && expression.column() < kWindowColumns) {
    (*columns)[expression.column()] = true;
  }
  for (const BoundPtr& operand : expression.operands()) {
    CollectColumns(*operand, columns);
  }
}

void MoveColumns(BoundExpression* expression, const std::vector<size_t>& places) {
  if (expression->kind() == BoundExpression::Kind::kColumn && expression->column() < kWindowColumns) {
    expression->set_column(places[expression->column()]);
  }
  for (const BoundPtr& operand : expression->operands()) {
    MoveColumns(operand.get(), places);
  }
}

void PlaceWindows(BoundExpression* expression, const std::vector<size_t>& places) {
  if (expression->kind() == BoundExpression::Kind::kColumn && expression->column() >= kWindowColumns) {
    expression->set_column(places[expression->column() - kWindowColumns]);
  }
  for (const BoundPtr& operand : expression->operands()) {
    PlaceWindows(operand.get(), places);
  }
}

Expected<std::vector<BoundPtr>> Binder::BindAll(const std::vector<ExpressionPtr>& expressions) {
  std::vector<BoundPtr> bound;
  for (const ExpressionPtr& expression : expressions) {
    KLIP_ASSIGN_OR_RETURN(BoundPtr one, Bind(*expression));
    bound.push_back(std::move(one));
  }
  return bound;
}

Status Binder::RefuseNull(const Expression& condition) {
  return condition.kind == Node::kLiteral && condition.value.is_null()
             ? SqlError(203, "22005", "Type mismatch. expected: BOOLEAN but was: null")
             : Status::Ok();
}

Expected<BoundPtr> Binder::BindCondition(const Expression& expression) {
  KLIP_RETURN_IF_ERROR(RefuseNull(expression));
  KLIP_ASSIGN_OR_RETURN(BoundPtr condition, Bind(expression));
  const bool boolean = condition->type().type == Type::kBoolean || condition->type().type == Type::kNull;
  if (!boolean || condition->type().array) {
    return SqlError(203, "22005", "Type mismatch. expected: BOOLEAN but was: " + ToString(condition->type()));
  }
  return MakeConvert(std::move(condition), {.type = Type::kBoolean});
}

namespace {

// Whether to bind it twice has no effect: it has no parameters, sequences and subqueries.
bool BindsAgain(const Expression& expression) {
  return expression.kind != Node::kParameter && expression.kind != Node::kNextValue && expression.select == nullptr &&
         expression.over == nullptr &&
         std::ranges::all_of(expression.operands, [](const ExpressionPtr& operand) { return BindsAgain(*operand); });
}

}  // namespace

Expected<BoundPtr> Binder::BindGroup(const Expression& expression) {
  if (aggregation_ == nullptr || in_aggregate_) {
    return BoundPtr();
  }
  std::optional<size_t> column;
  if (expression.kind == Node::kColumn) {
    KLIP_ASSIGN_OR_RETURN(column, scope_->Find(expression));
  }
  const std::string identity = GroupIdentity(expression);
  for (size_t i = 0; i < aggregation_->groups.size(); ++i) {
    const Aggregation::Group& group = aggregation_->groups[i];
    if (column.has_value() ? group.scope_column == column : group.identity == identity) {
      NoteOperands(expression);
      return MakeColumn(i, group.type);
    }
  }
  return BoundPtr();
}

// Of an expression that was bound elsewhere: in GROUP BY, or as an equal aggregate. The label needs notes of what is in it.
void Binder::NoteOperands(const Expression& expression) {
  if (notes_ == nullptr || !BindsAgain(expression)) {
    return;
  }
  const bool in_aggregate = std::exchange(in_aggregate_, true);
  for (const ExpressionPtr& operand : expression.operands) {
    if (operand->kind != Node::kStar && !Bind(*operand).ok()) {
      break;  // it was bound without the error, so another one of it does not matter
    }
  }
  in_aggregate_ = in_aggregate;
}

Expected<BoundPtr> Binder::BindNot(const Expression& expression) {
  const Expression& operand = *expression.operands[0];
  if (operand.kind == Node::kExists) {
    return BindSubquery(operand, !operand.negated);
  }
  KLIP_ASSIGN_OR_RETURN(BoundPtr bound, Bind(operand));
  return MakeNot(std::move(bound));
}

Expected<BoundPtr> Binder::Bind(const Expression& expression) {
  KLIP_ASSIGN_OR_RETURN(BoundPtr bound, BindNode(expression));
  KLIP_RETURN_IF_ERROR(bound->CheckLiterals());
  const bool computed = bound->kind() == BoundExpression::Kind::kOther || expression.kind == Node::kCast;
  if (computed && bound->kind() != BoundExpression::Kind::kColumn && aggregation_ == nullptr) {
    bound->SetIdentity(ExpressionIdentity(expression, *scope_));
  }
  if (notes_ != nullptr) {
    const Value* const constant = bound->constant();
    (*notes_)[&expression] = {bound->type(), constant == nullptr ? std::optional<Value>() : *constant};
  }
  return bound;
}

Expected<BoundPtr> Binder::BindNode(const Expression& expression) {
  if (expression.kind != Node::kLiteral && expression.kind != Node::kParameter) {
    KLIP_ASSIGN_OR_RETURN(BoundPtr group, BindGroup(expression));
    if (group != nullptr) {
      return group;
    }
  }
  switch (expression.kind) {
    case Node::kLiteral:
      return BindLiteral(expression);
    case Node::kParameter:
      return host_->Parameter(expression.position);
    case Node::kColumn:
      return BindColumn(expression);
    case Node::kStar:
      return SqlError(601, "42P00", "Syntax error. Encountered \"*\"");
    case Node::kCompare:
      return BindCompare(expression);
    case Node::kBetween:
      return BindBetween(expression);
    case Node::kIn:
      return BindIn(expression);
    case Node::kExists:
    case Node::kQuantified:
    case Node::kSubquery:
      return BindSubquery(expression, expression.negated);
    case Node::kNot:
      return BindNot(expression);
    case Node::kNextValue:
      return BindNextValue(expression);
    case Node::kFunction:
      return expression.over != nullptr     ? BindWindow(expression)
             : IsAggregate(expression.name) ? BindAggregate(expression)
                                            : BindFunctionCall(expression);
    case Node::kRow:
      return SqlError(203, "22005", "Type mismatch. A row of values can only be compared with another row of values");
    default:
      break;
  }
  if (expression.kind == Node::kAnd || expression.kind == Node::kOr) {
    return BindLogic(expression);
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<BoundPtr> operands, BindAll(expression.operands));
  switch (expression.kind) {
    case Node::kNegate:
      return MakeNegate(std::move(operands[0]));
    case Node::kArithmetic:
      return BindArithmetic(expression.operation[0], std::move(operands));
    case Node::kConcat:
      return MakeConcat(std::move(operands));
    case Node::kIsNull:
      return MakeIsNull(std::move(operands[0]), expression.negated);
    case Node::kLike:
      return MakeLike(std::move(operands[0]), std::move(operands[1]), expression.ignore_case, expression.negated);
    case Node::kCase:
      return MakeCase(std::move(operands));
    case Node::kCast:
      return MakeCast(std::move(operands[0]), expression.type);
    case Node::kArray:
      return MakeArray(std::move(operands));
    case Node::kElement:
      return MakeElement(std::move(operands[0]), std::move(operands[1]));
    default:
      return Status(Code::kUnsupported, "SQL: " + ToString(expression));
  }
}

Expected<BoundPtr> Binder::BindLogic(const Expression& expression) {
  for (const ExpressionPtr& operand : expression.operands) {
    KLIP_RETURN_IF_ERROR(RefuseNull(*operand));
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<BoundPtr> operands, BindAll(expression.operands));
  return expression.kind == Node::kAnd ? And(std::move(operands)) : Or(std::move(operands));
}

Expected<BoundPtr> Binder::BindNextValue(const Expression& next) {
  if (!next_values_ || in_aggregate_) {
    return SqlError(1205, "42Z05",
                    "NEXT VALUE FOR may only be used as in a SELECT or an UPSERT VALUES expression. " + ToString(next));
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<BoundPtr> count, BindAll(next.operands));
  return host_->BindNextValue(next, count.empty() ? nullptr : std::move(count[0]));
}

Expected<BoundPtr> Binder::BindColumn(const Expression& column) {
  KLIP_ASSIGN_OR_RETURN(const std::optional<size_t> found, scope_->Find(column));
  if (found.has_value()) {
    if (aggregation_ != nullptr && !in_aggregate_) {
      return SqlError(1018, "42Y27", "Aggregate may not contain columns not in GROUP BY. " + ColumnText(column));
    }
    return MakeColumn(*found, scope_->columns[*found].type);
  }
  for (Scope* inner = scope_; inner->outer != nullptr; inner = inner->outer) {
    KLIP_ASSIGN_OR_RETURN(const std::optional<size_t> outer, inner->outer->Find(column));
    if (!outer.has_value()) {
      continue;
    }
    if (inner != scope_) {
      return Status(Code::kUnsupported, "SQL: " + ColumnText(column) + " belongs to a query more than one level up");
    }
    auto slot = std::make_shared<Slot>(inner->outer->columns[*outer].type);
    inner->correlations.push_back({*outer, slot});
    return BoundPtr(std::make_unique<SlotValue>(std::move(slot)));
  }
  if (!column.qualifier.empty() && !scope_->HasQualifier(column.qualifier)) {
    return scope_->UndefinedQualifier(column.qualifier);
  }
  return SqlError(504, "42703", "Undefined column. columnName=" + ColumnText(column));
}

Expected<BoundPtr> Binder::BindCompare(const Expression& compare) {
  KLIP_ASSIGN_OR_RETURN(const Compare operation, CompareOf(compare.operation));
  const Expression& a = *compare.operands[0];
  const Expression& b = *compare.operands[1];
  return BindComparison(operation, a, b);
}

Expected<BoundPtr> Binder::BindComparison(Compare compare, const Expression& a, const Expression& b) {
  if (IsRow(a) || IsRow(b)) {
    return BindRowCompare(compare, a, b);
  }
  KLIP_ASSIGN_OR_RETURN(BoundPtr x, Bind(a));
  KLIP_ASSIGN_OR_RETURN(BoundPtr y, Bind(b));
  return MakeCompare(compare, std::move(x), std::move(y));
}

bool Binder::MayBeNull(const Expression& expression) const {
  if (expression.kind == Node::kLiteral) {
    return expression.value.is_null();
  }
  if (expression.kind != Node::kColumn) {
    return true;
  }
  const Expected<std::optional<size_t>> column = scope_->Find(expression);
  return !column.ok() || !column->has_value() || scope_->columns[**column].nullable;
}

// Of a value in a row of values: NULL equals NULL, and is below all others, so the result is never NULL.
Expected<BoundPtr> Binder::BindPartCompare(Compare compare, const Expression& a, const Expression& b) {
  std::vector<BoundPtr> any;
  // Adds the case that exactly these sides are NULL; `both` holds if none is.
  const auto add = [&](bool a_is_null, bool b_is_null, BoundPtr both) -> Status {
    std::vector<BoundPtr> all;
    for (const auto& [side, is_null] : {std::pair(&a, a_is_null), std::pair(&b, b_is_null)}) {
      if (MayBeNull(*side)) {
        KLIP_ASSIGN_OR_RETURN(BoundPtr bound, Bind(*side));
        all.push_back(MakeIsNull(std::move(bound), !is_null));
      } else if (is_null) {
        return Status::Ok();
      }
    }
    if (both != nullptr) {
      all.push_back(std::move(both));
    }
    KLIP_ASSIGN_OR_RETURN(BoundPtr one, And(std::move(all)));
    any.push_back(std::move(one));
    return Status::Ok();
  };
  KLIP_ASSIGN_OR_RETURN(BoundPtr x, Bind(a));
  KLIP_ASSIGN_OR_RETURN(BoundPtr y, Bind(b));
  KLIP_ASSIGN_OR_RETURN(BoundPtr both, MakeCompare(compare, std::move(x), std::move(y)));
  KLIP_RETURN_IF_ERROR(add(false, false, std::move(both)));
  if (Holds(compare, std::weak_ordering::equivalent)) {
    KLIP_RETURN_IF_ERROR(add(true, true, nullptr));
  }
  if (Holds(compare, std::weak_ordering::less)) {
    KLIP_RETURN_IF_ERROR(add(true, false, nullptr));
  }
  if (Holds(compare, std::weak_ordering::greater)) {
    KLIP_RETURN_IF_ERROR(add(false, true, nullptr));
  }
  return Or(std::move(any));
}

// (a, b) > (x, y) is a > x OR (a = x AND b > y): boxes of row keys, so a page of rows starts with a jump. The shorter of
// two rows continues with NULLs.
Expected<BoundPtr> Binder::BindRowCompare(Compare compare, const Expression& a, const Expression& b) {
  std::vector<const Expression*> left = PartsOf(a);
  std::vector<const Expression*> right = PartsOf(b);
  const size_t parts = std::max(left.size(), right.size());
  left.resize(parts, NullPart());
  right.resize(parts, NullPart());
  const auto one = [&](size_t i, Compare with) { return BindPartCompare(with, *left[i], *right[i]); };
  const bool equal = compare == Compare::kEqual;
  std::vector<BoundPtr> alternatives;
  for (size_t last = equal ? parts - 1 : 0; last < parts; ++last) {
    std::vector<BoundPtr> all;
    for (size_t i = 0; i < last && compare != Compare::kNotEqual; ++i) {
      KLIP_ASSIGN_OR_RETURN(BoundPtr same, one(i, Compare::kEqual));
      all.push_back(std::move(same));
    }
    Compare with = compare;
    if (last + 1 < parts && (compare == Compare::kLessOrEqual || compare == Compare::kGreaterOrEqual)) {
      with = compare == Compare::kLessOrEqual ? Compare::kLess : Compare::kGreater;
    }
    KLIP_ASSIGN_OR_RETURN(BoundPtr differs, one(last, with));
    all.push_back(std::move(differs));
    KLIP_ASSIGN_OR_RETURN(BoundPtr alternative, And(std::move(all)));
    alternatives.push_back(std::move(alternative));
  }
  return Or(std::move(alternatives));
}

Expected<BoundPtr> Binder::BindBetween(const Expression& between) {
  std::vector<BoundPtr> both;
  for (const auto& [bound, compare] : {std::pair(1, Compare::kGreaterOrEqual), std::pair(2, Compare::kLessOrEqual)}) {
    KLIP_ASSIGN_OR_RETURN(BoundPtr side,
                          BindComparison(compare, *between.operands[0], *between.operands[static_cast<size_t>(bound)]));
    both.push_back(std::move(side));
  }
  KLIP_ASSIGN_OR_RETURN(BoundPtr inside, And(std::move(both)));
  return between.negated ? MakeNot(std::move(inside)) : std::move(inside);
}

Expected<BoundPtr> Binder::BindIn(const Expression& in) {
  if (in.select != nullptr) {
    return BindSubquery(in, in.negated);
  }
  const Expression& a = *in.operands[0];
  if (std::ranges::none_of(in.operands, [](const ExpressionPtr& operand) { return IsRow(*operand); })) {
    KLIP_ASSIGN_OR_RETURN(std::vector<BoundPtr> operands, BindAll(in.operands));
    DropNulls(in, &operands);
    const bool constants = std::all_of(operands.begin() + 1, operands.end(),
                                       [](const BoundPtr& value) { return value->constant() != nullptr; });
    if (constants) {
      std::vector<BoundPtr> list(std::make_move_iterator(operands.begin() + 1),
                                 std::make_move_iterator(operands.end()));
      return MakeIn(std::move(operands[0]), std::move(list), in.negated);
    }
  }
  std::vector<BoundPtr> any;
  for (size_t i = 1; i < in.operands.size(); ++i) {
    Expected<BoundPtr> same = BindComparison(Compare::kEqual, a, *in.operands[i]);
    const bool other = ErrorOf(same.status()).number == 203 && (!any.empty() || i + 1 < in.operands.size());
    if (!other) {
      KLIP_ASSIGN_OR_RETURN(any.emplace_back(), std::move(same));
    }
  }
  KLIP_ASSIGN_OR_RETURN(BoundPtr found, Or(std::move(any)));
  return in.negated ? MakeNot(std::move(found)) : std::move(found);
}

// Of the query's first table.
Expected<BoundPtr> Binder::BindRowFunction(const Expression& call) {
  const auto found = std::ranges::find(scope_->columns, RowPartOf(call.name), &ScopeColumn::row_part);
  if (!call.operands.empty() || found == scope_->columns.end()) {
    return SqlError(6001, "42F01", "Function undefined. functionName=" + call.name + " without a table");
  }
  if (aggregation_ != nullptr && !in_aggregate_) {
    return SqlError(1018, "42Y27", "Aggregate may not contain columns not in GROUP BY. " + ToString(call));
  }
  BoundPtr part = MakeColumn(static_cast<size_t>(found - scope_->columns.begin()), found->type);
  if (call.name != "ROWKEY_BYTES_STRING") {
    return part;
  }
  std::vector<BoundPtr> operands;
  operands.push_back(std::move(part));
  return MakeCall(call.name, std::move(operands));
}

Expected<BoundPtr> Binder::BindFunctionCall(const Expression& call) {
  if (RowPartOf(call.name) != RowPart::kNone) {
    return BindRowFunction(call);
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<BoundPtr> operands, BindAll(call.operands));
  return MakeCall(call.name, std::move(operands));
}

Expected<BoundPtr> Binder::MakeCall(const std::string& name, std::vector<BoundPtr> operands) {
  operands.resize(MeaningfulArguments(name, operands.size(), [&](size_t i) {
    const auto* const literal = dynamic_cast<const Constant*>(operands[i].get());
    return literal != nullptr && literal->type().type == Type::kNull && !literal->type().array;
  }));
  std::vector<FunctionArgument> arguments;
  for (const BoundPtr& operand : operands) {
    // A parameter's value is not known yet.
    const auto* const literal = dynamic_cast<const Constant*>(operand.get());
    arguments.push_back({operand->type(), literal == nullptr ? nullptr : operand->constant()});
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (dynamic_cast<const SlotValue*>(operands[i].get()) != nullptr) {
      (void)operands[i]->TakeType(ParameterType(name, i, arguments));
      arguments[i].type = operands[i]->type();
    }
  }
  KLIP_ASSIGN_OR_RETURN(std::unique_ptr<BoundFunction> function, BindFunction(name, arguments));
  if (IsNullCall(name, arguments)) {
    return BoundPtr(std::make_unique<Constant>(Value(), function->type()));
  }
  return MakeFunction(std::move(function), std::move(operands), &host_->execution()->functions);
}

int Binder::ScaleOf(const Expression& expression) const {
  switch (expression.kind) {
    case Node::kColumn: {
      const Expected<std::optional<size_t>> found = scope_->Find(expression);
      const DataType type = found.ok() && found->has_value() ? scope_->columns[**found].type : DataType();
      return type.type == Type::kDecimal && !type.array ? type.scale : -1;
    }
    case Node::kNegate:
      return ScaleOf(*expression.operands[0]);
    case Node::kCast:  // of a DECIMAL it does nothing
      return expression.type.type == Type::kDecimal ? ScaleOf(*expression.operands[0]) : -1;
    case Node::kArithmetic: {
      constexpr int kMostDigits = 38;
      const int a = ScaleOf(*expression.operands[0]);
      const int b = ScaleOf(*expression.operands[1]);
      const char operation = expression.operation[0];
      const bool known = a >= 0 && b >= 0;
      return known && operation == '*'                         ? std::min(a + b, kMostDigits)
             : known && (operation == '+' || operation == '-') ? std::max(a, b)
                                                               : -1;
    }
    default:
      return -1;
  }
}

// A parameter that decides what an aggregate computes must be known when the statement is planned. 1 stands for it until then.
void Binder::FixArgument(AggregateCall* call) {
  const std::optional<size_t> at = FixedArgument(call->name);
  if (!at.has_value() || *at >= call->arguments.size()) {
    return;
  }
  BoundPtr& argument = call->arguments[*at];
  if (dynamic_cast<const SlotValue*>(argument.get()) != nullptr) {
    (void)argument->TakeType({.type = IsPercentile(call->name) ? Type::kDecimal : Type::kInteger});
    host_->NeedValues();
    argument = MakeConstant(Value::Integer(1));
  }
}

Expected<BoundPtr> Binder::BindAggregate(const Expression& call) {
  if (in_aggregate_) {
    return Status(Code::kUnsupported, "SQL: an aggregate inside of another: " + ToString(call));
  }
  if (aggregation_ == nullptr) {
    return SqlError(1017, "42Y26", "Aggregate may not be used in WHERE or ON. " + ToString(call));
  }
  if (call.operands.empty()) {
    return SqlError(6001, "42F01", "Function undefined. functionName=" + call.name + " without arguments");
  }
  const std::string identity = CallIdentity(call);
  const auto known = std::ranges::find(aggregation_->call_identities, identity);
  const auto index = static_cast<size_t>(known - aggregation_->call_identities.begin());
  if (known != aggregation_->call_identities.end()) {
    NoteOperands(call);
  } else {
    AggregateCall made;
    made.name = call.name;
    made.distinct = call.distinct;
    made.scale = ScaleOf(*call.operands[0]);
    in_aggregate_ = true;
    const auto bind = [&]() -> Status {
      for (const ExpressionPtr& operand : call.operands) {
        if (operand->kind != Node::kStar) {
          KLIP_ASSIGN_OR_RETURN(BoundPtr argument, Bind(*operand));
          made.arguments.push_back(std::move(argument));
        }
      }
      for (const auto& [expression, descending] : call.within) {
        KLIP_ASSIGN_OR_RETURN(BoundPtr term, Bind(*expression));
        made.within.push_back({.expression = std::move(term), .descending = descending, .text = ToString(*expression)});
      }
      FixArgument(&made);
      return CheckAggregate(&made);
    };
    const Status bound = bind();
    in_aggregate_ = false;
    KLIP_RETURN_IF_ERROR(bound);
    aggregation_->calls.push_back(std::move(made));
    aggregation_->call_identities.push_back(identity);
  }
  return MakeColumn(aggregation_->groups.size() + index, aggregation_->calls[index].type);
}

Expected<BoundPtr> Binder::BindWindow(const Expression& call) {
  if (windows_ == nullptr || in_aggregate_) {
    return Status(
        Code::kUnsupported,
        "SQL: a window function outside of the select list and ORDER BY, or inside of a function over rows: " +
            ToString(call));
  }
  const std::string identity = CallIdentity(call);
  auto known = std::ranges::find(windows_->calls, identity, &Windows::Call::identity);
  if (known == windows_->calls.end()) {
    Windows* const windows = std::exchange(windows_, nullptr);  // no window within a window
    Expected<WindowCall> bound = BindWindowCall(call);
    windows_ = windows;
    KLIP_RETURN_IF_ERROR(bound.status());
    KLIP_ASSIGN_OR_RETURN(const size_t spec, FindWindowSpec(call));
    std::vector<WindowCall>& calls = windows_->specs[spec].calls;
    windows_->calls.push_back({.identity = identity, .spec = spec, .index = calls.size()});
    windows_->specs[spec].text += (calls.empty() ? "" : ", ") + ToString(call);
    calls.push_back(std::move(*bound));
    known = std::prev(windows_->calls.end());
  }
  const WindowCall& found = windows_->specs[known->spec].calls[known->index];
  return MakeColumn(kWindowColumns + static_cast<size_t>(known - windows_->calls.begin()), found.function.type);
}

Expected<WindowCall> Binder::BindWindowCall(const Expression& call) {
  WindowCall bound;
  bound.function.name = call.name;
  bound.function.distinct = call.distinct;
  bound.function.scale = call.operands.empty() ? -1 : ScaleOf(*call.operands[0]);
  bound.frame = call.over->frame;
  for (const ExpressionPtr& operand : call.operands) {
    if (operand->kind != Node::kStar) {
      KLIP_ASSIGN_OR_RETURN(bound.function.arguments.emplace_back(), Bind(*operand));
    }
  }
  if (!call.within.empty()) {
    return Status(Code::kUnsupported, "SQL: WITHIN GROUP in a window function: " + ToString(call));
  }
  KLIP_RETURN_IF_ERROR(CheckWindowCall(&bound));
  return bound;
}

// The spec with the call's partitions and order, which is added if there is none.
Expected<size_t> Binder::FindWindowSpec(const Expression& call) {
  Windows* const windows = std::exchange(windows_, nullptr);
  const auto find = [&]() -> Expected<size_t> {
    WindowSpec spec;
    std::string window;
    for (const ExpressionPtr& expression : call.over->partition_by) {
      KLIP_ASSIGN_OR_RETURN(spec.partition.emplace_back().expression, Bind(*expression));
      window += CallIdentity(*expression) + ",";
    }
    for (const OrderTerm& term : call.over->order_by) {
      spec.order.push_back({.descending = term.descending, .nulls_last = term.nulls_last.value_or(false)});
      KLIP_ASSIGN_OR_RETURN(spec.order.back().expression, Bind(*term.expression));
      window += CallIdentity(*term.expression) + (term.descending ? " DESC" : "") +
                (spec.order.back().nulls_last ? " NULLS LAST" : "") + ",";
    }
    window += "/" + std::to_string(spec.partition.size());
    const auto known = std::ranges::find(windows->windows, window);
    if (known == windows->windows.end()) {
      KLIP_RETURN_IF_ERROR(host_->CountWindow());
      windows->windows.push_back(std::move(window));
      windows->specs.push_back(std::move(spec));
      return windows->specs.size() - 1;
    }
    return static_cast<size_t>(known - windows->windows.begin());
  };
  Expected<size_t> found = find();
  windows_ = windows;
  return found;
}

Expected<BoundPtr> Binder::OuterColumn(size_t scope_column) {
  size_t column = scope_column;
  if (aggregation_ != nullptr && !in_aggregate_) {  // the query has groups
    const auto group =
        std::find_if(aggregation_->groups.begin(), aggregation_->groups.end(),
                     [&](const Aggregation::Group& candidate) { return candidate.scope_column == column; });
    if (group == aggregation_->groups.end()) {
      return SqlError(1018, "42Y27",
                      "Aggregate may not contain columns not in GROUP BY. " + scope_->columns[column].name);
    }
    column = static_cast<size_t>(group - aggregation_->groups.begin());
  }
  return MakeColumn(column, scope_->columns[scope_column].type);
}

Expected<SubquerySpec> Binder::Subquery(const Select& select, OuterKeys* keys) {
  SubquerySpec spec;
  std::vector<Scope::Correlation> correlations;
  KLIP_ASSIGN_OR_RETURN(spec.query, host_->PlanSubquery(select, scope_, &correlations, keys));
  for (const Scope::Correlation& correlation : correlations) {
    KLIP_ASSIGN_OR_RETURN(BoundPtr column, OuterColumn(correlation.outer_column));
    spec.outer.push_back(std::move(column));
    spec.outer_slots.push_back(correlation.slot);
  }
  spec.execution = host_->execution();
  return spec;
}

// What IN, ANY and ALL compare with the query's first columns. Both become one type, so that equal values have equal keys.
Status Binder::AddLeft(const Expression& expression, SubquerySpec* spec) {
  for (const Expression* const part : PartsOf(*expression.operands[0])) {
    KLIP_ASSIGN_OR_RETURN(spec->left.emplace_back(), Bind(*part));
  }
  return Status::Ok();
}

Expected<BoundPtr> Binder::BindSubquery(const Expression& expression, bool negated) {
  using SpecKind = SubquerySpec::Kind;
  if (expression.kind == Node::kQuantified && expression.select == nullptr) {
    KLIP_ASSIGN_OR_RETURN(const Compare compare, CompareOf(expression.operation));
    KLIP_ASSIGN_OR_RETURN(std::vector<BoundPtr> sides, BindAll(expression.operands));
    return MakeAnyElement(compare, std::move(sides[0]), std::move(sides[1]), expression.all);
  }
  const Select& select = *expression.select;
  const bool exists = expression.kind == Node::kExists;
  OuterKeys keys = {.only_exists = exists};
  const bool may_join = exists || expression.kind == Node::kIn;
  KLIP_ASSIGN_OR_RETURN(SubquerySpec spec, Subquery(select, may_join ? &keys : nullptr));
  spec.negated = negated;
  joins_subquery_ = joins_subquery_ || expression.kind == Node::kIn || !spec.outer.empty() || !keys.keys.empty();
  switch (expression.kind) {
    case Node::kExists:
      spec.kind = keys.keys.empty() ? SpecKind::kExists : SpecKind::kIn;
      break;
    case Node::kSubquery:
      if (spec.query->types().size() != 1) {
        return SqlError(203, "22005", "Type mismatch. A subquery in an expression must have one column");
      }
      return MakeSubquery(std::move(spec));
    case Node::kIn:
      spec.kind = SpecKind::kIn;
      break;
    default: {
      KLIP_ASSIGN_OR_RETURN(spec.compare, CompareOf(expression.operation));
      const bool equals_any = !expression.all && spec.compare == Compare::kEqual;
      spec.negated = expression.all && spec.compare == Compare::kNotEqual;
      spec.kind = equals_any || spec.negated ? SpecKind::kEqualsAny : expression.all ? SpecKind::kAll : SpecKind::kAny;
    }
  }
  if (!exists) {
    KLIP_RETURN_IF_ERROR(AddLeft(expression, &spec));
    spec.null_values = spec.kind == SpecKind::kIn ? spec.left.size() : 0;
  }
  for (OuterKeys::Key& key : keys.keys) {
    KLIP_ASSIGN_OR_RETURN(BoundPtr column, OuterColumn(key.outer_column));
    Unconverted(&key.value) = std::move(column);
    spec.left.push_back(std::move(key.value));
  }
  if (spec.kind == SpecKind::kExists) {
    return MakeSubquery(std::move(spec));
  }
  const bool ordered = spec.kind == SpecKind::kAny || spec.kind == SpecKind::kAll;
  if (spec.left.size() != spec.query->types().size() || (ordered && spec.left.size() != 1)) {
    return SqlError(216, "22016",
                    "Sub-query must return the same number of fields as the left-hand-side expression of 'IN'.");
  }
  std::vector<BoundPtr> columns;
  for (size_t i = 0; i < spec.left.size(); ++i) {
    const DataType& right = spec.query->types()[i];
    (void)spec.left[i]->TakeType(right, /*compared=*/true);
    DataType common = CommonType(spec.left[i]->type(), right);
    if (common.type == Type::kNull && dynamic_cast<const SlotValue*>(spec.left[i].get()) != nullptr) {
      common = {.type = Type::kVarchar};  // a parameter, beside one
    }
    if (common.type == Type::kNull) {
      return SqlError(203, "22005", "Type mismatch. " + ToString(spec.left[i]->type()) + " and " + ToString(right));
    }
    KLIP_ASSIGN_OR_RETURN(spec.left[i], MakeConvert(std::move(spec.left[i]), common));
    KLIP_ASSIGN_OR_RETURN(BoundPtr column, MakeConvert(MakeColumn(i, right), common));
    columns.push_back(std::move(column));
  }
  spec.query = MakeProject(std::move(spec.query), std::move(columns));
  return MakeSubquery(std::move(spec));
}

}  // namespace klip::sql
