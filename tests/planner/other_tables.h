// Tables of kinds that skew_tables.h and mixed_tables.h lack: delimited texts of all lengths, users that belong to one tenant below a hash
// or a salt, bursts of reversed timestamps, late fields that decide one another, rows that are deleted or expire in turn or side by side,
// a field with one value, one row, no row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "planner/mixed_tables.h"

namespace klip::ops {

// Most have `rows` rows.
std::vector<MixedTable> MakeOtherTables(size_t rows, uint64_t seed);

}  // namespace klip::ops
