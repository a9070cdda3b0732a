// A file system for tests whose syncs and writes fail on demand.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace klip::engine {

struct Faults {
  std::atomic<bool> fail_log_sync{false};
  std::atomic<bool> disk_full{false};
  std::atomic<bool> no_room_for_tables{false};
};

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> file, const std::string& name, const Faults* faults)
      : FSWritableFileOwnerWrapper(std::move(file)),
        is_log_(name.ends_with(".log")),
        is_table_(name.ends_with(".sst")),
        faults_(faults) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    if (faults_->disk_full || (is_table_ && faults_->no_room_for_tables)) {
      // A full disk takes the first bytes.
      FSWritableFileOwnerWrapper::Append({data.data(), data.size() / 2}, options, debug).PermitUncheckedError();
      rocksdb::IOStatus full = rocksdb::IOStatus::NoSpace("No space left on device");
      full.SetRetryable(true);  // as the operating system's file system marks it
      return full;
    }
    return FSWritableFileOwnerWrapper::Append(data, options, debug);
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& /*info*/, rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (is_log_ && faults_->fail_log_sync) {
      return rocksdb::IOStatus::IOError("injected: fsync failed");
    }
    return FSWritableFileOwnerWrapper::Sync(options, debug);
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return is_log_ && faults_->fail_log_sync ? Sync(options, debug) : FSWritableFileOwnerWrapper::Fsync(options, debug);
  }

 private:
  const bool is_log_;
  const bool is_table_;
  const Faults* const faults_;
};

class FaultFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultFileSystem(Faults* faults) : FileSystemWrapper(rocksdb::FileSystem::Default()), faults_(faults) {}
  const char* Name() const override { return "FaultFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (status.ok()) {
      *file = std::make_unique<FaultyFile>(std::move(*file), name, faults_);
    }
    return status;
  }

 private:
  Faults* const faults_;
};

}  // namespace klip::engine
