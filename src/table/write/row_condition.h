// RowCondition: the test of CheckAndMutate and AtomicBatch.
#pragma once

#include <cstdint>
#include <string_view>

#include "klip/mutation.h"
#include "klip/status.h"
#include "table/info/checks.h"
#include "table/info/table_info.h"
#include "table/read/row_source.h"

namespace klip::table {

struct ConditionOutcome {
  bool holds = false;
  int64_t cell_ms = 0;  // of the cell that was read; puts of the same operation are at least as new
};

// Errors: kInvalidArgument (row, no condition at all), kNoSuchColumnFamily.
Status CheckCondition(const TableInfo& info, std::string_view row, const RowCondition& condition);

// REQUIRES: CheckCondition passed; the caller holds the row's lock.
Expected<ConditionOutcome> Evaluate(const RowSource& source, const TableInfo& info, std::string_view row,
                                    const RowCondition& condition);

}  // namespace klip::table
