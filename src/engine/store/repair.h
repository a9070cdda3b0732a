// Repair of a store that does not open because its log is damaged: a copy, whose logs have what can be read of the
// damaged ones.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "klip/status.h"

namespace klip::engine {

struct DamagedLog {
  std::string file;
  uint64_t offset = 0;  // of the first damage
  int64_t places = 0;   // that cannot be read
  int64_t lost_bytes = 0;
  int64_t kept_writes = 0;
  int64_t kept_behind = 0;  // of these, behind the first damage: RocksDB would have dropped them
};

struct RepairReport {
  std::vector<DamagedLog> logs;
  std::vector<std::string> tables;  // files that cannot be read whole; they are copied as they are
  int64_t table_files = 0;
};

// Looks at the store, and with `write` makes the copy in `to`, which must not be there. The store itself is only read.
// Errors: kStoreInUse; kInvalidArgument: `to` is there; kIoError.
Expected<RepairReport> RepairStore(const std::string& store, const std::string& to, bool write);

}  // namespace klip::engine
