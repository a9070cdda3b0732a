#include "copy/throttle.h"

#include <algorithm>

namespace klip::copy {

void Throttle::Pass(int64_t bytes, int64_t rows) {
  if (bytes_per_s_ <= 0 && rows_per_s_ <= 0) {
    return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait_until(lock, ReserveLocked(Clock::now(), bytes, rows), [this] { return cancelled_; });
}

Throttle::Clock::time_point Throttle::Reserve(Clock::time_point now, int64_t bytes, int64_t rows) {
  const std::scoped_lock lock(mutex_);
  return ReserveLocked(now, bytes, rows);
}

Throttle::Clock::time_point Throttle::ReserveLocked(Clock::time_point now, int64_t bytes, int64_t rows) {
  double seconds = 0;
  if (bytes_per_s_ > 0) {
    seconds = static_cast<double>(bytes) / static_cast<double>(bytes_per_s_);
  }
  if (rows_per_s_ > 0) {
    seconds = std::max(seconds, static_cast<double>(rows) / static_cast<double>(rows_per_s_));
  }
  // Unused time is not saved up.
  const Clock::time_point start = std::max(free_at_, now);
  free_at_ = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  return start;
}

void Throttle::Cancel() {
  const std::scoped_lock lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
}

}  // namespace klip::copy
