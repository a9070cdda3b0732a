// Random choices from a printed seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace klip::ops {

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  // 0 .. n - 1.
  size_t Below(size_t n) { return static_cast<size_t>(engine_() % n); }
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(Below(static_cast<size_t>(high - low + 1)));
  }
  bool OneIn(size_t n) { return Below(n) == 0; }
  template <typename T>
  const T& Pick(const std::vector<T>& choices) {
    return choices[Below(choices.size())];
  }
  uint64_t Bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

// KLIP_SEED, or a fixed one.
uint64_t SeedFromEnvironment(uint64_t otherwise);
// An environment variable as a number.
int64_t NumberFromEnvironment(const char* name, int64_t otherwise);

}  // namespace klip::ops
