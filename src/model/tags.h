// HBase's tag bytes: (length 2, type 1, data)*.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace klip::model {

std::string TtlTag(int64_t ttl_ms);
// The cell's own TTL in ms from its tags, or -1.
int64_t TtlFromTags(std::string_view tags);

}  // namespace klip::model
