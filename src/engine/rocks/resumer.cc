#include "engine/rocks/resumer.h"

#include <cstdint>

#include "rocksdb/convenience.h"

namespace klip::engine {

bool FlushWatch::IsLost() {
  uint64_t flushes = 0;
  uint64_t compactions = 0;
  db_->GetIntProperty(rocksdb::DB::Properties::kNumRunningFlushes, &flushes);
  db_->GetIntProperty(rocksdb::DB::Properties::kNumRunningCompactions, &compactions);
  const auto now = std::chrono::steady_clock::now();
  if (flushes + compactions > 0) {
    last_busy_ = now;
  }
  return now - last_busy_ > patience_;
}

Resumer::~Resumer() {
  if (thread_.joinable()) {
    rocksdb::CancelAllBackgroundWork(db_->get(), /*wait=*/false);  // ends the wait
    thread_.join();
  }
}

rocksdb::Status Resumer::Resume() {
  constexpr auto kBetween = std::chrono::milliseconds(100);
  result_.reset();
  thread_ = std::thread([this] {
    const rocksdb::Status status = (*db_)->Resume();
    const std::lock_guard lock(mutex_);
    result_ = status;
    changed_.notify_all();
  });
  FlushWatch watch(db_->get(), patience_);
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kBetween, [this] { return result_.has_value(); })) {
    lock.unlock();
    if (watch.IsLost()) {
      return rocksdb::Status::TimedOut("a flush does not begin");
    }
    lock.lock();
  }
  const rocksdb::Status status = *result_;
  lock.unlock();
  thread_.join();
  return status;
}

}  // namespace klip::engine
