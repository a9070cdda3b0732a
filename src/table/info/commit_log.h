// CommitLog: the rows that were written since the oldest open serializable transaction began, in the order of their
// commits.
//
// A writer logs its rows while it holds their locks, before it writes. A serializable transaction begins while nobody
// holds any lock, so that it sees exactly the writes logged before. It commits like a writer, and then checks what was
// logged in between. If it read none of those rows, it could as well have run in one instant, at its place in the log.
//
// Example: the transaction begins at place 5. A writer logs "a" at 5, and another transaction "b" at 6. It then logs its
// own row "c" at 7 and checks 5 to 6. If it read "a", it fails; if it read only "x" and "c", it commits.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/lock_table.h"

namespace klip::table {

// Thread-safe.
class CommitLog {
 public:
  struct Row {
    std::string table;
    std::string row;
  };
  using Place = uint64_t;  // in the log, from 1

  // Calls `take_view` while no row is locked. Later writes are logged at the returned place or after it, until Close.
  // REQUIRES: the thread holds no row's lock.
  Place Open(engine::LockTable* locks, const std::function<void()>& take_view);
  void Close(Place begin);

  // Whether any transaction is open. REQUIRES, also for the next: the caller holds the locks of the rows to be written.
  bool open() const { return open_count_.load(std::memory_order_acquire) > 0; }
  Place Add(std::vector<Row> rows);
  // Cancels an Add whose rows are not written after all.
  void TakeBack(Place place);

  // Whether a row for which `hit` holds was logged in [begin, end), or may have been: if there are many, old rows are
  // forgotten. *which: that row; empty: forgotten. `hit` must not call the log.
  bool Any(Place begin, Place end, const std::function<bool(const Row&)>& hit, Row* which) const;

 private:
  struct Entry {
    std::vector<Row> rows;
    size_t bytes = 0;
  };
  void Trim();

  std::atomic<int> open_count_{0};
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  // guarded by mutex_, as all below; the first is at first_
  Place first_ = 1;
  size_t bytes_ = 0;
  std::multiset<Place> begins_;  // of those that are open
};

}  // namespace klip::table
