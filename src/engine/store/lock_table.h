// The locks of writers: one reader-writer lock per table, and locks of rows (row_locks.h).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
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

  // Waits for the rows' locks. To avoid deadlocks, a thread takes all that it needs in one call, which locks them in
  // ascending order, each once.
  RowLocks LockRows(std::vector<RowLockId> ids);
  // The same, but waits for each row for at most `wait`. Returns a row that stayed locked, and then locks none; 0: all
  // are locked. `locks`: holds none.
  RowLockId LockRowsWithin(std::chrono::milliseconds wait, std::vector<RowLockId> ids, RowLocks* locks);
  // Adds to held locks, without waiting. False: another thread holds one of them, and none was added.
  bool TryLockRows(std::vector<RowLockId> ids, RowLocks* locks);

  // Runs `run` while no thread holds a row's lock. A holder may wait for another row, so it lets all continue from time
  // to time until it succeeds. REQUIRES: the thread holds no row's lock.
  void WithAllRows(const std::function<void()>& run);

 private:
  friend class RowLocks;

  // A thread that waits for a row.
  struct Waiter {
    RowLockId id;
    std::condition_variable wake;
  };

  // The rows whose identities have the same highest bits.
  class Stripe {
   public:
    // `until`: null waits without end. False: the time is over.
    bool Lock(RowLockId id, const std::chrono::steady_clock::time_point* until) {
      return LockFree(id) || LockListed(id, until);
    }
    bool TryLock(RowLockId id) { return LockFree(id) || TryLockListed(id); }
    void Unlock(RowLockId id) {
      RowLockId expected = id;
      if (!only_.compare_exchange_strong(expected, kFree, std::memory_order_release, std::memory_order_relaxed)) {
        UnlockListed(id);
      }
    }
    // Locks all rows at once.
    bool LockAll(std::chrono::steady_clock::time_point until);
    void UnlockAll() { UnlockListed(kAll); }
    // Waits until a row is released, at most for that time.
    void AwaitRelease(std::chrono::steady_clock::time_point until);

    RowTime& time() { return time_; }

   private:
    static constexpr RowLockId kFree = 0;
    static constexpr RowLockId kListed = 1;  // the locked rows are in locked_
    static constexpr RowLockId kAll = 2;     // in locked_: no other row can be locked

    bool LockFree(RowLockId id) {
      RowLockId expected = kFree;
      return only_.compare_exchange_strong(expected, id, std::memory_order_acquire, std::memory_order_relaxed);
    }
    bool LockListed(RowLockId id, const std::chrono::steady_clock::time_point* until);
    bool TryLockListed(RowLockId id);
    void UnlockListed(RowLockId id);
    // All REQUIRE: mutex_ is held.
    void UseList();
    void LeaveList();
    bool IsLocked(RowLockId id) const;
    bool Await(Waiter* waiter, const std::chrono::steady_clock::time_point* until, const std::function<bool()>& done);
    void WakeAfter(RowLockId released);

    std::atomic<RowLockId> only_ = kFree;  // the only locked row, for which nobody waits; or one of the above
    RowTime time_;
    std::mutex mutex_;
    std::vector<RowLockId> locked_;  // guarded by mutex_, as below
    std::vector<Waiter*> waiters_;   // in order of arrival
  };

  // TUNING: a commit of 1,024 rows locks four of five without the list; 460 KB.
  static constexpr unsigned kStripeBits = 12;
  // Ascending identities have ascending stripes, so LockAll keeps the order of all others.
  Stripe& StripeOf(RowLockId id) { return stripes_[id >> (64 - kStripeBits)]; }
  bool LockAllRows();

  std::array<Stripe, size_t{1} << kStripeBits> stripes_;
  std::shared_mutex mutex_;  // guards the map, not the locks in it
  std::map<std::string, std::unique_ptr<TableLock>, std::less<>> tables_;
};

}  // namespace klip::engine
