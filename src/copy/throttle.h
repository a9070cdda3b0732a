// Limits the workers of a copy together to so many bytes and rows a second.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace klip::copy {

class Throttle {
 public:
  using Clock = std::chrono::steady_clock;

  // 0: no limit.
  Throttle(int64_t bytes_per_s, int64_t rows_per_s) : bytes_per_s_(bytes_per_s), rows_per_s_(rows_per_s) {}

  // Waits until so much more may pass, or Cancel is called.
  void Pass(int64_t bytes, int64_t rows);
  void Cancel();

  // When so much more may pass, if it is `now`. What passes then delays what comes after it.
  Clock::time_point Reserve(Clock::time_point now, int64_t bytes, int64_t rows);

 private:
  Clock::time_point ReserveLocked(Clock::time_point now, int64_t bytes, int64_t rows);

  const int64_t bytes_per_s_;
  const int64_t rows_per_s_;
  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point free_at_ = Clock::now();  // guarded by mutex_: when what has passed so far is used up
  bool cancelled_ = false;                    // guarded by mutex_
};

}  // namespace klip::copy
