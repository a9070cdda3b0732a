// Queries as the lab asks them of each design.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "advise/sample.h"
#include "klip/advise.h"
#include "klip/row_key.h"
#include "klip/status.h"
#include "rowkey/query_names.h"

namespace klip::advise {

// What the conditions of a query need of a field, ordered by how much.
enum class FieldUse : uint8_t {
  kNone,
  kValues,  // equal to, one of, none of
  kPrefix,  // starts with
  kRange,
  kBytes,  // a mask
};

FieldUse UseOfMatch(const FieldMatch& match);

struct LabQuery {
  size_t index = 0;  // in Advice::queries
  KeyQuery where;
  double weight = 1;
  int64_t limit_rows = 0;
  struct Order {
    std::string field;
    bool descending = false;
  };
  std::vector<Order> order;  // what its rows must be sorted by

  FieldUse UseOf(std::string_view field) const;
  // It has one value in all rows of the query.
  bool Fixes(std::string_view field) const;
};

struct LabQueries {
  std::vector<LoggedQuery> logged;  // those in use
  std::vector<LabQuery> queries;
  std::vector<std::string> left_out;  // "day=x: why"
};

// Those that the table understands, at most `max_queries`: of queries that differ in their values only, some stand for all. Queries with
// a limit ask for the order that the schema gives. REQUIRES: `table` has a schema.
LabQueries QueriesFor(const std::vector<LoggedQuery>& logged, const rowkey::QueryNames& table, size_t max_queries,
                      uint64_t seed);

// The columns that the queries have conditions on, with their types.
ColumnTypes ColumnsOf(const LabQueries& queries);

// The rows of the query come in the order that it asks for, forwards or backwards.
bool KeepsOrder(const RowKeySchema& schema, const LabQuery& query);

}  // namespace klip::advise
