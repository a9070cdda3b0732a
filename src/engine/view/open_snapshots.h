// OpenSnapshots: who reads the store as of an earlier moment. While anybody does, flushes and compactions drop no cells: RocksDB's
// own snapshots do not bind compaction filters.
#pragma once

#include <atomic>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

namespace klip::engine {

// Thread-safe.
class OpenSnapshots {
 public:
  // Closes when it is destroyed. `expired` is for good: cells may be gone since.
  struct One {
    int64_t until_ms = 0;
    std::atomic<bool> expired{false};
  };

  // REQUIRES: called before RocksDB's snapshot is taken.
  std::shared_ptr<One> Open(int64_t until_ms);

  // Whether one is open that has not expired. Those whose time is over expire by it.
  bool Any(int64_t now_ms);

 private:
  std::mutex mutex_;
  std::list<std::weak_ptr<One>> open_;  // guarded by mutex_
};

}  // namespace klip::engine
