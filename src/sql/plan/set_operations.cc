// Plans UNION, EXCEPT and INTERSECT: each operand alone, with its columns converted to types that all operands share. They are combined
// from left to right: UNION is DISTINCT above UNION ALL, EXCEPT an anti-join of all columns, INTERSECT a semi-join, both of different rows
// on the left. NULL equals NULL in all of them.
#include <algorithm>
#include <iterator>
#include <utility>

#include "sql/plan/binder.h"
#include "sql/plan/planner.h"

namespace klip::sql {
namespace {

// Makes the types of `whole` those that it shares with `operand`.
Status ShareTypes(const std::vector<Column>& operand, std::vector<Column>* whole) {
  if (operand.size() != whole->size()) {
    return SqlError(525, "42902", "SELECT column number differs in a Union All query is not allowed");
  }
  for (size_t i = 0; i < operand.size(); ++i) {
    DataType& type = (*whole)[i].type;
    const DataType& other = operand[i].type;
    const DataType common = type.type == Type::kNull    ? other
                            : other.type == Type::kNull ? type
                                                        : SharedType(type, other);
    if (common.type == Type::kNull && (type.type != Type::kNull || other.type != Type::kNull)) {
      return SqlError(526, "42903",
                      "SELECT column types differ in a Union All query is not allowed. Column " + (*whole)[i].label);
    }
    type = common;
  }
  return Status::Ok();
}

Expected<OperatorPtr> WithTypes(OperatorPtr rows, const std::vector<Column>& types) {
  std::vector<BoundPtr> columns;
  for (size_t i = 0; i < types.size(); ++i) {
    KLIP_ASSIGN_OR_RETURN(BoundPtr column, MakeConvert(MakeColumn(i, rows->types()[i]), types[i].type));
    columns.push_back(std::move(column));
  }
  return MakeProject(std::move(rows), std::move(columns));
}

// Those of `left` that `right` has too, or has not.
OperatorPtr Matched(OperatorPtr left, OperatorPtr right, JoinKind kind) {
  JoinKeys keys;
  for (size_t i = 0; i < left->types().size(); ++i) {
    keys.left.push_back(MakeColumn(i, left->types()[i]));
    keys.right.push_back(MakeColumn(i, right->types()[i]));
  }
  keys.null_values = keys.left.size();
  return MakeJoin(std::move(left), std::move(right), kind, std::move(keys), nullptr);
}

// Combines operands from left to right. Those of UNION ALLs, and then of UNIONs, become inputs of one operator. Example: a UNION ALL b UNION
// c EXCEPT d is the anti-join of DISTINCT (a, b, c) with d; the rows of EXCEPT are different already.
class Combination {
 public:
  explicit Combination(OperatorPtr first) { inputs_.push_back(std::move(first)); }

  void Add(SetOperand::Kind kind, OperatorPtr operand) {
    switch (kind) {
      case SetOperand::Kind::kUnionAll:
        if (duplicates_ == Duplicates::kDrop) {
          Replace(Different());
        }
        inputs_.push_back(std::move(operand));
        duplicates_ = Duplicates::kKeep;
        return;
      case SetOperand::Kind::kUnion:
        inputs_.push_back(std::move(operand));
        duplicates_ = Duplicates::kDrop;
        return;
      case SetOperand::Kind::kExcept:
        Replace(Matched(Different(), std::move(operand), JoinKind::kAnti));
        break;
      case SetOperand::Kind::kIntersect:
        Replace(Matched(Different(), std::move(operand), JoinKind::kSemi));
    }
    duplicates_ = Duplicates::kNone;
  }

  OperatorPtr Take() { return duplicates_ == Duplicates::kDrop ? Different() : All(); }

 private:
  enum class Duplicates : uint8_t { kNone, kKeep, kDrop };

  OperatorPtr All() { return inputs_.size() == 1 ? std::move(inputs_[0]) : MakeUnion(std::move(inputs_)); }
  OperatorPtr Different() { return duplicates_ == Duplicates::kNone ? All() : MakeDistinct(All(), {}); }
  void Replace(OperatorPtr rows) {
    inputs_.clear();
    inputs_.push_back(std::move(rows));
  }

