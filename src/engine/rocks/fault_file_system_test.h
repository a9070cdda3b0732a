// A file system for tests whose syncs and writes fail on demand.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

namespace klip::engine {

struct Faults {
  std::atomic<bool> fail_log_sync{false};
  std::atomic<bool> disk_full{false};
  std::atomic<bool> no_room_for_tables{false};
  std::atomic<bool> no_room_for_logs{false};
  std::atomic<int64_t> free_bytes{INT64_MAX};           // of a small disk
  std::atomic<int64_t> manifest_syncs_left{INT64_MAX};  // that succeed
  std::atomic<bool> fail_directory_sync{false};
  std::atomic<bool> fail_directory_open{false};
  std::atomic<bool> no_descriptors{false};     // for new tables
  std::atomic<int64_t> links_left{INT64_MAX};  // that succeed
  std::atomic<int64_t> reads_left{INT64_MAX};  // of files that are loaded, that succeed
  std::atomic<int64_t> refused_opens{0};
  std::atomic<int64_t> log_syncs{0};        // that succeeded
  std::atomic<int64_t> file_syncs{0};       // of all files, that succeeded
  std::atomic<int64_t> directory_syncs{0};  // that succeeded
  // syncs of one by a thread that could still lose its link of a table beside it
  std::atomic<int64_t> early_manifests{0};
  std::mutex mutex;
  std::string unseen;  // suffix of names whose existence cannot be checked; empty: none; guarded by mutex
  std::set<std::string> synced_directories;            // guarded by mutex
  std::map<std::string, std::thread::id> linked_into;  // directories since their last sync; guarded by mutex
};

class FaultyFile final : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  FaultyFile(std::unique_ptr<rocksdb::FSWritableFile> file, const std::string& name, Faults* faults)
      : FSWritableFileOwnerWrapper(std::move(file)),
        is_log_(name.ends_with(".log")),
        is_table_(name.ends_with(".sst")),
        is_manifest_(name.find("/MANIFEST-") != std::string::npos),
        directory_(name.substr(0, name.rfind('/'))),
        faults_(faults) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    if (faults_->disk_full || (is_table_ && faults_->no_room_for_tables) || (is_log_ && faults_->no_room_for_logs)) {
      // A full disk still accepts the first bytes.
      FSWritableFileOwnerWrapper::Append({data.data(), data.size() / 2}, options, debug).PermitUncheckedError();
      return Full();
    }
    size_ += static_cast<int64_t>(data.size());
    if (!TakeRoom(size_)) {
      return Full();
    }
    return FSWritableFileOwnerWrapper::Append(data, options, debug);
  }
  rocksdb::IOStatus Allocate(uint64_t offset, uint64_t bytes, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
    if (!TakeRoom(static_cast<int64_t>(offset + bytes))) {
      return Full();
    }
    return FSWritableFileOwnerWrapper::Allocate(offset, bytes, options, debug);
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& /*info*/, rocksdb::IODebugContext* debug) override {
    return Append(data, options, debug);
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if ((is_log_ && faults_->fail_log_sync) || (is_manifest_ && faults_->manifest_syncs_left-- <= 0)) {
      return rocksdb::IOStatus::IOError("injected: fsync failed");
    }
    if (is_manifest_) {
      const std::lock_guard lock(faults_->mutex);
      const auto linked = faults_->linked_into.find(directory_);
      faults_->early_manifests +=
          linked != faults_->linked_into.end() && linked->second == std::this_thread::get_id() ? 1 : 0;
    }
    faults_->log_syncs += is_log_ ? 1 : 0;
    ++faults_->file_syncs;
    return FSWritableFileOwnerWrapper::Sync(options, debug);
  }
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    return Sync(options, debug);
  }

 private:
  static rocksdb::IOStatus Full() {
    rocksdb::IOStatus full = rocksdb::IOStatus::NoSpace("No space left on device");
    full.SetRetryable(true);  // as the operating system's file system marks it
    return full;
  }
  // Reserves space up to the byte `end` of the file.
  bool TakeRoom(int64_t end) {
    const int64_t more = end - room_;
    if (more <= 0 || faults_->free_bytes == INT64_MAX) {
      return true;
    }
    if (faults_->free_bytes.fetch_sub(more) < more) {
      faults_->free_bytes += more;
      return false;
    }
    room_ = end;
    return true;
  }

  int64_t size_ = 0;
  int64_t room_ = 0;
  const bool is_log_;
  const bool is_table_;
  const bool is_manifest_;
  const std::string directory_;
  Faults* const faults_;
};

class FaultyDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  FaultyDirectory(std::unique_ptr<rocksdb::FSDirectory> directory, std::string name, Faults* faults)
      : FSDirectoryWrapper(std::move(directory)), name_(std::move(name)), faults_(faults) {}
  rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug) override {
    if (faults_->fail_directory_sync) {
      return rocksdb::IOStatus::IOError("injected: fsync of a directory failed");
    }
    NoteSynced();
    return FSDirectoryWrapper::Fsync(options, debug);
  }
  rocksdb::IOStatus FsyncWithDirOptions(const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug,
                                        const rocksdb::DirFsyncOptions& how) override {
    // RocksDB 9 rejects a change if it cannot sync its OPTIONS, which klip does not read: that sync must not fail.
    if (faults_->fail_directory_sync && how.renamed_new_name.find("OPTIONS") == std::string::npos) {
      return Fsync(options, debug);
    }
    NoteSynced();
    return FSDirectoryWrapper::FsyncWithDirOptions(options, debug, how);
  }

 private:
  void NoteSynced() {
    ++faults_->directory_syncs;
    const std::lock_guard lock(faults_->mutex);
    faults_->synced_directories.insert(name_);
    faults_->linked_into.erase(name_);
  }

  const std::string name_;
  Faults* const faults_;
};

// A file that is loaded or imported.
class FaultyLoad final : public rocksdb::FSRandomAccessFileOwnerWrapper {
 public:
  FaultyLoad(std::unique_ptr<rocksdb::FSRandomAccessFile> file, Faults* faults)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), faults_(faults) {}
  rocksdb::IOStatus Read(uint64_t offset, size_t bytes, const rocksdb::IOOptions& options, rocksdb::Slice* result,
                         char* scratch, rocksdb::IODebugContext* debug) const override {
    return faults_->reads_left-- == 0
               ? rocksdb::IOStatus::IOError("injected: read failed")
               : FSRandomAccessFileOwnerWrapper::Read(offset, bytes, options, result, scratch, debug);
  }
  rocksdb::IOStatus Prefetch(uint64_t /*offset*/, size_t /*bytes*/, const rocksdb::IOOptions& /*options*/,
                             rocksdb::IODebugContext* /*debug*/) override {
    return rocksdb::IOStatus::NotSupported();
  }

 private:
  Faults* const faults_;
};

class FaultFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  explicit FaultFileSystem(Faults* faults) : FileSystemWrapper(rocksdb::FileSystem::Default()), faults_(faults) {}
  const char* Name() const override { return "FaultFileSystem"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    if (faults_->no_descriptors && name.ends_with(".sst")) {
      ++faults_->refused_opens;
      return rocksdb::IOStatus::IOError("While open a file for appending: " + name + ": Too many open files");
    }
    rocksdb::IOStatus status = FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (status.ok()) {
      *file = std::make_unique<FaultyFile>(std::move(*file), name, faults_);
    }
    return status;
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override {
    rocksdb::IOStatus status = FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
    if (status.ok() && name.find("/load/") != std::string::npos) {
      *file = std::make_unique<FaultyLoad>(std::move(*file), faults_);
    }
    return status;
  }
  rocksdb::IOStatus FileExists(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override {
    {
      const std::lock_guard lock(faults_->mutex);
      if (!faults_->unseen.empty() && name.ends_with(faults_->unseen)) {
        return rocksdb::IOStatus::IOError("injected: access failed");
      }
    }
    return FileSystemWrapper::FileExists(name, options, debug);
  }
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override {
    if (faults_->fail_directory_open) {
      return rocksdb::IOStatus::IOError("injected: open of a directory failed");
    }
    rocksdb::IOStatus status = FileSystemWrapper::NewDirectory(name, options, directory, debug);
    if (status.ok()) {
      *directory = std::make_unique<FaultyDirectory>(std::move(*directory), name, faults_);
    }
    return status;
  }
  rocksdb::IOStatus LinkFile(const std::string& source, const std::string& target, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override {
    if (faults_->links_left-- == 0) {
      return rocksdb::IOStatus::IOError("injected: link failed");
    }
    const rocksdb::IOStatus status = FileSystemWrapper::LinkFile(source, target, options, debug);
    const std::lock_guard lock(faults_->mutex);
    faults_->linked_into[target.substr(0, target.rfind('/'))] = std::this_thread::get_id();
    return status;
  }

 private:
  Faults* const faults_;
};

}  // namespace klip::engine
