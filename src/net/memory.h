// MemoryBudget: limits the memory of requests and answers, and divides it among connections. A connection may hold no more than is still
// free, so greedy connections always leave room: one can hold half of the budget, two a third each. A call that needs more than that is
// a large call. One large call runs at a time, and has its own budget. A lease that cannot be granted is refused at once; nobody waits.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace klip::net {

// What a connection has. It outlives its leases.
struct MemoryShare {
  std::atomic<int64_t> taken = 0;
};

// Thread-safe.
class MemoryBudget {
 public:
  // `ordinary` bytes of all leases but the large one, which has up to `large`. `on_large` is called when one becomes large. Without it
  // nothing is refused. Before anything is taken.
  void Limit(int64_t ordinary, int64_t large, std::function<void()> on_large = {});

  // Nobody can ever hold more.
  size_t largest() const { return static_cast<size_t>(std::max(ordinary_ / 2, large_)); }
  // Whether there is so much that half is left for calls if it is held for what may never come.
  bool HasSpare() const { return taken_.load(std::memory_order_relaxed) <= ordinary_ / 2; }

 private:
  friend class MemoryLease;

  // False: too much is taken already, by the connection or by all. `share` null: of none.
  bool Take(MemoryShare* share, int64_t bytes);
  // For what can be done without: false as well where it would leave less than half to calls.
  bool TakeSpare(int64_t bytes);
  // However much is taken already.
  void Add(MemoryShare* share, int64_t bytes);
  void Give(MemoryShare* share, int64_t bytes) { Add(share, -bytes); }

  int64_t ordinary_ = std::numeric_limits<int64_t>::max();
  int64_t large_ = std::numeric_limits<int64_t>::max();
  std::function<void()> on_large_;
  std::atomic<int64_t> taken_ = 0;
  std::atomic<bool> large_is_taken_ = false;
};

// What a request, a call, or an answer holds of a budget, until its end. Not thread-safe.
class MemoryLease {
 public:
  MemoryLease() = default;  // of no budget: holds anything
  MemoryLease(MemoryBudget* budget, MemoryShare* share) : budget_(budget), share_(share) {}
  ~MemoryLease() { Shrink(0); }
  MemoryLease(MemoryLease&& other) noexcept { *this = std::move(other); }
  MemoryLease& operator=(MemoryLease&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(share_, other.share_);
    std::swap(held_, other.held_);
    std::swap(large_, other.large_);
    return *this;
  }

  // Holds `bytes` in all from now on, if there are so many; else as many as before. To be called again as the bytes get more.
  bool Hold(size_t bytes) { return budget_ == nullptr || bytes <= held_ || HoldMore(bytes, /*step=*/1); }
  // The same, by steps: for what grows little by little.
  bool HoldInSteps(size_t bytes);
  // The same for what can be done without. REQUIRES: nothing is held yet.
  bool HoldSpare(size_t bytes);
  // The same whether there are so many or not: for what is there already.
  void HoldAnyway(size_t bytes);
  // Holds no more than that.
  void Shrink(size_t bytes);
  void Release() { Shrink(0); }

  size_t held() const { return held_; }
  bool is_large() const { return large_; }
  MemoryBudget* budget() const { return budget_; }

 private:
  bool HoldMore(size_t bytes, size_t step);
  bool BecomeLarge(size_t bytes);

  MemoryBudget* budget_ = nullptr;
  MemoryShare* share_ = nullptr;
  size_t held_ = 0;
  bool large_ = false;  // held_ is not of the ordinary account
};

}  // namespace klip::net
