// The clock for deadlines and durations.
#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>

namespace klip::net {

// Microseconds of a clock that never jumps. Its zero is arbitrary.
inline int64_t MonotonicUs() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// Microseconds for which this thread has had a processor.
inline int64_t ProcessorUs() {
  timespec used = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return used.tv_sec * 1'000'000 + used.tv_nsec / 1000;
}

}  // namespace klip::net
