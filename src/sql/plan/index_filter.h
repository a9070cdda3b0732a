// What a scan tells the store about its condition, so that the store's indexes can answer it.
#pragma once

#include <cstddef>
#include <vector>

#include "klip/filter.h"
#include "sql/catalog/catalog.h"
#include "sql/exec/expression.h"

namespace klip::sql {

// A filter that passes all rows that meet the condition (push_down.h), and names the partial indexes that contain all of these. Null: none.
// `columns`: the table's, of those in the condition.
FilterPtr IndexFilter(BoundExpression& condition, const TableDefinition& table, const std::vector<size_t>& columns,
                      Catalog* catalog);

}  // namespace klip::sql
