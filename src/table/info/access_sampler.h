// AccessSampler: samples a thread's accesses, so that heat maps and the query log cost next to nothing: for most accesses
// one subtraction. The share of sampled accesses falls as there are more of them.
//
// Example: the sampler draws 9 from 1 to 15, a period of 8 on average. Hit(1) returns 0 eight times, then 9: the ninth
// access is recorded with weight 9, for itself and those before it. All weights add up to the number of accesses.
#pragma once

#include <cstdint>

namespace klip::table {

// For one thread.
class AccessSampler {
 public:
  // `looks_a_second`: the maximum number of samples.
  constexpr explicit AccessSampler(int64_t looks_a_second = 640) : most_looks_(looks_a_second / 10) {}

  static AccessSampler& OfThread() {
    static thread_local constinit AccessSampler sampler;
    return sampler;
  }

  // Counts `count` accesses. Not 0: record the last of them with this weight. It stands for all since the previous
  // sample.
  int64_t Hit(int64_t count) {
    left_ -= count;
    return left_ > 0 ? 0 : Draw();
  }
  // Whether Hit(count) would return a weight.
  bool Near(int64_t count) const { return left_ <= count; }

 private:
  int64_t Draw();

  int64_t most_looks_;  // in a window
  int64_t left_ = 1;
  int64_t drawn_ = 1;      // the initial value of left_
  int64_t period_ = 1;     // the mean of the random initial values
  int64_t window_us_ = 0;  // start of the window in which samples are counted
  int64_t looks_ = 0;
  uint64_t random_ = 0x9E3779B97F4A7C15;
};

}  // namespace klip::table
