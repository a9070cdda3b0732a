// Comparators in the filter language: 'type:value'.
#pragma once

#include <string_view>

#include "klip/filter.h"

namespace klip::filter {

// "binary:abc". HBase has binary, binaryprefix, regexstring, regexstringnocase and substring; klip also null, long:5,
// bit:AND:abc, bigdecimal:1.5, component:3:abc and regex:FLAGS:CHARSET:ENGINE:pattern. Errors: kInvalidArgument.
Expected<ComparatorPtr> ParseComparator(std::string_view text, FilterNames names);

}  // namespace klip::filter
