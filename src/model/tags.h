// HBase's tag bytes: (length 2, type 1, data)*.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace klip::model {

std::string TtlTag(int64_t ttl_ms);
// Whether the bytes are (length, type, data)* to their end, and short enough for a cell.
bool AreTags(std::string_view tags);
// The tags without a TTL. REQUIRES: AreTags(tags).
std::string WithoutTtl(std::string_view tags);
// The cell's own TTL in ms from its tags, or -1.
int64_t TtlFromTags(std::string_view tags);

}  // namespace klip::model
