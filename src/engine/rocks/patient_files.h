// PatientFiles: a file system that waits while there are no free file descriptors, and creates files only inside the
// store.
//
// RocksDB treats a table that could not be created as a fatal error, although nothing was written. And its recovery from
// such errors (7.8) may wait forever for a flush that it has forgotten. So PatientFiles hides short shortages from it.
//
// It also keeps the store's directory open for RocksDB, which opens it again for each new column family, after the family
// is in the MANIFEST. If that failed, the family would stay half-made, and RocksDB would abort when it writes the next
// MANIFEST.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "rocksdb/file_system.h"

#include "engine/rocks/store_directory.h"

namespace klip::engine {

// Thread-safe.
class PatientFiles final : public rocksdb::FileSystemWrapper {
 public:
  // `directory` outlives it.
  PatientFiles(const std::shared_ptr<rocksdb::FileSystem>& files, const StoreDirectory* directory)
      : FileSystemWrapper(files), directory_(directory) {}
  const char* Name() const override { return "klip.PatientFiles"; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& name, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus CreateDirIfMissing(const std::string& name, const rocksdb::IOOptions& options,
                                       rocksdb::IODebugContext* debug) override;
  // From now on, calls do not wait.
  void Stop();

 private:
  // Repeats `open` while there is no descriptor, for up to half a minute.
  rocksdb::IOStatus Open(const std::function<rocksdb::IOStatus()>& open);

  const StoreDirectory* const directory_;
  std::mutex mutex_;
  std::condition_variable stopped_;
  // Guarded by mutex_:
  bool stopping_ = false;
  std::unique_ptr<rocksdb::FSDirectory> opened_;  // the store's directory; null: not yet
};

}  // namespace klip::engine
