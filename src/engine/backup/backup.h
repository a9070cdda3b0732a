// Backups of a store: made of one that is open or closed, whoever has it open, checked, and made stores of again.
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
  // Makes archive/ in the store, where each log goes from then on that RocksDB deletes; every later backup of the set takes over what is
  // there. So the set can be restored to any time since. Where archive/ is there already for this set, that goes on by itself.
  bool keep_logs = false;
  std::function<int64_t()> clock_ms;  // null: the system's
};

struct BackupReport {
  BackupRecord record;
  int64_t copied_files = 0;  // the others were in the set already
  uint64_t copied_bytes = 0;
};

// Every file is read whole where it is copied, and the checksums of table blocks are checked: no backup is made of a store that has a
// damaged table. What was written without log and not flushed is not in it, as after a crash. Left out: replication/ and LOG.
// Errors: those of CaptureStore and BackupSet::OpenToWrite; kCorruption naming a damaged file; kIoError. Earlier backups stay as they are.
Expected<BackupReport> CreateBackup(const std::string& store, const std::string& backups, const BackupOptions& options);

struct BackupCheck {
  int64_t files = 0;  // that were read, each once
  uint64_t bytes = 0;
  std::vector<std::string> damaged;  // "backup 3, 000012.sst: checksum mismatch"; also records that cannot be read
};
// Reads all that the backup, 0: all of them, holds. Errors: kInvalidArgument: no such backup; kIoError.
Expected<BackupCheck> VerifyBackups(const std::string& backups, uint64_t number);

struct RestoreOptions {
  uint64_t number = 0;           // 0: the newest
  std::optional<int64_t> at_ms;  // from the newest backup before that time, and the logs since; `number` is 0 then
};

struct RestoreReport {
  BackupRecord record;  // that it is from
  int64_t files = 0;    // that were written
  uint64_t bytes = 0;
  int64_t replayed_logs = 0;  // behind those of the backup
};
// Makes a store of a backup, in a directory that must not be there. All checksums are checked; after an error the directory is gone.
// Errors: kInvalidArgument: `to` is there, no such backup, the time is before the first or behind the last; kCorruption: what is needed
// is damaged; kDoNotRetry: the logs do not lead to that time, since one is missing or tables were changed meanwhile; kIoError.
Expected<RestoreReport> RestoreBackup(const std::string& backups, const std::string& to, const RestoreOptions& options);

}  // namespace klip::engine
