// Queries in the form in which the lab evaluates them for each design.
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

// What the conditions of a query need from a field, in ascending order.
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
  std::vector<Order> order;  // required order of its rows

  FieldUse UseOf(std::string_view field) const;
  // Whether the field has one value in all rows of the query.
  bool Fixes(std::string_view field) const;
};

struct LabQueries {
  std::vector<LoggedQuery> logged;  // those in use
  std::vector<LabQuery> queries;
  std::vector<std::string> left_out;  // "day=x: why"
};

// The queries that the table understands, at most `max_queries`: among those that differ only in their values, some
// represent all. Queries with a limit require the schema's order. REQUIRES: `table` has a schema.
// `records`: of a table that does not exist yet, has all columns that queries may name; null: they may name any.
LabQueries QueriesFor(const std::vector<LoggedQuery>& logged, const rowkey::QueryNames& table,
                      const RecordSample* records, size_t max_queries, uint64_t seed);

// The columns in the queries' conditions, with their types.
ColumnTypes ColumnsOf(const LabQueries& queries);

// Whether the rows of the query come in the required order, forwards or backwards.
bool KeepsOrder(const RowKeySchema& schema, const LabQuery& query);

}  // namespace klip::advise
