// Filters as text, in the manner of HBase's filter language, for op files:
//
//   PrefixFilter('ab')  RowFilter(>=,'binary:ab')  InclusiveStopFilter('ab')  PageFilter(2)  FirstKeyOnlyFilter()
//   KeyOnlyFilter([true])  FuzzyRowFilter('a?c','??d')  FuzzyMask('key','010',...)  MultiRowRangeFilter('[a,b)','(c,]')
//   SingleColumnValueFilter('f','q',=,'binary:v'[,filterIfMissing[,latestVersionOnly]])  ALL(f,f,...)  ONE(f,f,...)
#pragma once

#include <string_view>

#include "klip/filter.h"
#include "klip/status.h"

namespace klip::ops {

Expected<FilterPtr> ParseFilterText(std::string_view text);

// "=", "<=", ...; anything else is an error.
Expected<CompareOp> ParseCompareOp(std::string_view text);

}  // namespace klip::ops
