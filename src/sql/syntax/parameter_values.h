// The parameters of definitions.
#pragma once

#include <span>

#include "sql/syntax/ast.h"

namespace klip::sql {

// Replaces the parameters of a definition, which is kept as text, by literals: DEFAULT ?. Those of other statements stay.
// REQUIRES: a value for each.
void PutValues(std::span<const Value> values, ParsedStatement* statement);

}  // namespace klip::sql
