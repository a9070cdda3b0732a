// Room on the disk for RocksDB's log, taken before a write begins. RocksDB does not go on after a log that it could not extend, until
// all that is in memory is in tables, for which a full disk has no room either. A write that is refused before leaves no trace: writing
// goes on as soon as there is room for the next one.
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
  // For a batch of so many bytes. False: the disk is full.
  bool Take(uint64_t batch_bytes);

  // The log that `file` is, newly made, becomes the one that is written to, when it is wrapped.
  std::unique_ptr<rocksdb::FSWritableFile> Wrap(std::unique_ptr<rocksdb::FSWritableFile> file);

 private:
  class LogFile;

  // REQUIRES: mutex_ is held, both.
  rocksdb::IOStatus Extend(int64_t bytes);
  void Begin(rocksdb::FSWritableFile* file);
  void End(const rocksdb::FSWritableFile* file);

  std::atomic<int64_t> left_{0};  // of what was taken of the disk
  std::mutex mutex_;
  rocksdb::FSWritableFile* file_ = nullptr;  // that is written to; null: none is known. Guarded by mutex_
  int64_t end_ = 0;                          // of what was taken, in the file. Guarded by mutex_
};

}  // namespace klip::engine
