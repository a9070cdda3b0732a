// The order in which inner joins take their tables.
#pragma once

#include <vector>

#include "sql/plan/from_clause.h"

namespace klip::sql {

// Where FROM lists tables so that some are joined without an equality, although others in between would connect them, changes the joins
// below `node` to an order that takes such others first: the smallest of those that are connected to the tables so far. Joins that are not
// inner ones stay as they are, and count as a table. `where`: the conditions above the joins.
//
// Example: FROM a, b, c WHERE a.k = c.k AND b.k = c.k makes (a, c), b of (a, b), c.
void OrderJoins(const PlanContext& context, FromNode* node, const std::vector<Conjunct>& where);

}  // namespace klip::sql
