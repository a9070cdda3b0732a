// A backup contains the logs that its tables need, at their size of that time. Later backups contain the same logs,
// longer, and newer ones: live logs by their name, those that RocksDB would have deleted in archive/. When it opens,
// RocksDB replays every log that its MANIFEST still needs. So the store at a time between two backups is the earlier
// backup with more of the log, cut at that time.
//
// Time marks in the log say where to cut. Change marks say where the log is incomplete: column families were created or
// dropped there, or files loaded. For example, with backups at 10:00 and 11:00, "10:30" is backup 1 with the logs up to
// the first record with a time mark after 10:30. If a table was truncated at 10:20, restoring to 10:30 fails, since the
// log does not contain the truncation.
//
// If the machine's clock was set back from 10:40 to 10:10, the times between these occur twice, and klip refuses to choose.
#include "engine/backup/point_in_time.h"

#include <algorithm>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "rocksdb/env.h"

#include "engine/layout/batch_reader.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/log/kept_logs.h"
#include "engine/log/log_mark.h"
#include "engine/log/log_reader.h"

namespace klip::engine {
namespace {

constexpr std::string_view kArchivePrefix = "archive/";
constexpr int64_t kMsPerSecond = 1000;

std::optional<uint64_t> LiveLogOf(const BackupFile& file) { return LogNumber(file.path); }

// The number of a live or archived log.
std::optional<uint64_t> LogOf(const BackupFile& file) {
  std::string_view path = file.path;
  path.remove_prefix(path.starts_with(kArchivePrefix) ? kArchivePrefix.size() : 0);
  return LogNumber(path);
}

using LogFiles = std::map<uint64_t, BackupFile>;

LogFiles LogsOf(const BackupRecord& record) {
  LogFiles logs;
  for (const BackupFile& file : record.files) {
    if (const std::optional<uint64_t> number = LogOf(file); number.has_value()) {
      logs[*number] = file;
    }
  }
  return logs;
}

Status NotThere(int64_t at_ms, const std::string& why) {
  return {Code::kDoNotRetry, "cannot restore " + TimeText(at_ms) + ": " + why};
}

// Whether all logs that were live at `before` are in `after`. Then all later ones are too, since RocksDB deletes them in
// order.
Status CheckFollows(const BackupRecord& before, const LogFiles& after, uint64_t after_number, int64_t at_ms) {
  for (const BackupFile& file : before.files) {
    const std::optional<uint64_t> number = LiveLogOf(file);
    if (!number.has_value()) {
      continue;
    }
    const auto later = after.find(*number);
    if (later == after.end() || later->second.bytes < file.bytes) {
      return NotThere(at_ms, "the log " + file.path + " of backup " + std::to_string(before.number) +
                                 " is not in backup " + std::to_string(after_number) +
                                 ". Were logs kept all the time (klip backup create --keep-logs)?");
    }
  }
  return Status::Ok();
}

struct Marks {
  std::optional<int64_t> time_ms;
  std::optional<int64_t> change_ms;
};

Marks MarksOf(std::string_view record) {
  Marks marks;
  BatchReader changes(record);
  LoggedChange change;
  for (Expected<bool> more = changes.Next(&change); more.ok() && *more; more = changes.Next(&change)) {
    int64_t time_ms = 0;
    if (change.kind != LoggedChange::Kind::kMark) {
      continue;
    }
    if (DecodeTime(kTimeMark, change.key, &time_ms)) {
      marks.time_ms = std::max(marks.time_ms.value_or(time_ms), time_ms);
    } else if (DecodeTime(kChangeMark, change.key, &time_ms)) {
      marks.change_ms = time_ms;
    }
  }
  return marks;
}

// Finds the record that begins after a time. Reads the logs in order, also those behind it: as far as they are readable, they tell
// whether the time occurs again.
class CutFinder {
 public:
  CutFinder(const BackupSet& set, int64_t at_ms) : set_(set), at_ms_(at_ms) {}

  // Whether a log had that record.
  bool found() const { return newest_ms_ != kNone; }

