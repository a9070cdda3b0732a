// Reads a table's rows into columns.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "filter/rows/row_set.h"
#include "sql/catalog/table_definition.h"
#include "sql/exec/operator.h"
#include "sql/exec/session_tables.h"

namespace klip::sql {

// Which rows can meet a condition: single ones, in the order of keys; else those of a set; without either all.
struct RowsWanted {
  std::vector<std::string> points;
  std::shared_ptr<const filter::RowSet> set;
};

struct TableScanSpec {
  const SessionTables* tables = nullptr;
  TablePtr table;
  std::vector<size_t> columns;  // wanted, of table->columns; these are the operator's columns
  // Asked in each execution, since parameters are in it; null: all rows.
  std::function<Expected<RowsWanted>()> rows;
  // What the store may check before it gives out a row; null: nothing.
  std::function<FilterPtr()> filter;
  bool reversed = false;
  std::string order_by_index;           // in place of the order of the rows
  std::function<Status()> check_order;  // whether this index is still the one that was planned with; null: no index
  int threads = 1;
  // Not 0: one row is enough for each value of so many first columns of the key.
  size_t distinct_prefix = 0;
  double sample = 1;  // the part of the rows that is wanted
  // So many rows are wanted, as a whole number; null: all.
  BoundExpression* limit = nullptr;
  std::function<void(ExplainLines*)> explain;
};

OperatorPtr MakeTableScan(TableScanSpec spec);

// Decodes one value. Errors: 201 (22000), bytes that the type cannot have.
Status DecodeInto(std::string_view bytes, const DataType& type, bool descending, size_t row, Vector* out);

}  // namespace klip::sql
