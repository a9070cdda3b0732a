// Converts bytes back to conditions on key fields, for programs that read by ranges and filters without a schema.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "filter/rows/row_set.h"
#include "klip/query.h"
#include "klip/row_key.h"

namespace klip::rowkey {

// A query that matches all rows of `range` that are in `rows` (null: all rows of the range). It matches more rows if the
// query language cannot express the set. nullopt: no field is restricted, no row matches, or the query would have too
// many alternatives.
std::optional<KeyQuery> QueryOf(const RowKeySchema& schema, const RowRange& range, const filter::RowSet* rows);

// The query for this row alone. nullopt: the schema cannot produce it.
std::optional<KeyQuery> QueryOfRow(const RowKeySchema& schema, std::string_view row);

// The conditions of the scan's filter on columns, as far as an index could answer them. `types`: of columns, as in
// ColumnMatch. The types of other columns are guessed from the values: text; or a number, if all have the width of one;
// or bytes.
std::vector<ColumnMatch> ColumnsAskedBy(const Scan& scan,
                                        const std::map<std::pair<std::string, std::string>, std::string>& types);

}  // namespace klip::rowkey
