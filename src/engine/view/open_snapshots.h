// OpenSnapshots: the readers of earlier states of the store. While there are any, flushes and compactions drop no cells:
// compaction filters do not respect RocksDB's own snapshots.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>

namespace klip::engine {

// Thread-safe.
class OpenSnapshots {
 public:
  // Closes when it is destroyed. Its age does not depend on the time of day, which may jump.
  class One {
   public:
    explicit One(int64_t max_age_ms) : max_age_ms_(max_age_ms) {}

    // Whether its time is over; final, since cells may be gone then.
    bool Expired();
    int64_t max_age_ms() const { return max_age_ms_; }

   private:
    const int64_t max_age_ms_;
    const std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
    std::atomic<bool> expired_{false};
  };

  // REQUIRES: called before RocksDB's snapshot is taken.
  std::shared_ptr<One> Open(int64_t max_age_ms);

  // Whether one is open that has not expired.
  bool Any();

 private:
  std::mutex mutex_;
  std::list<std::weak_ptr<One>> open_;  // guarded by mutex_
};

}  // namespace klip::engine
