#include "table/info/heat_sampler.h"

#include <algorithm>
#include <chrono>

namespace klip::table {

int64_t HeatSampler::Draw() {
  // TUNING: 1,000 to 4,000 looks a second, each of less than a microsecond, are 0.2 % of a core at most; and the more often, the
  // finer is what is rare.
  constexpr int64_t kShortUs = 250;
  constexpr int64_t kLongUs = 1000;
  constexpr int64_t kMaxPeriod = 512;
  const int64_t passed = drawn_ - left_;
  const int64_t now_us =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count();
  const int64_t gap_us = now_us - last_us_;
  last_us_ = now_us;
  if (gap_us < kShortUs) {
    period_ = std::min(period_ * 2, kMaxPeriod);
  } else if (gap_us > kLongUs) {
    period_ = gap_us > 64 * kLongUs ? 1 : std::max<int64_t>(period_ / 2, 1);
  }
  // Not always the same number: accesses that alternate would be seen by halves.
  random_ ^= random_ << 13U;
  random_ ^= random_ >> 7U;
  random_ ^= random_ << 17U;
  drawn_ = left_ = 1 + static_cast<int64_t>(random_ % static_cast<uint64_t>(2 * period_ - 1));
  return passed;
}

}  // namespace klip::table
