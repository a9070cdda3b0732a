#include "table/info/thread_pool.h"

#include <algorithm>
#include <utility>

namespace klip::table {

ThreadPool::~ThreadPool() {
  std::vector<std::thread> threads;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    jobs_.clear();
    threads.swap(threads_);
  }
  changed_.notify_all();
  for (std::thread& thread : threads) {
    thread.join();
  }
}

void ThreadPool::Run(int threads, std::function<void()> job) {
  constexpr int kMaxThreads = 64;
  {
    const std::lock_guard lock(mutex_);
    jobs_.push_back(std::move(job));
    const int wanted = std::min(threads, kMaxThreads);
    if (idle_ < static_cast<int>(jobs_.size()) && static_cast<int>(threads_.size()) < wanted) {
      threads_.emplace_back([this] { Work(); });
    }
  }
  changed_.notify_one();
}

void ThreadPool::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return stopping_ || !jobs_.empty(); });
    --idle_;
    if (stopping_) {
      return;
    }
    std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    lock.unlock();
    job();
    job = nullptr;  // its captures are released outside the lock
    lock.lock();
  }
}

}  // namespace klip::table
