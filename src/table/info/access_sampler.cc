#include "table/info/access_sampler.h"

#include <algorithm>
#include <chrono>

namespace klip::table {

int64_t AccessSampler::Draw() {
  // TUNING: 640 samples a second, of some microseconds each with their effect on other threads, are 0.2 % of a core.
  constexpr int64_t kWindowUs = 100'000;
  constexpr int64_t kMaxPeriod = 512;
  const int64_t passed = drawn_ - left_;
  const int64_t now_us =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
  ++looks_;
  if (now_us - window_us_ > kWindowUs) {
    period_ = now_us - window_us_ > 10 * kWindowUs ? 1
              : looks_ < most_looks_ / 4           ? std::max<int64_t>(period_ / 2, 1)
                                                   : period_;
    window_us_ = now_us;
    looks_ = 0;
  } else if (looks_ > most_looks_) {
    period_ = std::min(period_ * 2, kMaxPeriod);
    looks_ = 0;
  }
  // A random number: with a fixed one, accesses that alternate would all be of one kind.
  random_ ^= random_ << 13U;
  random_ ^= random_ >> 7U;
  random_ ^= random_ << 17U;
  drawn_ = left_ = 1 + static_cast<int64_t>(random_ % static_cast<uint64_t>(2 * period_ - 1));
  return passed;
}

}  // namespace klip::table
