// The limit of the process's memory (memory-limit): how it is divided, and how it is enforced.
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

// For a process without an explicit limit: half of what the machine or its control group has.
int64_t DefaultMemoryLimit();

// Configures the cache and the memtables for a process of `limit` bytes; 0: no explicit limit, so they keep their default
// sizes if the default limit allows it.
void LimitStoreMemory(int64_t limit, ConnectionOptions* options);

// The budget of requests and answers, in a process of `limit` bytes.
int64_t OrdinaryBytes(int64_t limit);
int64_t LargeBytes(int64_t limit);
// The budget of what statements of SQL hold.
int64_t StatementBytes(int64_t limit);

// The memory of a request of that many bytes: as received, as a mutation, and as written to the store.
constexpr size_t CostOf(size_t request_bytes) { return 3 * request_bytes; }

// For a call of a gateway beside the server: the budget, which outlives it, grants the memory for its reads and answers.
std::unique_ptr<base::ReadMemory> NewCallMemory(net::MemoryBudget* budget);

// The memory of a request while a connection receives it. The request is accepted if all of it fits. While half of the
// budget is free, it is charged at once. Otherwise only the received bytes and a step are charged, since the rest may
// never arrive, and the request may be refused later. Not thread-safe.
class RequestMemory {
 public:
  RequestMemory(net::MemoryBudget* budget, net::MemoryShare* share)
      : lease_(budget, share), budget_(budget), share_(share) {}

  // `have` of the request's `bytes` were received. False: refuse it.
  bool Hold(size_t bytes, size_t have);
  // How many bytes may arrive before the next call of Hold. REQUIRES: it is incomplete.
  size_t room() const { return lease_.held(); }
  // Passes all of the memory to the call. REQUIRES: Hold was called with the whole request.
  net::MemoryLease PassOn() { return std::exchange(lease_, net::MemoryLease(budget_, share_)); }
  void Release() { lease_.Release(); }

 private:
  net::MemoryLease lease_;
  net::MemoryBudget* const budget_;
  net::MemoryShare* const share_;
};

// Measures the process regularly, and shrinks or grows the block cache accordingly: the overhead of allocators, the
// memory of open scanners, and what tables need beside the cache are unknown in advance.
class MemoryKeeper {
 public:
  // `cache_bytes`: the maximum size of the cache. `storage` null: the process has none, and only returns memory to the system.
  MemoryKeeper(int64_t limit, int64_t cache_bytes, engine::Storage* storage);
  void Adjust();
  // Frees as much as possible at once. Thread-safe, as Adjust.
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
