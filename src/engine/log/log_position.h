// A point in RocksDB's log.
#pragma once

#include <cstdint>

namespace klip::engine {

// After all files below `log`, and in that file after all records up to this sequence number.
struct LogPosition {
  uint64_t log = 0;
  uint64_t sequence = 0;

  bool operator==(const LogPosition&) const = default;
};

}  // namespace klip::engine
