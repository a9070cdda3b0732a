// Damage in RocksDB's logs, which its recovery takes for the torn end that a crash leaves: it drops what follows
// without a word.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rocksdb/env.h"

#include "klip/status.h"

namespace klip::engine {

// A record that cannot be read, with whole ones behind it, in this log or the next. One that is cut short, or zeroes,
// and nothing behind it in the log: that is a torn end, and no damage.
struct LogDamage {
  uint64_t log = 0;
  std::string file;
  uint64_t offset = 0;
};

// In the logs that RocksDB has in the store's directory, by number. REQUIRES: the store is not open.
Expected<std::vector<LogDamage>> FindLogDamage(rocksdb::Env* env, const std::string& store);

}  // namespace klip::engine
