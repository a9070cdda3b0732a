// AccessSampler: which accesses of a thread are looked at, so that counting where a table is hot, or what is asked of it, costs next to
// nothing: one subtraction for most of them, however many there are.
#pragma once

#include <cstdint>

namespace klip::table {

// Of one thread.
class AccessSampler {
 public:
  // `looks_a_second`: what it is to come to when there are many accesses.
  constexpr explicit AccessSampler(int64_t looks_a_second = 640) : most_looks_(looks_a_second / 10) {}

  static AccessSampler& OfThread() {
    static thread_local constinit AccessSampler sampler;
    return sampler;
  }

  // Takes note of `count` accesses. Not 0: the last of them stands for so many, all since the one before that did.
  int64_t Hit(int64_t count) {
    left_ -= count;
    return left_ > 0 ? 0 : Draw();
  }
  // Whether Hit(count) would say so.
  bool Near(int64_t count) const { return left_ <= count; }

 private:
  int64_t Draw();

  int64_t most_looks_;  // in a window
  int64_t left_ = 1;
  int64_t drawn_ = 1;      // what left_ began with
  int64_t period_ = 1;     // mean of what is drawn
  int64_t window_us_ = 0;  // when the window began in which looks are counted
  int64_t looks_ = 0;
  uint64_t random_ = 0x9E3779B97F4A7C15;
};

}  // namespace klip::table
