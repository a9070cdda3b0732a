// Table::DistinctKeys through any ReadOperation.
#pragma once

#include <vector>

#include "klip/status.h"
#include "klip/table.h"
#include "table/read/read_operation.h"

namespace klip::table {

// Errors: those of Table::DistinctKeys.
Expected<std::vector<KeyCount>> DistinctKeys(const ReadOperation& read, int fields, bool count_rows);

}  // namespace klip::table
