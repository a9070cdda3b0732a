// Repair of a store that does not open because its log is damaged, or its MANIFEST cut short: a copy, whose logs have what can be read of
// the damaged ones, and whose tables are those that the MANIFEST still names.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/manifest_mark.h"
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

// A table file that a MANIFEST which was cut short does not name: its rows are not in the copy, unless other tables or a log have them
// too. The file is in lost/ there.
struct UnnamedTable {
  std::string file;
  std::string family;  // "family 'd' of table 't'"; empty: no existing family
  int64_t entries = 0;
};

struct RepairReport {
  std::vector<DamagedLog> logs;
  std::optional<CutManifest> manifest;
  std::vector<UnnamedTable> unnamed;  // unless it was cut, none are told
  std::vector<std::string> tables;    // files that cannot be read whole; they are copied as they are
  int64_t table_files = 0;
};

// Looks at the store, and with `write` makes the copy in `to`, which must not be there. The store itself is only read.
// Errors: kStoreInUse; kInvalidArgument: `to` is there; kIoError.
Expected<RepairReport> RepairStore(const std::string& store, const std::string& to, bool write);

}  // namespace klip::engine
