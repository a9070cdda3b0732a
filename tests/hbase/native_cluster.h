// What a real cluster does and klip's own server refuses: regions that move and go off line.
#pragma once

#include <cstddef>
#include <string>

namespace klip::ops {

// The number of steps that went wrong, each printed. Drops table "moved".
size_t CheckCluster(const std::string& uri);

}  // namespace klip::ops
