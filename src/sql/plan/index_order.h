// ORDER BY with a LIMIT, answered from the order of an index (docs/indexes.md) without sorting.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "sql/catalog/catalog.h"
#include "sql/exec/operator.h"
#include "sql/plan/from_clause.h"

namespace klip::sql {

// The index, if its entries suffice for the query: WHERE concerns only its columns and expressions, and passes no row in which one of
// them is NULL, as such rows have no entry. `order` and `where` are bound to the columns of the table. Empty: none.
// *reversed: read backwards.
std::string IndexInOrder(const TableDefinition& table, const OwnIndexes& indexes, std::span<const SortTerm> order,
                         std::span<const Conjunct> where, bool* reversed);

}  // namespace klip::sql
