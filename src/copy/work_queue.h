// The key ranges that wait for a worker. If a worker finds none, it waits; a busy worker notices that, and gives away a
// part of its own range. So all stay busy to the end, whatever the sizes of regions.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include "copy/key_range.h"

namespace klip::copy {

class WorkQueue {
 public:
  explicit WorkQueue(std::vector<KeyRange> ranges) : waiting_ranges_(ranges.begin(), ranges.end()) {}

  // The next range; waits for one as long as other workers are busy. nullopt: nothing is left, or Cancel was called.
  std::optional<KeyRange> Take();
  // The taken range is done.
  void Finish();

  void Add(KeyRange range);
  // Whether a worker is idle.
  bool wanted() const { return wanted_.load(std::memory_order_relaxed); }

  void Cancel();
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

 private:
  void NoteWanted() { wanted_.store(idle_ > waiting_ranges_.size(), std::memory_order_relaxed); }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<KeyRange> waiting_ranges_;  // guarded by mutex_
  size_t at_work_ = 0;                   // guarded by mutex_
  size_t idle_ = 0;                      // guarded by mutex_
  std::atomic<bool> wanted_{false};
  std::atomic<bool> cancelled_{false};
};

}  // namespace klip::copy
