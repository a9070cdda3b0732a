// Backups of a store, open or closed: creating, verifying and restoring them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/backup/backup_set.h"
#include "klip/status.h"

namespace klip::engine {

struct BackupOptions {
  // Creates archive/ in the store: from then on, each log that RocksDB deletes moves there, and the next backup of the
  // set collects them. So the set can be restored to any later time. If archive/ exists already for this set, this
  // continues in any case.
  bool keep_logs = false;
  std::function<int64_t()> clock_ms;  // null: the system's
};

struct BackupReport {
  BackupRecord record;
  int64_t copied_files = 0;  // the others were in the set already
  uint64_t copied_bytes = 0;
};

// Reads each copied file completely and checks the checksums of table blocks: a store with a damaged table gets no
// backup. As after a crash, unlogged writes that were not flushed are missing. Excluded: replication/ and LOG. Errors:
// those of CaptureStore and BackupSet::OpenToWrite; kCorruption naming a damaged file; kIoError. Earlier backups stay
// unchanged.
Expected<BackupReport> CreateBackup(const std::string& store, const std::string& backups, const BackupOptions& options);

struct BackupCheck {
  int64_t files = 0;  // files read, each once
  uint64_t bytes = 0;
  std::vector<std::string> damaged;  // "backup 3, 000012.sst: checksum mismatch"; also unreadable records
};
// Reads all contents of a backup, or of all backups if `number` is 0. Errors: kInvalidArgument: no such backup; kIoError.
Expected<BackupCheck> VerifyBackups(const std::string& backups, uint64_t number);

struct RestoreOptions {
  uint64_t number = 0;           // 0: the newest, or the newest before at_ms
  std::optional<int64_t> at_ms;  // restores the logs since then, too
};

struct RestoreReport {
  BackupRecord record;  // of the restored backup
  int64_t files = 0;    // files written
  uint64_t bytes = 0;
  int64_t replayed_logs = 0;  // logs replayed in addition to the backup's
};
// Creates a store from a backup, in a directory that must not exist. Checks all checksums; after an error the directory
// is gone. Errors: kInvalidArgument: `to` exists, no such backup, the time is before the first backup or after the last, or
// may belong to several, as the clock was set back; kCorruption: a needed file is damaged; kDoNotRetry: the logs do not lead to
// that time, because one is missing, tables were changed or the clock was set back meanwhile; kIoError.
Expected<RestoreReport> RestoreBackup(const std::string& backups, const std::string& to, const RestoreOptions& options);

}  // namespace klip::engine
