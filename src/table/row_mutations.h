// RowMutations: several mutations of one row as one step.
#pragma once

#include "klip/mutation.h"
#include "klip/status.h"
#include "table/write_step.h"

namespace klip::table {

// Errors: kWrongRow, and those of the single mutations.
Status CheckMutations(const TableInfo& info, const Limits& limits, const RowMutations& mutations);

// Results of increments and appends go to *result, one after the other.
Status AddMutations(const WriteStep& step, const RowMutations& mutations, Result* result);

Durability StrongestOf(const TableInfo& info, const RowMutations& mutations);

}  // namespace klip::table
