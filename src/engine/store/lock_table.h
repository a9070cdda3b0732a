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

  // Held shared while writing to a table, exclusively while the table is altered, so that a write never meets a
  // family that is being dropped. Taken before rows are locked, and once by a thread; of several tables in the order
  // of their names.
  std::shared_lock<TableLock> LockForWrite(std::string_view table);
  // The same without waiting: the lock returned is not held if the table is being altered.
  std::shared_lock<TableLock> TryLockForWrite(std::string_view table);

  // Waits for the rows' locks. A thread takes all that it needs in one call: they are locked in ascending order, each
  // stripe once, so that no two callers can deadlock.
  RowLocks LockRows(std::vector<RowStripe> stripes);
  // Adds stripes to locks that are held, without waiting. False: another thread holds one of them, and none was added.
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
