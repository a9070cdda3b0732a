#include "copy/throttle.h"

#include <algorithm>

namespace klip::copy {

void Throttle::Pass(int64_t bytes, int64_t rows) {
  if (bytes_per_s_ <= 0 && rows_per_s_ <= 0) {
    return;
  }
  double seconds = 0;
  if (bytes_per_s_ > 0) {
    seconds = static_cast<double>(bytes) / static_cast<double>(bytes_per_s_);
  }
  if (rows_per_s_ > 0) {
    seconds = std::max(seconds, static_cast<double>(rows) / static_cast<double>(rows_per_s_));
  }
  std::unique_lock lock(mutex_);
  // Unused time is not saved up.
  const Clock::time_point start = std::max(free_at_, Clock::now());
  free_at_ = start + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  changed_.wait_until(lock, start, [this] { return cancelled_; });
}

void Throttle::Cancel() {
  const std::scoped_lock lock(mutex_);
  cancelled_ = true;
  changed_.notify_all();
}

}  // namespace klip::copy
