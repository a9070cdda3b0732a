// RowCondition: the test of CheckAndMutate and AtomicBatch.
#pragma once

#include <cstdint>
#include <string>

#include "engine/store/store.h"
#include "klip/mutation.h"
#include "klip/status.h"
#include "table/checks.h"
#include "table/table_info.h"

namespace klip::table {

struct ConditionOutcome {
  bool holds = false;
  int64_t cell_ms = 0;  // of the cell looked at; puts of the same step are at least as new
};

// Errors: kInvalidArgument (row, no condition at all), kNoSuchColumnFamily.
Status CheckCondition(const TableInfo& info, const std::string& row, const RowCondition& condition);

// REQUIRES: CheckCondition passed; the caller holds the row's lock.
Expected<ConditionOutcome> Evaluate(const engine::Store& store, const TableInfo& info, const Limits& limits,
                                    const std::string& row, const RowCondition& condition);

}  // namespace klip::table
