// NEXT VALUE FOR and CURRENT VALUE FOR.
#pragma once

#include "sql/catalog/sequence.h"
#include "sql/exec/expression.h"

namespace klip::sql {

// Takes a number for each row, all rows of a batch at once. `sequences` must outlive it. Errors: 1201, no such sequence.
Expected<BoundPtr> MakeNextValue(Sequences* sequences, const TableName& name);
BoundPtr MakeCurrentValue(Sequences* sequences, const TableName& name);

}  // namespace klip::sql
