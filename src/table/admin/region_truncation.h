// Truncating a region of a table that may have indexes.
#pragma once

#include <string_view>

#include "klip/status.h"
#include "table/info/shared.h"

namespace klip::table {

// Deletes all rows of the region that begins at `start_key`, and their entries in indexes. Of a table with indexes each row goes in one
// commit with its entries, also when the process is killed meanwhile. Errors: kTableNotFound, kInvalidArgument: no such region.
Status TruncateRegion(Shared* shared, std::string_view table, std::string_view start_key);

}  // namespace klip::table
