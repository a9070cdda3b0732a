// ORDER BY with a LIMIT, answered from the order of an index (docs/indexes.md) without a sort.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "klip/index.h"
#include "sql/exec/operator.h"
#include "sql/plan/from_clause.h"

namespace klip::sql {

// The index, if its entries tell all that the query asks: WHERE is about its columns alone and lets no row pass in which one of them is
// NULL, as those have no entry. `order` and `where` are bound to the columns of the table. Empty: there is none. *reversed: it is read
// from its end.
std::string IndexInOrder(const TableDefinition& table, const std::vector<IndexInfo>& indexes,
                         std::span<const SortTerm> order, std::span<const Conjunct> where, bool* reversed);

}  // namespace klip::sql
