// NEXT VALUE FOR, NEXT n VALUES FOR and CURRENT VALUE FOR.
#pragma once

#include "sql/catalog/sequence.h"
#include "sql/exec/expression.h"

namespace klip::sql {

// Takes numbers for each row, those of all rows of a batch at once: as many as `count` says, of which the row gets the first; null: one.
// `sequences` must outlive it. Errors: 1201, no such sequence; 1215, the count is no positive whole number; 1216, a cycle has no blocks.
Expected<BoundPtr> MakeNextValue(Sequences* sequences, const TableName& name, BoundPtr count);
BoundPtr MakeCurrentValue(Sequences* sequences, const TableName& name);

}  // namespace klip::sql
