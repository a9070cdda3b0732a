// The bound on the process's memory (memory-limit): who gets how much of it, and how it is kept.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "klip/connection.h"

namespace klip::engine {
class Storage;
}

namespace klip::server {

inline constexpr int64_t kLeastMemoryLimit = 128 << 20;

// Sets the cache and the memtables for a process of `limit` bytes; 0: leaves them as they are.
void LimitStoreMemory(int64_t limit, ConnectionOptions* options);

// Bytes of calls that were received or are about to be, and of answers that clients have not taken. Thread-safe.
class MemoryBudget {
 public:
  // Without it nothing is refused. `unsent` outlives the budget. Before anything is taken.
  void Limit(int64_t process_limit, const std::atomic<int64_t>* unsent);

  // False: too much is taken already. One call at a time gets what it wants, however much that is.
  bool Take(size_t bytes);
  // However much it is, for the call whose `held` bytes are all that is taken; else false.
  bool TakeAlone(size_t bytes, size_t held);
  // For what calls can do without: false as well where it would leave them less than half, or where many have much already.
  bool TakeSpare(size_t bytes);
  void Give(size_t bytes) { taken_.fetch_sub(static_cast<int64_t>(bytes), std::memory_order_relaxed); }

 private:
  // Beyond the limit it takes while no more than `enough` is taken.
  bool TakeWithin(int64_t limit, size_t bytes, int64_t enough);

  int64_t limit_ = std::numeric_limits<int64_t>::max();
  const std::atomic<int64_t>* unsent_ = nullptr;
  std::atomic<int64_t> taken_ = 0;
};

// What a call, or an answer made ahead, holds of a budget, until its end. Not thread-safe.
class MemoryLease {
 public:
  MemoryLease() = default;  // of no budget: holds anything
  explicit MemoryLease(MemoryBudget* budget) : budget_(budget) {}
  ~MemoryLease() { Release(); }
  MemoryLease(MemoryLease&& other) noexcept { *this = std::move(other); }
  MemoryLease& operator=(MemoryLease&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(held_, other.held_);
    return *this;
  }

  // Holds `bytes` in all from now on, if there are so many; else as many as before. To be called again as the bytes get more.
  bool Hold(size_t bytes) { return budget_ == nullptr || bytes <= held_ || HoldMore(bytes); }
  // The same for what can be done without. REQUIRES: nothing is held yet.
  bool HoldSpare(size_t bytes);
  void Release();
  MemoryBudget* budget() const { return budget_; }

 private:
  bool HoldMore(size_t bytes);

  MemoryBudget* budget_ = nullptr;
  size_t held_ = 0;
};

// Of a request of that many bytes: as it came, as a mutation, and as what is written to the store.
constexpr size_t CostOf(size_t request_bytes) { return 3 * request_bytes; }

// What the request that a connection receives holds of a budget. It is let in if there is room for all of it, and holds that at once
// while half of the budget is left to others. Beyond, nothing is held for what may never come: the request holds what came of it and
// a step, and may be refused later. Not thread-safe.
class RequestMemory {
 public:
  explicit RequestMemory(MemoryBudget* budget) : budget_(budget) {}
  ~RequestMemory() { Release(); }
  RequestMemory(const RequestMemory&) = delete;
  RequestMemory& operator=(const RequestMemory&) = delete;

  // `have` of the request's `bytes` are there. False: it is to be refused.
  bool Hold(size_t bytes, size_t have);
  // So much of it may come until Hold is to be called again. REQUIRES: it is not all there.
  size_t room() const { return held_; }
  // All that is held is the call's from now on. REQUIRES: Hold was called with the whole request.
  void PassOn() { held_ = 0; }
  void Release() { budget_->Give(std::exchange(held_, 0)); }

 private:
  MemoryBudget* const budget_;
  size_t held_ = 0;
};

// Measures the process now and then, and gives or takes memory of the block cache accordingly: what allocators lose, open scanners
// hold and tables need beside the cache is not known before.
class MemoryKeeper {
 public:
  MemoryKeeper(int64_t limit, engine::Storage* storage);
  void Adjust();

 private:
  const int64_t limit_;
  engine::Storage* const storage_;
  const int64_t most_cache_bytes_;
  int64_t cache_bytes_;
};

}  // namespace klip::server
