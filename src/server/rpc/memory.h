// The bound on the process's memory (memory-limit): who gets how much of it, and how it is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>

#include "base/read_memory.h"
#include "klip/connection.h"
#include "net/memory.h"

namespace klip::engine {
class Storage;
}

namespace klip::server {

inline constexpr int64_t kLeastMemoryLimit = 128 << 20;

// For a process that was not told: half of what the machine or its control group has.
int64_t DefaultMemoryLimit();

// Sets the cache and the memtables for a process of `limit` bytes; 0: it was not told, and they are as large as they are by
// themselves where the default limit allows it.
void LimitStoreMemory(int64_t limit, ConnectionOptions* options);

// Of the budget of requests and answers, in a process of `limit` bytes.
int64_t OrdinaryBytes(int64_t limit);
int64_t LargeBytes(int64_t limit);

// Of a request of that many bytes: as it came, as a mutation, and as what is written to the store.
constexpr size_t CostOf(size_t request_bytes) { return 3 * request_bytes; }

// For a call of a gateway that stands beside the server: what it reads and answers is held of the budget, which outlives it.
std::unique_ptr<base::ReadMemory> NewCallMemory(net::MemoryBudget* budget);

// What the request that a connection receives holds of a budget. It is let in if there is room for all of it, and holds that at once
// while half of the budget is left to others. Beyond, nothing is held for what may never come: the request holds what came of it and
// a step, and may be refused later. Not thread-safe.
class RequestMemory {
 public:
  RequestMemory(net::MemoryBudget* budget, net::MemoryShare* share)
      : lease_(budget, share), budget_(budget), share_(share) {}

  // `have` of the request's `bytes` are there. False: it is to be refused.
  bool Hold(size_t bytes, size_t have);
  // So much of it may come until Hold is to be called again. REQUIRES: it is not all there.
  size_t room() const { return lease_.held(); }
  // All that is held is the call's from now on. REQUIRES: Hold was called with the whole request.
  net::MemoryLease PassOn() { return std::exchange(lease_, net::MemoryLease(budget_, share_)); }
  void Release() { lease_.Release(); }

 private:
  net::MemoryLease lease_;
  net::MemoryBudget* const budget_;
  net::MemoryShare* const share_;
};

// Measures the process now and then, and gives or takes memory of the block cache accordingly: what allocators lose, open scanners
// hold and tables need beside the cache is not known before.
class MemoryKeeper {
 public:
  // `cache_bytes`: the cache's size, the most that it gets.
  MemoryKeeper(int64_t limit, int64_t cache_bytes, engine::Storage* storage);
  void Adjust();
  // At once, as much as it can. Thread-safe, as Adjust.
  void MakeRoom();

 private:
  void ResizeCache(int64_t bytes);  // REQUIRES: mutex_ is held

  const int64_t limit_;
  engine::Storage* const storage_;
  const int64_t most_cache_bytes_;
  std::mutex mutex_;
  int64_t cache_bytes_;  // guarded by mutex_
};

}  // namespace klip::server
