// Which logs lead from a backup to a later time, and where the last of them is cut.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/backup/backup_set.h"
#include "klip/status.h"

namespace klip::engine {

struct LogPart {
  BackupFile file;         // of the set
  uint64_t number = 0;     // of the log
  uint64_t cut_bytes = 0;  // the bytes of it to use
};

// `records`: ascending, the first is the one to start from. Errors: those of RestoreBackup.
Expected<std::vector<LogPart>> LogsUntil(const BackupSet& set, const std::vector<BackupRecord>& records, int64_t at_ms);

// "2026-11-26 01:02:03.456 UTC".
std::string TimeText(int64_t time_ms);

}  // namespace klip::engine
