#include "sql/plan/index_filter.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "filter/filters/expression_condition.h"
#include "klip/comparator.h"
#include "rowkey/index_expression.h"
#include "sql/plan/implication.h"
#include "sql/plan/index_expression.h"
#include "sql/plan/push_down.h"
#include "sql/syntax/parser.h"

namespace klip::sql {
namespace {

PushDownFor WhatIndexesAnswer(const std::vector<IndexInfo>& indexes) {
  PushDownFor answers;
  for (const IndexInfo& info : indexes) {
    for (const IndexField& field : info.index.fields) {
      answers.letter_case =
          answers.letter_case || field.function == IndexFunction::kUpper || field.function == IndexFunction::kLower;
      answers.expressions = answers.expressions || !field.expression.empty();
    }
  }
  return answers;
}

// That the condition of the index is true; null: the scan's condition does not imply it.
FilterPtr ImpliedCondition(BoundExpression& condition, const TableDefinition& table, const std::vector<size_t>& columns,
                           const IndexDescriptor& index) {
  const Expected<ExpressionPtr> parsed = ParseExpression(index.condition);
  if (!parsed.ok()) {
    return nullptr;
  }
  const Expected<std::unique_ptr<TableExpression>> partial = TableExpression::Make(**parsed, table);
  if (!partial.ok() || !Implies(condition, (*partial)->bound(), [&](size_t column) { return columns[column]; })) {
    return nullptr;
  }
  return std::make_shared<filter::ExpressionCondition>((*partial)->identity(), CompareOp::kEqual,
                                                       BinaryComparator(std::string(rowkey::kTrue)));
}

}  // namespace

FilterPtr IndexFilter(BoundExpression& condition, const TableDefinition& table, const std::vector<size_t>& columns,
                      Catalog* catalog) {
  const std::shared_ptr<const OwnIndexes> indexes = catalog->OwnIndexesOf(table);
  FilterPtr filter = PushDown(
      condition, [&](size_t column) -> const TableColumn& { return table.columns[columns[column]]; },
      WhatIndexesAnswer(indexes->all));
  if (filter == nullptr) {
    return filter;
  }
  std::vector<FilterPtr> all = {filter};
  for (const IndexInfo& info : indexes->all) {
    FilterPtr implied =
        info.index.condition.empty() ? nullptr : ImpliedCondition(condition, table, columns, info.index);
    if (implied != nullptr) {
      all.push_back(std::move(implied));
    }
  }
  return all.size() == 1 ? filter : FilterList(ListOperator::kMustPassAll, std::move(all));
}

}  // namespace klip::sql
