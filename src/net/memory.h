// MemoryBudget: limits the memory of requests and answers, and divides it among connections. A connection may hold no
// more than is still free, so greedy connections always leave space: one can hold half of the budget, two a third each. A
// call that needs more is a large call. One large call runs at a time, and has its own budget. A lease that cannot be
// granted fails at once; nothing waits.
//
// Example: 90 MB. Connection A takes 45 MB: as much as is then free. B may take 22 MB, as 23 MB are left then. If A
// returns 15 MB, B may grow to 30 MB: both have a third.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>

namespace klip::net {

// What a connection holds. It outlives its leases.
struct MemoryShare {
  std::atomic<int64_t> taken = 0;
};

// Thread-safe.
class MemoryBudget {
 public:
  // `ordinary`: bytes for all leases except the large one, which may have up to `large`. `on_large` is called when a
  // lease becomes large. Without Limit, nothing is refused. Call it first.
  void Limit(int64_t ordinary, int64_t large, std::function<void()> on_large = {});

  // The most that anybody can ever hold.
  size_t largest() const { return static_cast<size_t>(std::max(ordinary_ / 2, large_)); }
  // Whether there is enough to hold memory for bytes that may never arrive, and leave half to calls.
  bool HasSpare() const { return taken_.load(std::memory_order_relaxed) <= ordinary_ / 2; }

 private:
  friend class MemoryLease;

  // False: the connection, or all together, hold too much. `share` null: of no connection.
  bool Take(MemoryShare* share, int64_t bytes);
  // For optional uses: also false if it would leave less than half to calls.
  bool TakeSpare(int64_t bytes);
  // Takes the bytes even beyond the limits.
  void Add(MemoryShare* share, int64_t bytes);
  void Give(MemoryShare* share, int64_t bytes) { Add(share, -bytes); }

  int64_t ordinary_ = std::numeric_limits<int64_t>::max();
  int64_t large_ = std::numeric_limits<int64_t>::max();
  std::function<void()> on_large_;
  std::atomic<int64_t> taken_ = 0;
  std::atomic<bool> large_is_taken_ = false;
};

// The memory that a request, a call, or an answer holds of a budget, until its destruction. Not thread-safe.
class MemoryLease {
 public:
  MemoryLease() = default;  // of no budget: unlimited
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

  // Holds `bytes` in total from now on, if available; else as many as before. Call it again as the bytes grow.
  bool Hold(size_t bytes) { return budget_ == nullptr || bytes <= held_ || HoldMore(bytes, /*step=*/1); }
  // The same in steps: for what grows gradually.
  bool HoldInSteps(size_t bytes);
  // The same for optional uses. REQUIRES: nothing is held yet.
  bool HoldSpare(size_t bytes);
  // Holds the bytes in any case: for memory in use already.
  void HoldAnyway(size_t bytes);
  // Releases what exceeds `bytes`.
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
  bool large_ = false;  // held_ is not in the ordinary account
};

}  // namespace klip::net
