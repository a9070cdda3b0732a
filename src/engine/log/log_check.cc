// Tells damage from a torn end. A crash may leave the last record of a log incomplete; RocksDB's recovery ignores it,
// which is right. Recovery does the same at damage in the middle of a log, and silently drops all later records, which is
// not.
//
// For each log, ExtentOf finds the last intact record, then searches behind it for another one with a higher sequence
// number. If one exists, the place between is damage. If the log ends there, the next log decides: if its first record
// has the next sequence number, nothing was lost; otherwise the end is damage too.
//
// Example: 000012.log has records 1, 2 and 3, and the bytes of 2 changed. Record 3 is intact and follows: damage. If
// instead the bytes of 3 changed, the log is readable up to 2. If 000014.log starts at 3, the store continued after a
// crash: no damage. If it starts at 4, record 3 was lost: damage. If there is no later log, it is not reported.
#include "engine/log/log_check.h"

#include <memory>
#include <optional>

#include "engine/layout/rocksdb_status.h"
#include "engine/log/kept_logs.h"
#include "engine/log/log_cells.h"
#include "engine/log/log_reader.h"

namespace klip::engine {
namespace {

struct LogExtent {
  uint64_t first = 0;                 // sequence number of the first intact record; 0: there is none
  uint64_t last = 0;                  // of the last one before `broken_at`
  std::optional<uint64_t> broken_at;  // of a record that is neither cut short nor zeroed
  bool others_follow = false;         // intact records follow that place
};

// A value may contain a log, whose bytes look like records, but their sequence numbers are lower than the surrounding
// ones.
bool IsRecordAbove(uint64_t last, std::string_view record) {
  LogRecordHead head;
  return ReadLogRecordHead(record, &head) && head.count > 0 && head.sequence > last;
}

Expected<LogExtent> ExtentOf(LogReader* reader) {
  LogExtent extent;
  std::string record;
  Expected<bool> more = reader->Next(&record);
  for (; more.ok() && *more; more = reader->Next(&record)) {
    if (LogRecordHead head; ReadLogRecordHead(record, &head) && head.count > 0) {
      extent.first = extent.first == 0 ? head.sequence : extent.first;
      extent.last = head.last();
    }
  }
  const Status broken = more.status();
  if (!broken.ok() && broken.code() != Code::kCorruption) {
    return broken;
  }
  const uint64_t end = reader->end();
  while (true) {
    KLIP_ASSIGN_OR_RETURN(const bool skipped, reader->SkipDamage());
    if (!skipped) {
      break;
    }
    more = reader->Next(&record);
    if (more.ok() && *more && IsRecordAbove(extent.last, record)) {
      extent.others_follow = true;
      extent.broken_at = end;
      return extent;
    }
  }
  if (!broken.ok() && reader->end() == end) {
    KLIP_ASSIGN_OR_RETURN(const bool zeroes, reader->SkipZeroes());
    extent.broken_at = zeroes ? std::nullopt : std::optional(end);
  }
  return extent;
}

}  // namespace

Expected<std::vector<LogDamage>> FindLogDamage(rocksdb::Env* env, const std::string& store) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<uint64_t> logs, LogNumbers(env, store, /*kept=*/false));
  std::vector<LogDamage> damages;
  // a damaged end, which is damage if the next log does not continue where this one became unreadable
  std::optional<LogDamage> open;
  uint64_t last = 0;
  for (const uint64_t log : logs) {
    const std::string file = store + "/" + LogName(log);
    std::unique_ptr<rocksdb::RandomAccessFile> bytes;
    KLIP_RETURN_IF_ERROR(FromRocks(env->NewRandomAccessFile(file, &bytes, rocksdb::EnvOptions()), "opening " + file));
    LogReader reader(std::move(bytes), file);
    KLIP_ASSIGN_OR_RETURN(const LogExtent extent, ExtentOf(&reader));
    if (open.has_value() && extent.first != 0) {
      if (extent.first != last + 1) {
        damages.push_back(*open);
      }
      open.reset();
    }
    if (extent.others_follow) {
      damages.push_back({log, file, *extent.broken_at});
    } else if (extent.broken_at.has_value()) {
      open = LogDamage{log, file, *extent.broken_at};
      last = extent.last;
    }
  }
  return damages;
}

Expected<std::vector<LogDamage>> FindKeptLogDamage(rocksdb::Env* env, const std::string& directory) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<uint64_t> logs, LogNumbers(env, directory, /*kept=*/false));
  std::vector<LogDamage> damages;
  for (const uint64_t log : logs) {
    const std::string file = directory + "/" + LogName(log);
    std::unique_ptr<rocksdb::RandomAccessFile> bytes;
    const rocksdb::Status opened = env->NewRandomAccessFile(file, &bytes, rocksdb::EnvOptions());
    if (opened.IsNotFound() || opened.IsPathNotFound()) {  // deleted meanwhile
      continue;
    }
    KLIP_RETURN_IF_ERROR(FromRocks(opened, "opening " + file));
    LogReader reader(std::move(bytes), file);
    std::string record;
    Expected<bool> more = reader.Next(&record);
    while (more.ok() && *more) {
      more = reader.Next(&record);
    }
    if (!more.ok() && more.status().code() != Code::kCorruption) {
      return more.status();
    }
    KLIP_ASSIGN_OR_RETURN(const bool whole, reader.IsAtEnd());
    if (!whole) {
      damages.push_back({log, file, reader.end()});
    }
  }
  return damages;
}

}  // namespace klip::engine
