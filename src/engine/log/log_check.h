// Finds damage in RocksDB's logs. RocksDB's recovery takes it for the torn end that a crash leaves, and silently drops
// what follows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/env.h"

#include "klip/status.h"

namespace klip::engine {

// An unreadable record that intact ones follow, in this log or the next. A record that is cut short or zeroed, at the end
// of the log, is a torn end and not damage.
struct LogDamage {
  uint64_t log = 0;
  std::string file;
  uint64_t offset = 0;
};

// Checks the logs in the store's directory; results by number. REQUIRES: the store is not open.
Expected<std::vector<LogDamage>> FindLogDamage(rocksdb::Env* env, const std::string& store);
// Checks those in replication/ or archive/, which have no torn ends (CutTornLog).
Expected<std::vector<LogDamage>> FindKeptLogDamage(rocksdb::Env* env, const std::string& directory);

}  // namespace klip::engine
