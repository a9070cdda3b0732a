// Filters as text, for op files: the filter language (klip::ParseFilter), with all names, in toStringBinary's form:
//
//   PrefixFilter('a\x00')  "PrefixFilter('a') AND PageFilter(2)"  SingleColumnValueFilter('f','q',=,'binary:v',true,false)
//   FuzzyRowFilter('a?c','??d')  FuzzyMask('key','010',...)  MultiRowRangeFilter('a',true,'b',false,...)
//   RandomRowFilter(0.5)  FilterAllFilter()  FilterList(MUST_PASS_ALL)  RowFilter(NO_OP,'null:')  ValueFilter(<,'long:5')
//
// docs/filters.md has all of it.
#pragma once

#include <string_view>

#include "klip/filter.h"
#include "klip/status.h"

namespace klip::ops {

Expected<FilterPtr> ParseFilterText(std::string_view text);

// "=", "<=", ...; anything else is an error.
Expected<CompareOp> ParseCompareOp(std::string_view text);

}  // namespace klip::ops
