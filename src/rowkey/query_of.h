// What a scan or get of a program that knows nothing of the row-key schema asks of the key's fields: from bytes back to conditions.
#pragma once

#include <optional>
#include <string_view>

#include "filter/rows/row_set.h"
#include "klip/row_key.h"

namespace klip::rowkey {

// The query that names the rows of `range` that are in `rows` (null: all of it), or some more where they have no words in the query
// language. nullopt: no field is restricted, no row fits, or there are too many alternatives to write down.
std::optional<KeyQuery> QueryOf(const RowKeySchema& schema, const RowRange& range, const filter::RowSet* rows);

// The query for this row alone. nullopt: the schema cannot have made it.
std::optional<KeyQuery> QueryOfRow(const RowKeySchema& schema, std::string_view row);

}  // namespace klip::rowkey
