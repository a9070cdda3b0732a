// LogRoom: disk space for RocksDB's log, reserved before a write begins.
//
// RocksDB cannot continue a log that it failed to extend; it first has to flush everything in memory, for which a full
// disk has no space either. A write that is rejected beforehand leaves no trace: writing resumes as soon as the next
// write fits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "rocksdb/file_system.h"

namespace klip::engine {

// Thread-safe.
class LogRoom {
 public:
  // Reserves space for a batch of so many bytes. False: the disk is full.
  bool Take(uint64_t batch_bytes);

  // Wraps a new log file, which becomes the current one.
  std::unique_ptr<rocksdb::FSWritableFile> Wrap(std::unique_ptr<rocksdb::FSWritableFile> file);

 private:
  class LogFile;

  // Both REQUIRE mutex_.
  rocksdb::IOStatus Extend(int64_t bytes);
  void Begin(rocksdb::FSWritableFile* file);
  void End(const rocksdb::FSWritableFile* file);

  std::atomic<int64_t> left_{0};  // of the reserved space
  std::mutex mutex_;
  rocksdb::FSWritableFile* file_ = nullptr;  // the current log; null: unknown. Guarded by mutex_
  int64_t end_ = 0;                          // of the reserved space in the file. Guarded by mutex_
};

}  // namespace klip::engine
