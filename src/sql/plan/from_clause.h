// The tables of a query: their columns as one scope, and the operators that join them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sql/exec/table_scan.h"
#include "sql/plan/planner.h"

namespace klip::sql {

// A condition of WHERE or ON that must hold by itself: an operand of AND.
struct Conjunct {
  BoundPtr condition;
  std::string text;
  std::vector<bool> columns;  // of the scope, that it reads
};

// One table or derived table in FROM, or a join of two nodes.
struct FromNode {
  TablePtr table;
  OperatorPtr derived;
  size_t first_column = 0;  // in the scope
  size_t columns = 0;       // of both sides for a join
  JoinKind kind = JoinKind::kInner;
  std::unique_ptr<FromNode> left;
  std::unique_ptr<FromNode> right;
  std::vector<Conjunct> on;  // of a join; of a table: what the view over it demands
};

// An operator, and where it has the scope's columns.
struct FromPlan {
  OperatorPtr root;
  std::vector<size_t> places;  // of each column of the scope; kNoPlace: not in it
};
inline constexpr size_t kNoPlace = ~size_t{0};

// What the query around asks of the scan of its only table.
struct ScanOrder {
  bool reversed = false;
  std::string index = {};            // in the order of this one; empty: of the rows
  bool stops_early = false;          // a LIMIT ends it
  BoundExpression* limit = nullptr;  // of that; null where conditions may drop rows
  size_t distinct_prefix = 0;        // see TableScanSpec
};

// Cuts a condition at its ANDs. REQUIRES: `columns` is the size of the scope.
std::vector<Conjunct> SplitConjuncts(BoundPtr condition, const std::string& text, size_t columns);

// Builds the operators of `node`. `conjuncts`: those of WHERE that may be checked there or below; what is not taken stays in it.
// `used`: columns of the scope that anything reads.
Expected<FromPlan> BuildFrom(const PlanContext& context, FromNode* node, std::vector<Conjunct>* conjuncts,
                             const std::vector<bool>& used, const ScanOrder& order);

}  // namespace klip::sql
