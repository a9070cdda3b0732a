// Truncates a region of a table that may have indexes.
#pragma once

#include <string_view>

#include "klip/status.h"
#include "table/info/shared.h"

namespace klip::table {

// Deletes all rows of the region that starts at `start_key`, and their entries in indexes. If the table has indexes, each
// row is deleted in one commit with its entries, so a crash cannot separate them. Errors: kTableNotFound,
// kInvalidArgument: no such region.
Status TruncateRegion(Shared* shared, std::string_view table, std::string_view start_key);

}  // namespace klip::table
