#include "net/memory.h"

#include <algorithm>

namespace klip::net {
namespace {

// TUNING: a smaller share is granted even if all ordinary memory is in use, from another quarter.
constexpr int64_t kSmallShare = 64 << 10;

// The step size for unknown sizes.
constexpr size_t kStep = 64 << 10;

// TUNING: at most 128 scans of Java's batches (2 MB) are read ahead, however much memory there is.
constexpr int64_t kMaxSpare = 256 << 20;

}  // namespace

void MemoryBudget::Limit(int64_t ordinary, int64_t large, std::function<void()> on_large) {
  ordinary_ = ordinary;
  large_ = large;
  on_large_ = std::move(on_large);
}

bool MemoryBudget::Take(MemoryShare* share, int64_t bytes) {
  const int64_t has = share == nullptr ? 0 : share->taken.load(std::memory_order_relaxed);
  int64_t taken = taken_.load(std::memory_order_relaxed);
  do {
    const int64_t left = ordinary_ - taken;
    const bool fair = has + bytes <= left - bytes;
    if (!fair && (has + bytes > kSmallShare || bytes > left + ordinary_ / 4)) {
      return false;
    }
  } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
  if (share != nullptr) {
    share->taken.fetch_add(bytes, std::memory_order_relaxed);
  }
  return true;
}

bool MemoryBudget::TakeSpare(int64_t bytes) {
  const int64_t most = std::min(ordinary_ / 2, kMaxSpare);
  int64_t taken = taken_.load(std::memory_order_relaxed);
  do {
    if (bytes > most - taken) {
      return false;
    }
  } while (!taken_.compare_exchange_weak(taken, taken + bytes, std::memory_order_relaxed));
  return true;
}

void MemoryBudget::Add(MemoryShare* share, int64_t bytes) {
  taken_.fetch_add(bytes, std::memory_order_relaxed);
  if (share != nullptr) {
    share->taken.fetch_add(bytes, std::memory_order_relaxed);
  }
}

bool MemoryLease::HoldInSteps(size_t bytes) { return budget_ == nullptr || bytes <= held_ || HoldMore(bytes, kStep); }

bool MemoryLease::HoldMore(size_t bytes, size_t step) {
  const size_t more = (bytes - held_ + step - 1) / step * step;
  if (large_) {
    if (static_cast<int64_t>(bytes) > budget_->large_) {
      return false;
    }
    held_ = bytes;
    return true;
  }
  if (budget_->Take(share_, static_cast<int64_t>(more))) {
    held_ += more;
    return true;
  }
  return BecomeLarge(bytes);
}

bool MemoryLease::BecomeLarge(size_t bytes) {
  if (static_cast<int64_t>(bytes) > budget_->large_ || budget_->large_is_taken_.exchange(true)) {
    return false;
  }
  budget_->Give(share_, static_cast<int64_t>(held_));
  held_ = bytes;
  large_ = true;
  if (budget_->on_large_) {
    budget_->on_large_();
  }
  return true;
}

bool MemoryLease::HoldSpare(size_t bytes) {
  if (budget_ != nullptr) {
    if (!budget_->TakeSpare(static_cast<int64_t>(bytes))) {
      return false;
    }
    share_ = nullptr;
    held_ = bytes;
  }
  return true;
}

void MemoryLease::HoldAnyway(size_t bytes) {
  if (budget_ != nullptr && bytes > held_) {
    if (!large_) {
      budget_->Add(share_, static_cast<int64_t>(bytes - held_));
    }
    held_ = bytes;
  }
}

void MemoryLease::Shrink(size_t bytes) {
  if (bytes >= held_) {
    return;
  }
  if (!large_) {
    budget_->Give(share_, static_cast<int64_t>(held_ - bytes));
  } else if (bytes == 0 || budget_->Take(share_, static_cast<int64_t>(bytes))) {
    large_ = false;
    budget_->large_is_taken_ = false;
  }
  held_ = bytes;
}

}  // namespace klip::net
