#include "copy/work_queue.h"

#include <utility>

namespace klip::copy {

std::optional<KeyRange> WorkQueue::Take() {
  std::unique_lock lock(mutex_);
  ++idle_;
  NoteWanted();
  changed_.wait(lock, [this] { return cancelled() || !waiting_ranges_.empty() || at_work_ == 0; });
  --idle_;
  std::optional<KeyRange> range;
  if (!cancelled() && !waiting_ranges_.empty()) {
    range = std::move(waiting_ranges_.front());
    waiting_ranges_.pop_front();
    ++at_work_;
  }
  NoteWanted();
  return range;
}

void WorkQueue::Finish() {
  const std::scoped_lock lock(mutex_);
  --at_work_;
  changed_.notify_all();
}

void WorkQueue::Add(KeyRange range) {
  const std::scoped_lock lock(mutex_);
  waiting_ranges_.push_back(std::move(range));
  NoteWanted();
  changed_.notify_one();
}

void WorkQueue::Cancel() {
  const std::scoped_lock lock(mutex_);
  cancelled_.store(true, std::memory_order_relaxed);
  changed_.notify_all();
}

}  // namespace klip::copy
