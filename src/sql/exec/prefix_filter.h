// SELECT DISTINCT of the first columns of a key reads one row for each of their values and jumps to the next value: Phoenix's
// DistinctPrefixFilter.
#pragma once

#include "klip/filter.h"
#include "sql/catalog/table_definition.h"

namespace klip::sql {

// Passes the first row of each value of the first `columns` key columns, perhaps more. Embedded stores only: no server knows it.
// REQUIRES: Phoenix's key bytes, no salt, 0 < columns <= key columns.
FilterPtr FirstOfPrefixFilter(TablePtr table, size_t columns);

}  // namespace klip::sql
