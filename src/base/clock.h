// The system's clock, in the unit of timestamps.
#pragma once

#include <chrono>
#include <cstdint>

namespace klip::base {

// Milliseconds since 1970.
inline int64_t SystemMs() {
  using std::chrono::milliseconds;
  return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace klip::base
