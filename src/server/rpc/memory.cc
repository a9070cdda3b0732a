#include "server/rpc/memory.h"

#include <algorithm>
#include <atomic>

#include <malloc.h>

#include "base/process.h"
#include "engine/store/storage.h"
#include "net/call_memory.h"

namespace klip::server {
namespace {

// TUNING: shares of the limit. The rest is for the program, its threads, indexes being built and malloc's overhead.
constexpr int64_t kCacheShare = 4;
constexpr int64_t kMemtableShare = 12;  // half as much again while they are flushed
constexpr int64_t kOrdinaryShare = 8;
constexpr int64_t kStatementShare = 8;
constexpr int64_t kLargeShare = 2;  // includes the cache's share, see MakeRoom
constexpr int64_t kLeastCacheShare = 16;

// The step size for unknown sizes.
constexpr size_t kStep = 256 << 10;

// A large buffer on malloc's heaps leaves a hole when it is freed, which stays resident. A separately mapped one returns
// to the system, at the price of page faults for the next one; so this applies only while memory is short. Malloc's
// settings are global.
void ReturnLargeBuffers(bool at_once) {
  static std::atomic<bool> set = false;
  if (set.exchange(at_once) == at_once) {
    return;
  }
  constexpr int kShortThreshold = 256 << 10;
  constexpr int kRoomyThreshold = 32 << 20;  // malloc raises it up to here itself
  constexpr int kShortTrim = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, at_once ? kShortThreshold : kRoomyThreshold);
  ::mallopt(M_TRIM_THRESHOLD, at_once ? kShortTrim : 2 * kRoomyThreshold);
}

}  // namespace

void LimitStoreMemory(int64_t limit, ConnectionOptions* options) {
  if (limit > 0) {
    options->block_cache_bytes = limit / kCacheShare;
    options->memtable_bytes = limit / kMemtableShare;
  } else {
    options->block_cache_bytes = std::min(options->block_cache_bytes, DefaultMemoryLimit() / kCacheShare);
    options->memtable_bytes = std::min(options->memtable_bytes, DefaultMemoryLimit() / kMemtableShare);
  }
}

int64_t DefaultMemoryLimit() { return base::UsableBytes() / 2; }

int64_t OrdinaryBytes(int64_t limit) { return limit / kOrdinaryShare; }
int64_t LargeBytes(int64_t limit) { return limit / kLargeShare; }
int64_t StatementBytes(int64_t limit) { return limit / kStatementShare; }

std::unique_ptr<base::ReadMemory> NewCallMemory(net::MemoryBudget* budget) {
  return std::make_unique<net::CallMemory>(budget);
}

bool RequestMemory::Hold(size_t bytes, size_t have) {
  const size_t cost = CostOf(bytes);
  const size_t wanted = have < bytes ? std::min(bytes, have + kStep) : cost;
  if (wanted <= lease_.held()) {
    return true;
  }
  if (lease_.held() > 0 || have == bytes) {
    return lease_.Hold(wanted);
  }
  const bool held = lease_.Hold(cost);
  if (held && (lease_.is_large() || !budget_->HasSpare())) {
    lease_.Shrink(wanted);
  }
  return held;
}

MemoryKeeper::MemoryKeeper(int64_t limit, int64_t cache_bytes, engine::Storage* storage)
    : limit_(limit), storage_(storage), most_cache_bytes_(cache_bytes), cache_bytes_(cache_bytes) {
  // An arena per thread would keep the memory that its thread once used.
  constexpr int64_t kMuch = int64_t{4} << 30;  // TUNING: so much is little of it
  if (limit < kMuch) {
    ::mallopt(M_ARENA_MAX, 2);
  }
}

void MemoryKeeper::ResizeCache(int64_t bytes) {
  cache_bytes_ = std::min(bytes, most_cache_bytes_);
  if (storage_ != nullptr) {
    storage_->ResizeBlockCache(cache_bytes_);
  }
}

void MemoryKeeper::MakeRoom() {
  const std::lock_guard lock(mutex_);
  if (base::ResidentBytes() + LargeBytes(limit_) + OrdinaryBytes(limit_) > limit_) {
    ReturnLargeBuffers(true);
    ResizeCache(std::min(cache_bytes_, limit_ / kLeastCacheShare));
    ::malloc_trim(0);
  }
}

void MemoryKeeper::Adjust() {
  constexpr double kFull = 0.9;
  constexpr double kRoomy = 0.8;
  constexpr double kNear = 0.5;
  constexpr double kFar = 0.4;
  const double used = static_cast<double>(base::ResidentBytes()) / static_cast<double>(limit_);
  const int64_t step = limit_ / kMemtableShare / 4;
  const std::lock_guard lock(mutex_);
  if (used > kNear) {
    ReturnLargeBuffers(true);
  } else if (used < kFar) {
    ReturnLargeBuffers(false);
  }
  if (used > kFull) {
    ::malloc_trim(0);
    ResizeCache(std::max(cache_bytes_ - 4 * step, std::min(cache_bytes_, limit_ / kLeastCacheShare)));
  } else if (used < kRoomy && cache_bytes_ < most_cache_bytes_) {
    ResizeCache(cache_bytes_ + step);
  }
}

}  // namespace klip::server
