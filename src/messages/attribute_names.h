// Attributes that HBase's clients send for what klip's operations have as fields.
#pragma once

#include <string_view>

namespace klip::messages {

inline constexpr std::string_view kRawAttribute = "_raw_";     // of a Scan: a true byte
inline constexpr std::string_view kTtlAttribute = "_ttl";      // of a mutation: 8 bytes, in ms
inline constexpr std::string_view kResultsAttribute = "_rr_";  // of an Increment or Append: whether to return the cells

}  // namespace klip::messages
