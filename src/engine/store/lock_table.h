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

  // Writers to a table hold it shared, an alter holds it exclusively, so a write never meets a family that is being
  // dropped. A thread takes it before row locks, once, and takes several tables in the order of their names.
  std::shared_lock<TableLock> LockForWrite(std::string_view table);
  // The same without waiting: if the table is being altered, the returned lock is not held.
  std::shared_lock<TableLock> TryLockForWrite(std::string_view table);

  // Waits for the rows' locks. To avoid deadlocks, a thread takes all that it needs in one call, which locks each stripe
  // once, in ascending order.
  RowLocks LockRows(std::vector<RowStripe> stripes);
  // Adds stripes to held locks, without waiting. False: another thread holds one of them, and none was added.
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
