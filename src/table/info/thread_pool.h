// Worker threads, started by the first job. Jobs must not wait for each other.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace klip::table {

class ThreadPool {
 public:
  ThreadPool() = default;
  // Drops jobs that have not started, and waits for the others.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // `threads`: how many threads the caller wants to work; more are started up to a limit.
  void Run(int threads, std::function<void()> job);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;  // guarded by mutex_
  std::vector<std::thread> threads_;        // guarded by mutex_
  int idle_ = 0;                            // guarded by mutex_
  bool stopping_ = false;                   // guarded by mutex_
};

}  // namespace klip::table