  // Sets log->cut_bytes. `had`: the log's size in the first backup. Errors: kDoNotRetry: the log does not tell what happened
  // until that time, or the time occurs again after it; kIoError.
  Status Read(uint64_t had, LogPart* log) {
    const std::string path = set_.PathOf(log->file);
    rocksdb::Env* const env = rocksdb::Env::Default();
    std::unique_ptr<rocksdb::RandomAccessFile> bytes;
    const rocksdb::Status opened = env->NewRandomAccessFile(path, &bytes, rocksdb::EnvOptions());
    if (!opened.ok() && found()) {
      return Status::Ok();  // the store at that time does not need it
    }
    KLIP_RETURN_IF_ERROR(FromRocks(opened, "opening " + path));
    LogReader reader(std::move(bytes), log->file.path);
    log->cut_bytes = log->file.bytes;
    std::string record;
    while (true) {
      const uint64_t begin = reader.end();
      const Expected<bool> more = reader.Next(&record);
      if (!more.ok() && more.status().code() != Code::kCorruption && !found()) {
        return more.status();
      }
      if (!more.ok() || !*more) {  // its end, or a torn one: kept unchanged
        return Status::Ok();
      }
      if (begin >= had) {
        const bool before = found();
        KLIP_RETURN_IF_ERROR(Take(MarksOf(record)));
        log->cut_bytes = found() && !before ? begin : log->cut_bytes;
      }
    }
  }

 private:
  static constexpr int64_t kNone = INT64_MIN;

  Status Take(const Marks& marks) {
    // Two threads may write their marks in the other order.
    constexpr int64_t kSetBackMs = 10'000;
    const int64_t time_ms = std::max(marks.time_ms.value_or(kNone), marks.change_ms.value_or(kNone));
    if (time_ms > at_ms_) {
      newest_ms_ = std::max(newest_ms_, time_ms);
    } else if (found() && time_ms != kNone && newest_ms_ - time_ms > kSetBackMs) {
      return NotThere(at_ms_,
                      "the clock was set back from " + TimeText(newest_ms_) + " to " + TimeText(time_ms) +
                          ", so this time occurs twice. Choose a time outside of these, or a backup (--number)");
    } else if (!found() && marks.change_ms.has_value()) {
      return NotThere(at_ms_,
                      "at " + TimeText(*marks.change_ms) +
                          " tables were created, dropped, truncated or restored, or files were loaded, which logs do "
                          "not record. Choose an earlier time, or a backup created later");
    }
    return Status::Ok();
  }

  const BackupSet& set_;
  const int64_t at_ms_;
  int64_t newest_ms_ = kNone;  // of the marks after at_ms
};

}  // namespace

std::string TimeText(int64_t time_ms) {
  const std::time_t seconds = static_cast<std::time_t>(time_ms / kMsPerSecond);
  std::tm parts = {};
  gmtime_r(&seconds, &parts);
  char text[32];
  std::string out(text, std::strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &parts));
  const std::string digits = std::to_string(kMsPerSecond + time_ms % kMsPerSecond);
  return out.append(".").append(digits.substr(1)).append(" UTC");
}

Expected<std::vector<LogPart>> LogsUntil(const BackupSet& set, const std::vector<BackupRecord>& records,
                                         int64_t at_ms) {
  const BackupRecord& base = records.front();
  LogFiles all = LogsOf(base);
  const LogFiles had = all;
  uint64_t first = UINT64_MAX;  // older ones are only in the archive
  for (const BackupFile& file : base.files) {
    first = std::min(first, LiveLogOf(file).value_or(UINT64_MAX));
  }
  for (size_t i = 1; i < records.size(); ++i) {
    if (!records[i - 1].keeps_logs) {
      return NotThere(at_ms, "no logs were kept since backup " + std::to_string(records[i - 1].number) +
                                 " (klip backup create --keep-logs)");
    }
    const LogFiles later = LogsOf(records[i]);
    KLIP_RETURN_IF_ERROR(CheckFollows(records[i - 1], later, records[i].number, at_ms));
    for (const auto& [number, file] : later) {
      if (!all.contains(number) || all[number].bytes <= file.bytes) {
        all[number] = file;
      }
    }
  }
  std::vector<LogPart> logs;
  CutFinder finder(set, at_ms);
  for (const auto& [number, file] : all) {
    if (number < first) {
      continue;
    }
    LogPart log = {.file = file, .number = number};
    const auto before = had.find(number);
    const bool behind = finder.found();
    KLIP_RETURN_IF_ERROR(finder.Read(before == had.end() ? 0 : before->second.bytes, &log));
    if (!behind) {
      logs.push_back(std::move(log));
    }
  }
  return logs;
}

}  // namespace klip::engine
