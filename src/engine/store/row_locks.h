// Locks of rows. The identity of a lock is a hash of the table's name and the row with 64 bits, so two rows practically
// never have the same lock: code that runs while a row is locked (a coprocessor) may write any other row, by any way.
//
// The state of the locks is kept in stripes, by the highest bits of the identity. A stripe whose only locked row
// nobody waits for costs one compare and exchange to lock and one to release. For example, rows "a" of table t and "q" of
// table u may share stripe 17; writers of both then use the stripe's list, but do not wait for each other.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace klip::engine {

// The identity of a row's lock.
using RowLockId = uint64_t;

// HBase's default of hbase.rowlock.wait.duration.
inline constexpr std::chrono::milliseconds kRowLockWait{30'000};

inline size_t RowHash(std::string_view table, std::string_view row) {
  const std::hash<std::string_view> hash;
  return hash(row) ^ (hash(table) * 31);
}

// Smaller numbers are states of a stripe.
inline constexpr RowLockId kLeastRowLockId = 3;

inline RowLockId RowLockIdOf(std::string_view table, std::string_view row) {
  return std::max<RowLockId>(RowHash(table, row), kLeastRowLockId);
}

// When the rows of a stripe were written last, see table/write/row_clock.h. Unrelated rows share it, so it is an upper
// bound for each of them. Written with a row's lock held; holders of different rows may do so at once.
class RowTime {
 public:
  struct Newest {
    int64_t at_ms = 0;     // the newest timestamp given to a write that orders later ones
    bool deleted = false;  // that write was a delete
  };
  Newest newest() const {
    const uint64_t packed = newest_.load(std::memory_order_relaxed);
    return {.at_ms = static_cast<int64_t>(packed >> 1U), .deleted = (packed & 1U) != 0};
  }
  // Of the clock, at the last write of any kind.
  int64_t clock_ms() const { return clock_ms_.load(std::memory_order_relaxed); }

  // Each replaces the value if `replaces(old, value)`.
  template <typename Replaces>
  void SetNewest(Newest value, Replaces replaces) {
    const uint64_t packed = (static_cast<uint64_t>(value.at_ms) << 1U) | (value.deleted ? 1U : 0U);
    uint64_t old = newest_.load(std::memory_order_relaxed);
    while (replaces(Newest{.at_ms = static_cast<int64_t>(old >> 1U), .deleted = (old & 1U) != 0}, value) &&
           !newest_.compare_exchange_weak(old, packed, std::memory_order_relaxed)) {
    }
  }
  template <typename Replaces>
  void SetClock(int64_t clock_ms, Replaces replaces) {
    int64_t old = clock_ms_.load(std::memory_order_relaxed);
    while (replaces(old, clock_ms) && !clock_ms_.compare_exchange_weak(old, clock_ms, std::memory_order_relaxed)) {
    }
  }

 private:
  std::atomic<uint64_t> newest_ = 0;
  std::atomic<int64_t> clock_ms_ = 0;
};

class LockTable;

// Locks of rows that are held until destruction. Belongs to the thread that took them.
class RowLocks {
 public:
  RowLocks() = default;
  RowLocks(RowLocks&& other) noexcept { *this = std::move(other); }
  RowLocks& operator=(RowLocks&& other) noexcept {
    std::swap(table_, other.table_);
    ids_.swap(other.ids_);
    return *this;
  }
  ~RowLocks() { Release(); }

  void Release();
  size_t size() const { return ids_.size(); }
  bool Holds(RowLockId id) const { return std::binary_search(ids_.begin(), ids_.end(), id); }
  // The position of a held lock among all, below size().
  size_t IndexOf(RowLockId id) const {
    return static_cast<size_t>(std::lower_bound(ids_.begin(), ids_.end(), id) - ids_.begin());
  }
  // REQUIRES: the row's lock is held.
  RowTime& TimeOf(RowLockId id) const;

 private:
  friend class LockTable;
  LockTable* table_ = nullptr;
  std::vector<RowLockId> ids_;  // ascending, each once
};

}  // namespace klip::engine
