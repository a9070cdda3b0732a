// Repair of a damaged store: a copy that opens. Its logs and tables have what can be read of the damaged ones; if the MANIFEST is
// damaged, its tables are those that the intact part names; klip's own files are replaced (repair_files.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/manifest_mark.h"
#include "engine/store/repair_files.h"
#include "engine/store/repair_tables.h"
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

// A table file that a damaged MANIFEST does not name: its rows are not in the copy, unless other tables or a log have them too.
// The file is in lost/ there.
struct UnnamedTable {
  std::string file;
  std::string family;  // "family 'd' of table 't'"; empty: no existing family
  int64_t entries = 0;
};

struct RepairReport {
  std::vector<ReplacedFile> files;
  std::vector<DamagedLog> logs;  // also those that are kept for peers and backups
  std::optional<CutManifest> manifest;
  std::vector<UnnamedTable> unnamed;  // only if the MANIFEST is damaged
  std::vector<DamagedTable> tables;
  std::vector<std::string>
      snapshot_files;       // files of snapshots that are damaged or missing; they are copied as they are
  int64_t table_files = 0;  // of the store, without snapshots

  bool is_whole() const {
    return files.empty() && logs.empty() && !manifest.has_value() && tables.empty() && snapshot_files.empty();
  }
};

// Looks at the store, and with `write` makes the copy in `to`, which must not be there. The store itself is only read.
// Errors: kStoreInUse; kInvalidArgument: `to` is there; kCorruption: no copy would open; kIoError.
Expected<RepairReport> RepairStore(const std::string& store, const std::string& to, bool write);

}  // namespace klip::engine
