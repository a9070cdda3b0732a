#include "server/rpc/memory.h"

#include <algorithm>
#include <atomic>

#include <malloc.h>

#include "base/process.h"
#include "engine/store/storage.h"

namespace klip::server {
namespace {

// TUNING: shares of the limit. What is left over is for the program, its threads, indexes being built and what malloc loses.
constexpr int64_t kCacheShare = 4;
constexpr int64_t kMemtableShare = 12;  // half as much again while they are written to files
constexpr int64_t kInFlightShare = 8;
constexpr int64_t kLeastCacheShare = 16;

// TUNING: 128 scans of Java's batches (2 MB) are read ahead, also where memory has no limit.
constexpr int64_t kMaxSpare = 256 << 20;

// By which what is not known in advance is taken.
constexpr size_t kStep = 256 << 10;

// A large buffer on malloc's heaps leaves a hole when it is freed, which stays resident. One that is mapped by itself goes back to
// the system, for page faults when the next is taken: so it is while memory is short only. Malloc's settings are the process's.
void ReturnLargeBuffers(bool at_once) {
  static std::atomic<bool> set = false;
  if (set.exchange(at_once) == at_once) {
    return;
  }
  constexpr int kShortThreshold = 256 << 10;
  constexpr int kRoomyThreshold = 32 << 20;  // as far as malloc raises it by itself
  constexpr int kShortTrim = 1 << 20;
  ::mallopt(M_MMAP_THRESHOLD, at_once ? kShortThreshold : kRoomyThreshold);
  ::mallopt(M_TRIM_THRESHOLD, at_once ? kShortTrim : 2 * kRoomyThreshold);
}

}  // namespace

void LimitStoreMemory(int64_t limit, ConnectionOptions* options) {
  if (limit > 0) {
    options->block_cache_bytes = limit / kCacheShare;
    options->memtable_bytes = limit / kMemtableShare;
  }
}

void MemoryBudget::Limit(int64_t process_limit, const std::atomic<int64_t>* unsent) {
  limit_ = process_limit / kInFlightShare;
  unsent_ = unsent;
}

bool MemoryBudget::Take(size_t bytes) { return TakeWithin(limit_, bytes, /*enough=*/0); }

bool MemoryBudget::TakeAlone(size_t bytes, size_t held) {
  return TakeWithin(/*limit=*/-1, bytes, /*enough=*/static_cast<int64_t>(held));
}

bool MemoryBudget::TakeSpare(size_t bytes) { return TakeWithin(std::min(limit_ / 2, kMaxSpare), bytes, /*enough=*/-1); }

bool MemoryBudget::TakeWithin(int64_t limit, size_t bytes, int64_t enough) {
  const auto wanted = static_cast<int64_t>(bytes);
  const int64_t unsent = unsent_ == nullptr ? 0 : unsent_->load(std::memory_order_relaxed);
  int64_t taken = taken_.load(std::memory_order_relaxed);
  do {
    const int64_t in_use = taken + unsent;
    if (in_use + wanted > limit && in_use > enough) {
      return false;
    }
  } while (!taken_.compare_exchange_weak(taken, taken + wanted, std::memory_order_relaxed));
  return true;
}

bool MemoryLease::HoldMore(size_t bytes) {
  const size_t more = (bytes - held_ + kStep - 1) / kStep * kStep;
  if (!budget_->Take(more)) {
    return false;
  }
  held_ += more;
  return true;
}

bool MemoryLease::HoldSpare(size_t bytes) {
  if (budget_ != nullptr) {
    if (!budget_->TakeSpare(bytes)) {
      return false;
    }
    held_ = bytes;
  }
  return true;
}

void MemoryLease::Release() {
  if (held_ > 0) {
    budget_->Give(std::exchange(held_, 0));
  }
}

bool RequestMemory::Hold(size_t bytes, size_t have) {
  const size_t cost = CostOf(bytes);
  const size_t wanted = have < bytes ? std::min(bytes, have + kStep) : cost;
  if (wanted <= held_) {
    return true;
  }
  if (held_ > 0) {
    if (budget_->Take(wanted - held_)) {
      held_ = wanted;
      return true;
    }
    const bool alone = budget_->TakeAlone(cost - held_, held_);
    held_ = alone ? cost : held_;  // all, as others get nothing beside it anyway
    return alone;
  }
  if (have < bytes && budget_->TakeSpare(cost)) {
    held_ = cost;
    return true;
  }
  if (!budget_->Take(cost)) {
    return false;
  }
  if (wanted < cost) {
    budget_->Give(cost - wanted);
  }
  held_ = wanted;
  return true;
}

MemoryKeeper::MemoryKeeper(int64_t limit, engine::Storage* storage)
    : limit_(limit), storage_(storage), most_cache_bytes_(limit / kCacheShare), cache_bytes_(most_cache_bytes_) {
  // An arena per thread would keep what its thread once used.
  ::mallopt(M_ARENA_MAX, 2);
}

void MemoryKeeper::Adjust() {
  constexpr double kFull = 0.9;
  constexpr double kRoomy = 0.8;
  constexpr double kNear = 0.5;
  constexpr double kFar = 0.4;
  const double used = static_cast<double>(base::ResidentBytes()) / static_cast<double>(limit_);
  const int64_t step = limit_ / kMemtableShare / 4;
  if (used > kNear) {
    ReturnLargeBuffers(true);
  } else if (used < kFar) {
    ReturnLargeBuffers(false);
  }
  if (used > kFull) {
    ::malloc_trim(0);
    cache_bytes_ = std::max(cache_bytes_ - 4 * step, limit_ / kLeastCacheShare);
    storage_->ResizeBlockCache(cache_bytes_);
  } else if (used < kRoomy && cache_bytes_ < most_cache_bytes_) {
    cache_bytes_ = std::min(cache_bytes_ + step, most_cache_bytes_);
    storage_->ResizeBlockCache(cache_bytes_);
  }
}

}  // namespace klip::server
