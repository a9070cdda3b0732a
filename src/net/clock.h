// The clock for deadlines and durations.
#pragma once

#include <chrono>
#include <cstdint>

namespace klip::net {

// Microseconds of a clock that never jumps. Its zero is arbitrary.
inline int64_t MonotonicUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace klip::net
