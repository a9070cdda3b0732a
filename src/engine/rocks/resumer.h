// Resumes RocksDB's writes after an error, or detects that it cannot resume.
//
// RocksDB 7.8 may lose a flush: it schedules one, and an error stops the database before the flush thread takes it. Then
// the flush stays in the queue, and no thread ever takes it. DB::Resume flushes everything, and waits forever for this
// flush.
//
// Example: a put fills the memtable, so flush 7 is queued. The write of the MANIFEST fails before flush 7 starts. Resume then
// waits for flush 7. After kFlushPatience, it returns TimedOut, and the store must be opened again.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "rocksdb/db.h"

namespace klip::engine {

// TUNING: a flush begins within milliseconds, and a sync of the MANIFEST ends within seconds, even on a slow disk.
inline constexpr std::chrono::milliseconds kFlushPatience{60'000};

// Tells one wait for a flush whether it may still end.
class FlushWatch {
 public:
  explicit FlushWatch(rocksdb::DB* db, std::chrono::milliseconds patience = kFlushPatience)
      : db_(db), patience_(patience) {}

  // Whether nothing has been flushed or compacted for so long that a flush must be lost. Call it repeatedly.
  bool IsLost();

 private:
  rocksdb::DB* const db_;
  const std::chrono::milliseconds patience_;
  std::chrono::steady_clock::time_point last_busy_ = std::chrono::steady_clock::now();
};

// One thread at a time.
class Resumer {
 public:
  // `db` is opened before the first call, and outlives it.
  explicit Resumer(const std::unique_ptr<rocksdb::DB>* db, std::chrono::milliseconds patience = kFlushPatience)
      : db_(db), patience_(patience) {}
  ~Resumer();
  Resumer(const Resumer&) = delete;
  Resumer& operator=(const Resumer&) = delete;

  // Status of DB::Resume. TimedOut: a flush is lost, and only opening the database again helps. REQUIRES: no call has timed out.
  rocksdb::Status Resume();

 private:
  const std::unique_ptr<rocksdb::DB>* const db_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<rocksdb::Status> result_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace klip::engine
