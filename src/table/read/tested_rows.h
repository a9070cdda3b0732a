// Tests sampled rows of a table with all conditions of a scan, so that explain knows how many rows pass them: a filter, conditions on
// columns, columns that not every row has. Of keys alone, the planner knows more than that.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rowkey/scan_planner.h"
#include "table/read/scan_request.h"

namespace klip::table {

// At most so many, spread over all.
std::vector<std::string> SomeOf(const std::vector<std::string>& rows, size_t most);

// Reads up to some hundred rows, which takes some ms, or fewer if they are long; some thousand neighbours if few of them pass. `path`: to the
// rows whose keys the scan wants. nullopt: keys decide, there is no sample, or the filter remembers rows.
std::optional<rowkey::TestedRows> TestRows(const ScanRequest& request, const rowkey::AccessPath& path);

}  // namespace klip::table
