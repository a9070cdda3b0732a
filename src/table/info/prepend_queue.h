// Batches concurrent prepends of one table: one thread finds the first row, assigns keys and writes for all waiting
// threads, so they share one sync of the log.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "klip/status.h"
#include "klip/table.h"

namespace klip::table {

// Thread-safe.
class PrependQueue {
 public:
  struct Waiting {
    const Prepend* request = nullptr;
    std::optional<Expected<uint64_t>> outcome = std::nullopt;
  };

  // `write_group(std::span<Waiting* const>, std::vector<Expected<uint64_t>>*)` returns an outcome for each, in order; one
  // thread at a time calls it.
  template <typename WriteGroup>
  Expected<uint64_t> Run(const Prepend& request, WriteGroup write_group) {
    constexpr size_t kMaxGroup = 256;
    Waiting self = {&request};
    std::unique_lock lock(mutex_);
    waiting_.push_back(&self);
    while (!self.outcome.has_value()) {
      if (writing_) {
        changed_.wait(lock);
        continue;
      }
      writing_ = true;
      const size_t count = std::min(waiting_.size(), kMaxGroup);
      std::vector<Waiting*> group(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(count));
      std::vector<Expected<uint64_t>> outcomes;
      lock.unlock();
      write_group(std::span<Waiting* const>(group), &outcomes);
      lock.lock();
      for (size_t i = 0; i < count; ++i) {
        group[i]->outcome.emplace(std::move(outcomes[i]));
      }
      writing_ = false;
      changed_.notify_all();
    }
    return *std::move(self.outcome);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Waiting*> waiting_;  // guarded by mutex_, as are their outcomes
  bool writing_ = false;           // guarded by mutex_
};

}  // namespace klip::table
