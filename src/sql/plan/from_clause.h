// The tables of a query: their columns as one scope, and the operators that join them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/exec/table_scan.h"
#include "sql/plan/planner.h"

namespace klip::sql {

// An operand of AND in WHERE or ON.
struct Conjunct {
  BoundPtr condition;
  std::shared_ptr<const std::string> text;  // of the whole WHERE or ON, which all of its conjuncts share
  std::vector<size_t> columns;              // of the scope, that it reads, ascending
};

// One table or derived table in FROM, or a join of two nodes.
struct FromNode {
  TablePtr table;
  OperatorPtr derived;
  double sample = 1;        // of the table's rows
  size_t first_column = 0;  // in the scope
  size_t columns = 0;       // of both sides for a join
  JoinKind kind = JoinKind::kInner;
  std::unique_ptr<FromNode> left;
  std::unique_ptr<FromNode> right;
  std::vector<Conjunct> on;  // of a join; for a table, the conditions of the view over it
};

// An operator, and the positions of the scope's columns in its output.
struct FromPlan {
  OperatorPtr root;
  std::vector<size_t> places;  // of each column of the scope; kNoPlace: missing
  bool reorders = false;       // joins with subqueries above the scan may change the order of its rows
};
inline constexpr size_t kNoPlace = ~size_t{0};

// What the query requires from the scan of its only table.
struct ScanOrder {
  bool reversed = false;
  std::string index = {};            // in the order of this index; empty: of the rows
  bool stops_early = false;          // a LIMIT ends it
  BoundExpression* limit = nullptr;  // that limit; null if conditions may drop rows
  size_t distinct_prefix = 0;        // see TableScanSpec
};

// Splits a condition at its ANDs. REQUIRES: `columns` is the size of the scope.
std::vector<Conjunct> SplitConjuncts(BoundPtr condition, std::string text, size_t columns);

// Builds the operators of `node`. `conjuncts`: those of WHERE that may be evaluated there or below; what is not used
// stays in it. `used`: columns of the scope that anything reads.
Expected<FromPlan> BuildFrom(const PlanContext& context, FromNode* node, std::vector<Conjunct>* conjuncts,
                             const std::vector<bool>& used, const ScanOrder& order);

// Gives the columns of a query the names of WITH table (a, b) AS, which the query itself does not see. Errors: 601, another number of names.
Status NameColumns(const FromItem& item, std::vector<Column>* columns);

// A dynamic column of the table. Errors: 1001 (42I01), the table has no such family.
Expected<TableColumn> DynamicColumn(const TableDefinition& table, const ColumnDefinition& dynamic);

// The table with the columns of FROM table (name TYPE). Errors: 514, it has one of them; those of DynamicColumn.
Expected<TablePtr> WithDynamicColumns(TablePtr table, const std::vector<ColumnDefinition>& columns);

// The alias of its first table, or the table's name with its schema. A derived table that only selects rows is the table
// that it selects them from.
std::string NameOfFirst(const FromItem& item);

// Whether ON of a join in it calls the function of a row.
bool CallsInJoins(const FromItem& item, RowPart part);

// The share of the rows that TABLESAMPLE asks for: 12.5 is 0.125. Errors: 601, no number from 0 to 100.
Expected<double> SampleOf(const Value& percent);

}  // namespace klip::sql
