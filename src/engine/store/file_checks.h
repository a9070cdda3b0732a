// Checks of all that a store's directory holds, without opening the store: checksums of tables, logs, MANIFEST, snapshots and small
// files. For `klip doctor --deep`, and for the scrub of a server (scrubber.h).
#pragma once

#include <string>
#include <vector>

#include "klip/status.h"

namespace rocksdb {
class Env;
}

namespace klip::engine {

struct FileDamage {
  std::string file;  // its path
  std::string what;
};

struct FileCheck {
  std::vector<FileDamage> damages;
  int64_t files = 0;  // that were looked at
};

// `env` null: the system's. `is_open`: somebody writes to the store: the newest log is not looked at, and what is gone in the middle was not needed any more.
// `direct`: tables are read past the system's cache, where the file system can do that, so that the disk is asked. Errors: kIoError: the
// directory cannot be read; kCancelled: `env` refused to read on.
Expected<FileCheck> CheckStoreFiles(rocksdb::Env* env, const std::string& store, bool is_open, bool direct);

}  // namespace klip::engine
