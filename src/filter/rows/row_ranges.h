// Lists of row ranges as sets: sorted, disjoint, merged where they touch.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "klip/filter.h"

namespace klip::filter {

// Whether the range is always empty.
bool IsEmptyRange(const RowRange& range);

bool RangeContains(const RowRange& range, std::string_view row);

// Sorts, drops empty ranges and merges those that overlap or touch.
std::vector<RowRange> NormalizeRanges(std::vector<RowRange> ranges);

// REQUIRES: both normalised. An empty result is the empty set.
std::vector<RowRange> IntersectRanges(const std::vector<RowRange>& a, const std::vector<RowRange>& b);

// The smallest row that the range can contain.
std::string FirstRowOf(const RowRange& range);

// The smallest string above all rows of the range; empty: none.
std::string EndOf(const RowRange& range);

}  // namespace klip::filter