  std::vector<OperatorPtr> inputs_;
  Duplicates duplicates_ = Duplicates::kKeep;  // of the rows of the inputs
};

}  // namespace

// ORDER BY and LIMIT over the combined rows.
Status Planner::SortCombined(const Select& select, PlannedQuery* combined) {
  Scope scope;
  for (const Column& column : combined->columns) {
    scope.columns.push_back({.name = column.label, .type = column.type});
  }
  Binder binder(this, &scope);
  std::vector<SortTerm> order;
  for (const OrderTerm& term : select.order_by) {
    SortTerm sort;
    const Expression& expression = *term.expression;
    const bool ordinal = expression.kind == Expression::Kind::kLiteral && IsWhole(expression.value.type());
    if (ordinal && expression.value.integer() >= 1 &&
        static_cast<size_t>(expression.value.integer()) <= combined->columns.size()) {
      const auto index = static_cast<size_t>(expression.value.integer()) - 1;
      sort.expression = MakeColumn(index, combined->columns[index].type);
    } else {
      KLIP_ASSIGN_OR_RETURN(sort.expression, binder.Bind(expression));
    }
    sort.descending = term.descending;
    sort.nulls_last = term.nulls_last.value_or(false);
    sort.text = SortText(expression, term);
    order.push_back(std::move(sort));
  }
  BoundExpression* limit = nullptr;
  BoundExpression* offset = nullptr;
  if (select.limit != nullptr) {
    KLIP_ASSIGN_OR_RETURN(limit, BindCount(&binder, *select.limit));
  }
  if (select.offset != nullptr) {
    KLIP_ASSIGN_OR_RETURN(offset, BindCount(&binder, *select.offset));
  }
  if (!order.empty()) {
    combined->root = MakeSort(std::move(combined->root), std::move(order), limit, offset);
  }
  if (limit != nullptr || offset != nullptr) {
    combined->root = MakeLimit(std::move(combined->root), limit, offset);
  }
  return Status::Ok();
}

Expected<PlannedQuery> Planner::PlanSetOperations(const Select& select, Scope* outer,
                                                  std::vector<Scope::Correlation>* correlations) {
  keepable_ = false;
  KLIP_ASSIGN_OR_RETURN(PlannedQuery whole, PlanBlock(select, /*part=*/true, outer, correlations));
  std::vector<PlannedQuery> operands;
  operands.push_back({.root = std::move(whole.root), .columns = {}, .parameters = std::move(whole.parameters)});
  whole.parameters.assign(whole.columns.size(), {});
  for (Column& column : whole.columns) {
    column.source = "unionSchemaName.unionTableName";  // as Phoenix calls it
  }
  for (const SetOperand& operand : select.set_operands) {
    KLIP_ASSIGN_OR_RETURN(PlannedQuery query, PlanSelect(*operand.select, outer, correlations));
    KLIP_RETURN_IF_ERROR(ShareTypes(query.columns, &whole.columns));
    operands.push_back(std::move(query));
  }
  for (PlannedQuery& operand : operands) {
    for (size_t i = 0; i < whole.columns.size(); ++i) {
      operand.Suggest(i, whole.columns[i].type);
      if (whole.columns[i].type.type == Type::kNull) {  // all operands have parameters there, or NULL
        std::ranges::move(operand.parameters[i], std::back_inserter(whole.parameters[i]));
      }
    }
    KLIP_ASSIGN_OR_RETURN(operand.root, WithTypes(std::move(operand.root), whole.columns));
  }
  Combination combination(std::move(operands[0].root));
  for (size_t i = 0; i < select.set_operands.size(); ++i) {
    combination.Add(select.set_operands[i].kind, std::move(operands[i + 1].root));
  }
  whole.root = combination.Take();
  KLIP_RETURN_IF_ERROR(SortCombined(select, &whole));
  return whole;
}

}  // namespace klip::sql
