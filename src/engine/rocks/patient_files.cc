#include "engine/rocks/patient_files.h"

#include <chrono>

namespace klip::engine {

rocksdb::IOStatus PatientFiles::Open(const std::function<rocksdb::IOStatus()>& open) {
  constexpr int kTries = 300;
  constexpr auto kBetween = std::chrono::milliseconds(100);
  rocksdb::IOStatus status = open();
  for (int i = 1;
       i < kTries && status.IsIOError() && status.ToString().find("Too many open files") != std::string::npos; ++i) {
    std::unique_lock lock(mutex_);
    if (stopped_.wait_for(lock, kBetween, [&] { return stopping_; })) {
      break;
    }
    lock.unlock();
    status = open();
  }
  return status;
}

rocksdb::IOStatus PatientFiles::NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                                std::unique_ptr<rocksdb::FSWritableFile>* file,
                                                rocksdb::IODebugContext* debug) {
  if (!directory_->InPlace()) {
    return rocksdb::IOStatus::IOError(name + " cannot be created: the store's directory has been moved or replaced");
  }
  return Open([&] { return FileSystemWrapper::NewWritableFile(name, options, file, debug); });
}

rocksdb::IOStatus PatientFiles::NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                                    std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                                    rocksdb::IODebugContext* debug) {
  return Open([&] { return FileSystemWrapper::NewRandomAccessFile(name, options, file, debug); });
}

namespace {

// The store's directory as one of its users sees it: the others still need it when this one closes it.
class SharedDirectory final : public rocksdb::FSDirectoryWrapper {
 public:
  explicit SharedDirectory(rocksdb::FSDirectory* opened) : FSDirectoryWrapper(opened) {}
  rocksdb::IOStatus Close(const rocksdb::IOOptions& /*options*/, rocksdb::IODebugContext* /*debug*/) override {
    return rocksdb::IOStatus::OK();
  }
};

}  // namespace

rocksdb::IOStatus PatientFiles::NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                             std::unique_ptr<rocksdb::FSDirectory>* directory,
                                             rocksdb::IODebugContext* debug) {
  if (name != directory_->path()) {
    return FileSystemWrapper::NewDirectory(name, options, directory, debug);
  }
  const std::lock_guard lock(mutex_);
  if (opened_ == nullptr) {
    const rocksdb::IOStatus status = FileSystemWrapper::NewDirectory(name, options, &opened_, debug);
    if (!status.ok()) {
      return status;
    }
  }
  *directory = std::make_unique<SharedDirectory>(opened_.get());
  return rocksdb::IOStatus::OK();
}

rocksdb::IOStatus PatientFiles::CreateDirIfMissing(const std::string& name, const rocksdb::IOOptions& options,
                                                   rocksdb::IODebugContext* debug) {
  {
    const std::lock_guard lock(mutex_);
    if (opened_ != nullptr && name == directory_->path()) {
      return rocksdb::IOStatus::OK();
    }
  }
  return FileSystemWrapper::CreateDirIfMissing(name, options, debug);
}

void PatientFiles::Stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  stopped_.notify_all();
}

}  // namespace klip::engine
