// Checks all files of a store's directory without opening the store: checksums of tables, logs, MANIFEST, snapshots and
// small files. For `klip doctor --deep`, and for the scrubber of a server (scrubber.h).
#pragma once

#include <string>
#include <vector>

#include "rocksdb/status.h"

#include "klip/status.h"

namespace rocksdb {
class Env;
}

namespace klip::engine {

// Reads a whole table and compares its checksums, and the bytes of its footer that RocksDB does not check.
rocksdb::Status VerifyTable(rocksdb::Env* env, const std::string& file, bool direct);

struct FileDamage {
  std::string file;  // its path
  std::string what;
};

struct FileCheck {
  std::vector<FileDamage> damages;
  int64_t files = 0;  // that were checked
};

// `env` null: the system's. `is_open`: another process writes to the store, so the newest log is not checked, and files
// that disappear meanwhile are not errors. `direct`: reads tables past the system's cache if the file system can, so that
// the disk itself is read. Errors: kIoError: the directory cannot be read; kCancelled: `env` stopped the reading.
Expected<FileCheck> CheckStoreFiles(rocksdb::Env* env, const std::string& store, bool is_open, bool direct);

}  // namespace klip::engine
