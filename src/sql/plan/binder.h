// Resolves names and types: converts the parser's expressions to evaluable ones.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sql/exec/operator.h"
#include "sql/exec/subquery.h"
#include "sql/exec/window.h"
#include "sql/plan/label.h"
#include "sql/plan/scope.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// The groups and aggregates of a query: its other expressions refer to their columns, groups first.
struct Aggregation {
  struct Group {
    std::string identity;                // of the expression
    std::string text;                    // too, for EXPLAIN
    std::optional<size_t> scope_column;  // if it is a column
    DataType type;
  };
  std::vector<Group> groups;
  std::vector<AggregateCall> calls;
  std::vector<std::string> call_identities;
};

// The window functions of a query, by their windows. A call is referred to as column kWindowColumns plus its number, until
// PlaceWindows tells where the column is.
struct Windows {
  struct Call {
    std::string identity;
    size_t spec = 0;
    size_t index = 0;  // among the calls of the spec
  };
  std::vector<WindowSpec> specs;
  std::vector<std::string> windows;  // of the specs: their partitions and order, as texts
  std::vector<Call> calls;
};
inline constexpr size_t kWindowColumns = size_t{1} << 31U;

// Equalities of a subquery with columns of the query around it, by which it can be joined instead.
struct OuterKeys {
  bool only_exists = false;  // wanted is whether there are rows; their columns do not matter
  // What the query's last columns equal: a slot's value that stands for an outer column, perhaps converted.
  struct Key {
    size_t outer_column = 0;
    BoundPtr value;
  };
  std::vector<Key> keys;
};

// What binding needs from the surrounding statement.
class BinderHost {
 public:
  virtual ~BinderHost() = default;
  // Reads a parameter.
  virtual BoundPtr Parameter(int position) = 0;
  // Says that the statement can only be planned with the values of its parameters.
  virtual void NeedValues() = 0;
  // Plans a query nested in `outer`; records the columns of `outer` that it uses. `keys`, or null: if it uses them only in
  // equalities of its WHERE, these become keys, and it uses none.
  virtual Expected<OperatorPtr> PlanSubquery(const Select& select, Scope* outer,
                                             std::vector<Scope::Correlation>* correlations, OuterKeys* keys) = 0;
  // `count`: n of NEXT n VALUES FOR; null: none.
  virtual Expected<BoundPtr> BindNextValue(const Expression& next, BoundPtr count) = 0;
  // Counts a window, that is, a sort with all columns. Errors: an SQL error if there are too many.
  virtual Status CountWindow() = 0;
  virtual Execution* execution() = 0;
};

class Binder {
 public:
  // Both must outlive the binder; the host must outlive its results.
  Binder(BinderHost* host, Scope* scope) : host_(host), scope_(scope) {}

  // From now on, expressions refer to the aggregation's columns; it collects the aggregates that they call.
  void SetAggregation(Aggregation* aggregation) { aggregation_ = aggregation; }

  // Where calls of window functions are collected from now on; null: they are refused.
  void SetWindows(Windows* windows) { windows_ = windows; }

  // Whether sequences may be used from now on; at first they may. Else: error 1205.
  void AllowNextValues(bool allow) { next_values_ = allow; }

  // Where types and constants of expressions are noted from now on; null: nowhere.
  void SetNotes(BoundNotes* notes) { notes_ = notes; }

  // Whether Phoenix joins a subquery bound until now: one with IN, or with columns of this query.
  bool joins_subquery() const { return joins_subquery_; }

  // Errors: SQL errors.
  Expected<BoundPtr> Bind(const Expression& expression);
  Expected<BoundPtr> BindCondition(const Expression& expression);  // a BOOLEAN

 private:
  Expected<BoundPtr> BindNode(const Expression& expression);
  Expected<std::vector<BoundPtr>> BindAll(const std::vector<ExpressionPtr>& expressions);
  // 203 (22005) for the word NULL, which is no BOOLEAN.
  static Status RefuseNull(const Expression& condition);
  Expected<BoundPtr> BindLogic(const Expression& expression);
  Expected<BoundPtr> BindNot(const Expression& expression);
  Expected<BoundPtr> BindNextValue(const Expression& next);
  Expected<BoundPtr> BindColumn(const Expression& column);
  Expected<BoundPtr> BindCompare(const Expression& compare);
  Expected<BoundPtr> BindComparison(Compare compare, const Expression& a, const Expression& b);
  Expected<BoundPtr> BindRowCompare(Compare compare, const Expression& a, const Expression& b);
  Expected<BoundPtr> BindPartCompare(Compare compare, const Expression& a, const Expression& b);
  bool MayBeNull(const Expression& expression) const;
  Expected<BoundPtr> BindBetween(const Expression& between);
  Expected<BoundPtr> BindIn(const Expression& in);
  Expected<BoundPtr> BindRowFunction(const Expression& call);
  Expected<BoundPtr> BindFunctionCall(const Expression& call);
  Expected<BoundPtr> MakeCall(const std::string& name, std::vector<BoundPtr> operands);
  // The digits after the point that its columns declare, which AVG has too; -1: not known.
  int ScaleOf(const Expression& expression) const;
  void FixArgument(AggregateCall* call);
  Expected<BoundPtr> BindAggregate(const Expression& call);
  Expected<BoundPtr> BindWindow(const Expression& call);
  Expected<WindowCall> BindWindowCall(const Expression& call);
  Expected<size_t> FindWindowSpec(const Expression& call);
  Expected<BoundPtr> BindSubquery(const Expression& expression, bool negated);
  void NoteOperands(const Expression& expression);
  // The column of a group; null: not a group.
  Expected<BoundPtr> BindGroup(const Expression& expression);
  Expected<SubquerySpec> Subquery(const Select& select, OuterKeys* keys);
  // A column of the query around a subquery.
  Expected<BoundPtr> OuterColumn(size_t scope_column);
  Status AddLeft(const Expression& expression, SubquerySpec* spec);

  BinderHost* host_;
  Scope* scope_;
  Aggregation* aggregation_ = nullptr;
  bool in_aggregate_ = false;
  bool next_values_ = true;
  bool joins_subquery_ = false;
  Windows* windows_ = nullptr;
  BoundNotes* notes_ = nullptr;
};

// A function without a name in SQL: the bytes of the row key.
inline constexpr std::string_view kRowKeyFunction = "ROW KEY";
// What kRowKeyFunction, ROWKEY_BYTES_STRING and PHOENIX_ROW_TIMESTAMP are functions of; kNone: another function.
RowPart RowPartOf(std::string_view function);
// Whether it calls one of them, except in subqueries and windows.
bool CallsRowFunction(const Expression& expression, RowPart part);
// Whether it calls an aggregate function, except in subqueries.
bool HasAggregate(const Expression& expression);

// Adds the columns of the batch that it reads. Those of windows do not count, here and in MoveColumns.
void CollectColumns(BoundExpression& expression, std::vector<bool>* columns);
// Replaces column i by places[i].
void MoveColumns(BoundExpression* expression, const std::vector<size_t>& places);
// Replaces the column of window call i by places[i].
void PlaceWindows(BoundExpression* expression, const std::vector<size_t>& places);

}  // namespace klip::sql
