// The tables of a copy: checks and preparations before the first cell moves.
#pragma once

#include <string_view>
#include <vector>

#include "copy/copy_state.h"
#include "klip/copy.h"

namespace klip::copy {

// Keeps the requested families, with the requested compression. Errors: kNoSuchColumnFamily.
Status FitDescriptor(const CopyOptions& options, TableDescriptor* descriptor);

// The start keys except the first.
std::vector<std::string> SplitKeysOf(const std::vector<RegionInfo>& regions);

// Whether the target table must be created; if not, checks that it has the families.
Expected<bool> NeedsTable(Connection& target, std::string_view table, const TableDescriptor& descriptor);

// Creates the plan's table if it does not exist; otherwise returns the progress of an interrupted copy.
Expected<CopyState> OpenState(Connection& target, const CopyPlan& plan, const CopyOptions& options);

}  // namespace klip::copy
