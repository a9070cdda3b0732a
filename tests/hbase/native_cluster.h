// Operations that a real cluster supports and klip serve refuses: moving regions and taking them offline.
#pragma once

#include <cstddef>
#include <string>

namespace klip::ops {

// The number of steps that went wrong, each printed. Drops table "moved".
size_t CheckCluster(const std::string& uri);

}  // namespace klip::ops
