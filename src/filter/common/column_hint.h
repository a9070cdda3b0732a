// Shared by filters that jump between columns.
#pragma once

#include <string_view>

#include "klip/filter_state.h"

namespace klip::filter {

// Hints at the first cell of the column, in the row and family of `current`.
inline void HintColumn(const Cell& current, std::string_view qualifier, CellHint* hint) {
  hint->row.assign(current.row);
  hint->family.assign(current.family);
  hint->qualifier.assign(qualifier);
  hint->timestamp_ms = kLatestTimestamp;
  hint->has_column = true;
}

}  // namespace klip::filter
