// Row locks are striped: a fixed array of locks, which the rows of all tables share by hash. For example, rows "a" of
// table t and "q" of table u may hash to stripe 17; writers of the two then wait for each other, which is rare and
// harmless.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

namespace klip::engine {

using RowStripe = uint16_t;

// TUNING: with a few dozen threads, two rarely collide; 64 KB.
inline constexpr size_t kRowStripes = 1024;

inline size_t RowHash(std::string_view table, std::string_view row) {
  const std::hash<std::string_view> hash;
  return hash(row) ^ (hash(table) * 31);
}

// The stripe of a row's lock. Different rows may have the same one.
inline RowStripe StripeOf(std::string_view table, std::string_view row) {
  return static_cast<RowStripe>(RowHash(table, row) % kRowStripes);
}

// The newest timestamp given to a write of a row, see table/write/row_clock.h. Guarded by the row's lock.
struct RowTime {
  int64_t at_ms = 0;
  bool deleted = false;  // that write was a delete
  int64_t clock_ms = 0;  // of the clock, at the last write of any kind
  int64_t given_ms = 0;  // for the holder of the lock: the timestamp of its own writes
};

class LockTable;

// Stripes that are held until destruction. Belongs to the thread that took them.
class RowLocks {
 public:
  RowLocks() = default;
  RowLocks(RowLocks&& other) noexcept { *this = std::move(other); }
  RowLocks& operator=(RowLocks&& other) noexcept {
    std::swap(table_, other.table_);
    stripes_.swap(other.stripes_);
    return *this;
  }
  ~RowLocks() { Release(); }

  void Release();
  size_t size() const { return stripes_.size(); }
  bool Holds(RowStripe stripe) const { return std::binary_search(stripes_.begin(), stripes_.end(), stripe); }
  // REQUIRES: the stripe is held.
  RowTime& TimeOf(RowStripe stripe) const;

 private:
  friend class LockTable;
  LockTable* table_ = nullptr;
  std::vector<RowStripe> stripes_;  // ascending, each once
};

}  // namespace klip::engine
