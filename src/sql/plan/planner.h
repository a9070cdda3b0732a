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
#include "sql/exec/parameters.h"
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
  std::vector<std::vector<SlotPtr>> parameters = {};  // of each column: those without a type that it consists of

  // Suggests the type of what the column is stored in or compared with to such parameters.
  void Suggest(size_t column, const DataType& type) const {
    for (const SlotPtr& parameter : parameters[column]) {
      parameter->Suggest(type);
    }
  }
};

class Planner final : public BinderHost {
 public:
  Planner(PlanContext context, Parameters parameters)
      : context_(std::move(context)), parameters_(std::move(parameters)) {}

  // Errors: SQL errors.
  Expected<PlannedQuery> Plan(const Select& select) { return PlanSelect(select, nullptr, nullptr); }

  // The bytes of SPLIT ON, values of the first key column. Errors: 1105 (XCL05), one is not constant.
  Expected<std::vector<std::string>> SplitPoints(const CreateTable& create);

  Parameters& parameters() { return parameters_; }

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
  void NeedValues() override { parameters_.NeedValues(); }
  BoundPtr Parameter(int position) override { return parameters_.Read(static_cast<size_t>(position)); }
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
  int windows_ = 0;
  std::vector<std::pair<TableName, TablePtr>> found_;
  PlanContext context_;
  std::set<std::string> tables_read_;
  std::map<std::string, std::shared_ptr<NumbersOfRows>> sequence_rows_;  // by the sequence's name
  Parameters parameters_;
  std::vector<BoundPtr> limits_;  // for LIMIT and OFFSET; operators point to them

  friend class QueryBlock;
};

}  // namespace klip::sql
