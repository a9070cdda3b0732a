// The locks of writers: one reader-writer lock per table, and stripes of mutexes for rows.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/row_locks.h"
#include "engine/store/table_lock.h"

namespace klip::engine {

// Thread-safe.
class LockTable {
 public:
  // Lives as long as the LockTable, even after the table is dropped.
  TableLock& ForTable(std::string_view table);

  // Locks in ascending order, each stripe once: no two callers can deadlock.
  RowLocks LockRows(std::vector<RowStripe> stripes);
  // See Store::TryLockRows.
  bool TryLockRows(std::vector<RowStripe> stripes, RowLocks* locks);

 private:
  friend class RowLocks;
  struct Stripe {
    std::mutex mutex;
    RowTime time;  // guarded by mutex
  };

  std::array<Stripe, kRowStripes> rows_;
  std::shared_mutex mutex_;  // guards the map, not the locks in it
  std::map<std::string, std::unique_ptr<TableLock>, std::less<>> tables_;
};

}  // namespace klip::engine
