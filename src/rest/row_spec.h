// The part of a URL that selects rows, columns, timestamps: row[,end][/column[,column...][/timestamp[,end]]]. As HBase
// 2.6's RowSpec, oddities included. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "klip/cell.h"
#include "klip/filter.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"
#include "rest/message.h"

namespace klip::rest {

struct RowSpec {
  std::string row;      // or the first of a range
  std::string end_row;  // after the last
  bool is_range = false;
  std::vector<std::string> columns;  // "family" or "family:qualifier"
  TimeRange time_range = {};
  bool has_timestamp = false;  // a single timestamp was given: time_range is everything below it
  int32_t max_versions = 1;
  int64_t max_values = INT64_MAX;  // cells in the answer
};

// `path`: the segments after the table. Errors: kInvalidArgument naming what is wrong.
Expected<RowSpec> ParseRowSpec(std::span<const std::string> path, const Request& request);

// Reads where=, in the language of Table::ParseQuery, into the table's scan. Errors: those of ParseQuery.
Status QueryWhere(const Request& request, const Table& table, Scan* scan);

// The filter of filter= or filter_b64= in HBase's language; null without them. Errors: kInvalidArgument.
Expected<FilterPtr> QueryFilter(const Request& request);

// "f", "f:" (the empty qualifier) or "f:q".
ColumnSpec ParseColumn(std::string_view column);

// Base64 of any bytes, with padding; the inverse ignores no character. Errors: kInvalidArgument.
std::string Base64(std::string_view bytes);
Expected<std::string> FromBase64(std::string_view text);

// A whole number. Errors: kInvalidArgument naming `what`.
Expected<int64_t> ParseNumber(std::string_view text, std::string_view what);

}  // namespace klip::rest
