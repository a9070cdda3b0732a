#include "server/node/compactor.h"

#include <algorithm>
#include <utility>

namespace klip::server {

void Compactor::Add(const std::string& table, bool major, const std::string& family) {
  const std::lock_guard lock(mutex_);
  const Job job = {table, major, family};
  if (stopping_ || std::find(waiting_.begin(), waiting_.end(), job) != waiting_.end()) {
    return;
  }
  waiting_.push_back(job);
  if (!thread_.joinable()) {
    thread_ = std::thread([this] { Loop(); });
  }
  changed_.notify_all();
}

CompactionState Compactor::StateOf(const std::string& table) const {
  const std::lock_guard lock(mutex_);
  bool minor = false;
  bool major = false;
  const auto note = [&](const Job& job) {
    if (job.table == table) {
      (job.major ? major : minor) = true;
    }
  };
  note(running_);
  std::for_each(waiting_.begin(), waiting_.end(), note);
  if (major) {
    return minor ? CompactionState::kMajorAndMinor : CompactionState::kMajor;
  }
  return minor ? CompactionState::kMinor : CompactionState::kNone;
}

int64_t Compactor::LastMajorMs(const std::string& table) const {
  const std::lock_guard lock(mutex_);
  const auto at = last_major_ms_.find(table);
  return at == last_major_ms_.end() ? 0 : at->second;
}

void Compactor::Loop() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (stopping_) {
      return;
    }
    running_ = std::move(waiting_.front());
    waiting_.pop_front();
    const Job job = running_;
    lock.unlock();
    // As in HBase, nobody waits for the outcome: a table that was dropped meanwhile needs no compaction.
    const Status status =
        job.major ? admin_->MajorCompact(job.table, job.family) : admin_->Compact(job.table, job.family);
    lock.lock();
    if (status.ok() && job.major && job.family.empty()) {
      last_major_ms_[job.table] = clock_ms_();
    }
    running_ = {};
  }
}

void Compactor::Stop() {
  std::thread last;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    waiting_.clear();
    std::swap(last, thread_);
  }
  changed_.notify_all();
  if (last.joinable()) {
    last.join();
  }
}

}  // namespace klip::server
