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

void PatientFiles::Stop() {
  const std::lock_guard lock(mutex_);
  stopping_ = true;
  stopped_.notify_all();
}

}  // namespace klip::engine
