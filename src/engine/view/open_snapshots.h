// OpenSnapshots: the readers of earlier states of the store. While there are any, flushes and compactions drop no cells:
// compaction filters do not respect RocksDB's own snapshots.
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
  // Closes when it is destroyed. `expired` is final: cells may be gone.
  struct One {
    int64_t until_ms = 0;
    std::atomic<bool> expired{false};
  };

  // REQUIRES: called before RocksDB's snapshot is taken.
  std::shared_ptr<One> Open(int64_t until_ms);

  // Whether an unexpired one is open. Marks those whose time is over as expired.
  bool Any(int64_t now_ms);

 private:
  std::mutex mutex_;
  std::list<std::weak_ptr<One>> open_;  // guarded by mutex_
};

}  // namespace klip::engine
