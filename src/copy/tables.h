// The tables of a copy: what is checked and made before the first cell moves.
#pragma once

#include <string_view>
#include <vector>

#include "copy/copy_state.h"
#include "klip/copy.h"

namespace klip::copy {

// Only the families asked for, with the compression asked for. Errors: kNoSuchColumnFamily.
Status FitDescriptor(const CopyOptions& options, TableDescriptor* descriptor);

// Start keys but the first.
std::vector<std::string> SplitKeysOf(const std::vector<RegionInfo>& regions);

// Whether the target table has to be made, and that it has the families if not.
Expected<bool> NeedsTable(Connection& target, std::string_view table, const TableDescriptor& descriptor);

// Makes the table of the plan, where it is not there, and gives what an interrupted copy has noted, if the table is still there.
Expected<CopyState> OpenState(Connection& target, const CopyPlan& plan, const CopyOptions& options);

}  // namespace klip::copy
