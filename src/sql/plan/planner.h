// Converts a parsed SELECT to operators.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "klip/sql.h"
#include "sql/catalog/catalog.h"
#include "sql/catalog/sequence.h"
#include "sql/exec/next_value.h"
#include "sql/exec/operator.h"
#include "sql/exec/session_tables.h"
#include "sql/plan/binder.h"
#include "sql/syntax/ast.h"

namespace klip::sql {

// What planning needs from the session.
struct PlanContext {
  const SessionTables* tables = nullptr;
  Catalog* catalog = nullptr;
  Sequences* sequences = nullptr;
  Execution* execution = nullptr;  // of the planned statement
  std::string schema;              // for tables named without one
  int threads = 1;
};

struct PlannedQuery {
  OperatorPtr root;
  std::vector<Column> columns;
  std::vector<std::vector<Constant*>> parameters = {};  // of each column: those without a type that it consists of

  // Gives a column that is such a parameter the type of what it is stored in or compared with.
  void Settle(size_t column, const DataType& type) const {
    for (Constant* const parameter : parameters[column]) {
      parameter->SetType(type);
    }
  }
};

class Planner final : public BinderHost {
 public:
  // `parameter_types`: what an earlier planner of the statement found; those that are missing follow from what stands beside them.
  explicit Planner(PlanContext context, std::vector<DataType> parameter_types = {})
      : context_(std::move(context)), parameter_types_(std::move(parameter_types)) {}

  // Errors: SQL errors.
  Expected<PlannedQuery> Plan(const Select& select) { return PlanSelect(select, nullptr, nullptr); }

  // The bytes of SPLIT ON, values of the first key column. Errors: 1105 (XCL05), one is not constant.
  Expected<std::vector<std::string>> SplitPoints(const CreateTable& create);

  // Constants to be set to the parameters' values, by position.
  std::vector<std::vector<Constant*>>& parameters() { return parameters_; }
  // Those from this position on, which the planner forgets: they do not belong to the statement.
  std::vector<std::vector<Constant*>> TakeParametersFrom(size_t position);
  // Gives parameters without a type VARCHAR, and returns the types.
  std::vector<DataType> SettleParameters(int count);
  // Whether some had no type when operators took it, so that the statement must be planned again, with their types.
  bool settled_late() const { return settled_late_; }

  const PlanContext& context() const { return context_; }
  // The named table, in the session's schema if none was written.
  Expected<TablePtr> FindTable(const TableName& name);
  // Whether a table found so far is declared TRANSACTIONAL.
  bool transactional() const { return transactional_; }

  // Whether the plans so far can be kept for the next execution at no cost: they hold no rows, and the tables that they
  // read tell by IsCurrent whether they changed.
  bool keepable() const { return keepable_; }
  // Whether the tables found so far are still what they were.
  bool IsCurrent() const;

  // Whether the plans so far read the HBase table of that name.
  bool Reads(const std::string& physical_name) const { return tables_read_.contains(physical_name); }

  // --- BinderHost ---
  void AddParameter(int position, Constant* parameter) override;
  Expected<OperatorPtr> PlanSubquery(const Select& select, Scope* outer, std::vector<Scope::Correlation>* correlations,
                                     OuterKeys* keys) override;
  Expected<BoundPtr> BindNextValue(const Expression& next, BoundPtr count) override;
  Status CountWindow() override;
  Execution* execution() override { return context_.execution; }

 private:
  Expected<PlannedQuery> PlanSelect(const Select& select, Scope* outer, std::vector<Scope::Correlation>* correlations);
  Expected<PlannedQuery> PlanBlock(const Select& select, bool part, Scope* outer,
                                   std::vector<Scope::Correlation>* correlations, OuterKeys* keys = nullptr);
  // The number of a LIMIT or OFFSET, which this planner owns.
  Expected<BoundExpression*> BindCount(Binder* binder, const Expression& count);
  // set_operations.cc
  Expected<PlannedQuery> PlanSetOperations(const Select& select, Scope* outer,
                                           std::vector<Scope::Correlation>* correlations);
  Status SortCombined(const Select& select, PlannedQuery* combined);

  bool transactional_ = false;
  bool keepable_ = true;
  bool settled_late_ = false;
  int windows_ = 0;
  std::vector<std::pair<TableName, TablePtr>> found_;
  PlanContext context_;
  std::vector<DataType> parameter_types_;
  std::set<std::string> tables_read_;
  std::map<std::string, std::shared_ptr<NumbersOfRows>> sequence_rows_;  // by the sequence's name
  std::vector<std::vector<Constant*>> parameters_;
  std::vector<BoundPtr> limits_;  // for LIMIT and OFFSET; operators point to them

  friend class QueryBlock;
};

}  // namespace klip::sql
