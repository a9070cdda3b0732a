// Converts bytes back to conditions on key fields, for programs that read by ranges and filters without a schema.
#pragma once

#include <optional>
#include <string_view>

#include "filter/rows/row_set.h"
#include "klip/row_key.h"

namespace klip::rowkey {

// A query that matches all rows of `range` that are in `rows` (null: all rows of the range). It matches more rows if the
// query language cannot express the set. nullopt: no field is restricted, no row matches, or the query would have too
// many alternatives.
std::optional<KeyQuery> QueryOf(const RowKeySchema& schema, const RowRange& range, const filter::RowSet* rows);

// The query for this row alone. nullopt: the schema cannot produce it.
std::optional<KeyQuery> QueryOfRow(const RowKeySchema& schema, std::string_view row);

}  // namespace klip::rowkey
