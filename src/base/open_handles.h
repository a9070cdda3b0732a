// Handles that a gateway's clients hold open between calls: NamedHandles by the client's name for it, OpenHandles by
// number. Handles that are unused for a while are dropped, even without further calls, so that forgetful clients do not
// hold files forever.
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

// Thread-safe. A T is destroyed outside the lock: on a cluster, that is a call.
template <typename Key, typename T>
class NamedHandles {
 public:
  using Clock = std::function<int64_t()>;  // milliseconds, never going back

  // At most `most` are open at once. Those unused for `idle_ms` are dropped, within a minute or a quarter of that time.
  // `clock` null: the system's.
  NamedHandles(size_t most, int64_t idle_ms, Clock clock = nullptr)
      : most_(most), idle_ms_(idle_ms), clock_(clock ? std::move(clock) : SteadyMs) {
    sweeper_ = std::thread([this] { DropIdleUntilStopped(); });
  }
  ~NamedHandles() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    stopped_.notify_all();
    sweeper_.join();
  }
  NamedHandles(const NamedHandles&) = delete;
  NamedHandles& operator=(const NamedHandles&) = delete;

  enum class Added : uint8_t { kYes, kFull, kTaken };
  // kFull: too many are open. kTaken: the key is in use.
  Added Add(const Key& key, const std::shared_ptr<T>& handle) {
    const std::lock_guard lock(mutex_);
    if (open_.size() >= most_) {
      return Added::kFull;
    }
    return open_.try_emplace(key, handle, clock_()).second ? Added::kYes : Added::kTaken;
  }

  // Null if there is no handle with that key (any more). It counts as used as long as the caller has it.
  std::shared_ptr<T> Find(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(key);
    if (found == open_.end()) {
      return nullptr;
    }
    found->second.used_ms = clock_();
    return found->second.handle;
  }

  // Closes the handle and returns it, since calls may still use it; null if there was none.
  std::shared_ptr<T> Take(const Key& key) {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(key);
    if (found == open_.end()) {
      return nullptr;
    }
    std::shared_ptr<T> taken = std::move(found->second.handle);
    open_.erase(found);
    return taken;
  }

  // False if there was none.
  bool Close(const Key& key) { return Take(key) != nullptr; }

  // Closes the one that is unused for longest. False: all are being used.
  bool CloseOldest() {
    std::shared_ptr<T> closed;
    const std::lock_guard lock(mutex_);
    auto oldest = open_.end();
    for (auto entry = open_.begin(); entry != open_.end(); ++entry) {
      const bool used = entry->second.handle.use_count() > 1;
      if (!used && (oldest == open_.end() || entry->second.used_ms < oldest->second.used_ms)) {
        oldest = entry;
      }
    }
    if (oldest == open_.end()) {
      return false;
    }
    closed = std::move(oldest->second.handle);
    open_.erase(oldest);
    return true;
  }

  void DropIdle() {
    std::vector<std::shared_ptr<T>> dropped;
    const std::lock_guard lock(mutex_);
    const int64_t now_ms = clock_();
    for (auto entry = open_.begin(); entry != open_.end();) {
      auto& [handle, used_ms] = entry->second;
      used_ms = handle.use_count() > 1 ? now_ms : used_ms;  // a call is using it, however long that takes
      if (now_ms - used_ms <= idle_ms_) {
        ++entry;
        continue;
      }
      dropped.push_back(std::move(handle));
      entry = open_.erase(entry);
    }
  }

  // Closes and returns all of them.
  std::vector<std::shared_ptr<T>> TakeAll() {
    std::vector<std::shared_ptr<T>> taken;
    const std::lock_guard lock(mutex_);
    for (auto& [key, entry] : open_) {
      taken.push_back(std::move(entry.handle));
    }
    open_.clear();
    return taken;
  }

  void DropAll() { TakeAll(); }

 private:
  struct Entry {
    Entry(std::shared_ptr<T> of, int64_t now_ms) : handle(std::move(of)), used_ms(now_ms) {}
    std::shared_ptr<T> handle;
    int64_t used_ms;
  };

  static int64_t SteadyMs() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  }

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
  bool stop_ = false;                    // guarded by mutex_
  std::unordered_map<Key, Entry> open_;  // guarded by mutex_
  std::thread sweeper_;
};

// The same for clients that get a number. Numbers start at `first`.
template <typename T>
class OpenHandles : public NamedHandles<int32_t, T> {
 public:
  using Named = NamedHandles<int32_t, T>;

  OpenHandles(int32_t first, size_t most, int64_t idle_ms, typename Named::Clock clock = nullptr)
      : Named(most, idle_ms, std::move(clock)), next_(first) {}

  // Its number; nullopt if too many are open.
  std::optional<int32_t> Add(const std::shared_ptr<T>& handle) {
    const std::lock_guard lock(next_mutex_);
    while (true) {
      const int32_t number = next_;
      const typename Named::Added added = Named::Add(number, handle);
      if (added == Named::Added::kFull) {
        return std::nullopt;
      }
      next_ = next_ == INT32_MAX ? 0 : next_ + 1;  // they wrap around after 2^31, and skip those in use
      if (added == Named::Added::kYes) {
        return number;
      }
    }
  }

 private:
  std::mutex next_mutex_;
  int32_t next_;  // guarded by next_mutex_
};

}  // namespace klip::base
