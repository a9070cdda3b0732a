// OpenHandles: what a gateway's clients hold open between two calls, by number. What nobody uses for a while is dropped, whether calls
// come or not, so that clients which forget theirs hold no files for ever.
#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace klip::base {

// Thread-safe. A T ends outside of the lock: on a cluster that is a call.
template <typename T>
class OpenHandles {
 public:
  using Clock = std::function<int64_t()>;  // milliseconds, never going back

  // Numbers begin with `first`; `most` are open at once. Those not used for `idle_ms` are dropped, within a minute or a quarter of that
  // time. `clock` null: the system's.
  OpenHandles(int32_t first, size_t most, int64_t idle_ms, Clock clock = nullptr)
      : most_(most), idle_ms_(idle_ms), clock_(clock ? std::move(clock) : SteadyMs), next_(first) {
    sweeper_ = std::thread([this] { DropIdleUntilStopped(); });
  }
  ~OpenHandles() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    stopped_.notify_all();
    sweeper_.join();
  }
  OpenHandles(const OpenHandles&) = delete;
  OpenHandles& operator=(const OpenHandles&) = delete;

  // Its number; nullopt when too many are open.
  std::optional<int32_t> Add(std::shared_ptr<T> handle) {
    const std::lock_guard lock(mutex_);
    if (open_.size() >= most_) {
      return std::nullopt;
    }
    while (open_.contains(next_)) {  // they start anew after 2^31
      Advance();
    }
    const int32_t number = next_;
    Advance();
    open_[number] = {std::move(handle), clock_()};
    return number;
  }

  // Null when there is none of that number, or no longer. It is in use as long as the caller has it.
  std::shared_ptr<T> Find(int32_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(number);
    if (found == open_.end()) {
      return nullptr;
    }
    found->second.used_ms = clock_();
    return found->second.handle;
  }

  // False when there was none.
  bool Close(int32_t number) {
    std::shared_ptr<T> closed;
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(number);
    if (found == open_.end()) {
      return false;
    }
    closed = std::move(found->second.handle);
    open_.erase(found);
    return true;
  }

  void DropIdle() {
    std::vector<std::shared_ptr<T>> dropped;
    const std::lock_guard lock(mutex_);
    const int64_t now_ms = clock_();
    for (auto entry = open_.begin(); entry != open_.end();) {
      auto& [handle, used_ms] = entry->second;
      used_ms = handle.use_count() > 1 ? now_ms : used_ms;  // a call has it, however long that takes
      if (now_ms - used_ms <= idle_ms_) {
        ++entry;
        continue;
      }
      dropped.push_back(std::move(handle));
      entry = open_.erase(entry);
    }
  }

  void DropAll() {
    std::unordered_map<int32_t, Entry> dropped;
    const std::lock_guard lock(mutex_);
    dropped.swap(open_);
  }

 private:
  struct Entry {
    std::shared_ptr<T> handle;
    int64_t used_ms = 0;
  };

  static int64_t SteadyMs() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }

  void Advance() { next_ = next_ == INT32_MAX ? 0 : next_ + 1; }  // REQUIRES: mutex_ is held

  void DropIdleUntilStopped() {
    const auto period = std::chrono::milliseconds(std::clamp<int64_t>(idle_ms_ / 4, 100, 60'000));
    std::unique_lock lock(mutex_);
    while (!stopped_.wait_for(lock, period, [this] { return stop_; })) {
      lock.unlock();
      DropIdle();
      lock.lock();
    }
  }

  const size_t most_;
  const int64_t idle_ms_;
  const Clock clock_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  bool stop_ = false;                        // guarded by mutex_
  int32_t next_;                             // guarded by mutex_
  std::unordered_map<int32_t, Entry> open_;  // guarded by mutex_
  std::thread sweeper_;
};

}  // namespace klip::base
