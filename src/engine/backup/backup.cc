#include "engine/backup/backup.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <system_error>
#include <utility>

#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/unique_id.h"
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/digest.h"
#include "base/paths.h"
#include "engine/backup/point_in_time.h"
#include "engine/backup/store_capture.h"
#include "engine/layout/bloom_prefix.h"
#include "engine/layout/file_lookup.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/log/kept_logs.h"
#include "engine/store/small_file.h"

namespace klip::engine {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOwnerName = "BACKUPS";  // in archive/: the id of the set that receives its logs
constexpr const char* kFormatFile = "FORMAT";
constexpr const char* kSequenceFile = "SEQUENCE";

bool IsTable(const std::string& path) { return path.ends_with(".sst"); }

std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') {
    path.pop_back();
  }
  return path;
}

Status OpenTableFile(const std::string& path, const std::string& name, rocksdb::SstFileReader* reader) {
  RegisterBloomPrefixes();
  const Status status = FromRocks(reader->Open(path), "reading " + name);
  return status.ok() ? status : Status(Code::kCorruption, status.message() + ". A damaged store is not backed up");
}

// Empty for a file of an old RocksDB, which had no such ids.
Expected<std::string> TableIdOf(const CapturedFile& file, const std::string& name) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  KLIP_RETURN_IF_ERROR(OpenTableFile("/proc/self/fd/" + std::to_string(file.file.get()), name, &reader));
  std::string id;
  return rocksdb::GetExtendedUniqueIdFromTableProperties(*reader.GetTableProperties(), &id).ok() ? base::Hex(id)
                                                                                                 : std::string();
}

Status CheckTable(const std::string& copy, const std::string& name) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  KLIP_RETURN_IF_ERROR(OpenTableFile(copy, name, &reader));
  const rocksdb::Status status = reader.VerifyChecksum();
  return status.ok()
             ? Status::Ok()
             : Status(Code::kCorruption, name + ": " + status.ToString() + ". A damaged store is not backed up");
}

// --- Kept logs ---

// Whether logs are archived for this set.
Expected<bool> KeepsLogs(const std::string& store, const BackupSet& set, bool begin) {
  rocksdb::Env* const env = rocksdb::Env::Default();
  const std::string archive = store + "/" + kArchiveDirectory;
  const std::string owner = archive + "/" + kOwnerName;
  KLIP_ASSIGN_OR_RETURN(bool kept, FileIsThere(env, owner));
  if (begin && !kept) {
    KLIP_RETURN_IF_ERROR(FromRocks(env->CreateDirIfMissing(archive), "creating " + archive));
    KLIP_RETURN_IF_ERROR(ReplaceFile(env, archive, kOwnerName, Seal(set.id() + "\n")));
    KLIP_RETURN_IF_ERROR(SyncDirectory(env, store));
    kept = true;
  }
  if (!kept) {
    return false;
  }
  KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(env, owner));
  KLIP_ASSIGN_OR_RETURN(const std::string_view id, Unseal(sealed, owner));
  const bool ours = id == set.id() + "\n";
  if (begin && !ours) {
    return Status(
        Code::kInvalidArgument,
        "the logs of '" + store + "' are kept for another directory of backups; remove " + archive + " to end that");
  }
  return ours;
}

// Before a backup: from now on, it may have the store's empty logs.
Status ExpectBackup(const std::string& store) {
  const std::string archive = store + "/" + kArchiveDirectory;
  std::error_code error;
  const bool removed = fs::remove(archive + "/" + kNoNewBackup, error);
  if (error) {
    return {Code::kIoError, "deleting " + archive + "/" + kNoNewBackup + ": " + error.message()};
  }
  return removed ? SyncDirectory(rocksdb::Env::Default(), archive) : Status::Ok();
}

// Deletes archived logs that the set contains now.
Status DropArchived(const std::string& store, const std::vector<CapturedFile>& files) {
  for (const CapturedFile& file : files) {
    if (file.path.starts_with(kArchiveDirectory)) {
      std::error_code error;
      fs::remove(store + "/" + file.path, error);
      if (error) {
        return {Code::kIoError,
                "the backup is complete, but deleting " + store + "/" + file.path + ": " + error.message()};
      }
    }
  }
  return Status::Ok();
}

// --- Creating a backup ---

using KnownTables = std::map<std::pair<std::string, uint64_t>, std::string>;  // by id and size: their SHA-256

KnownTables TablesOf(const std::vector<BackupRecord>& records) {
  KnownTables known;
  for (const BackupRecord& record : records) {
    for (const BackupFile& file : record.files) {
      if (!file.table_id.empty()) {
        known[{file.table_id, file.bytes}] = file.sha256;
      }
    }
  }
  return known;
}

Expected<BackupFile> AddFile(const BackupSet& set, const CapturedFile& file, const std::string& name,
                             const KnownTables& known, BackupReport* report) {
  BackupFile one = {.path = file.path, .sha256 = {}, .bytes = file.bytes, .table_id = {}};
  const bool table = IsTable(file.path);
  if (table) {
    KLIP_ASSIGN_OR_RETURN(one.table_id, TableIdOf(file, name));
    if (const auto found = known.find({one.table_id, one.bytes});
        found != known.end() && set.Has(found->second, one.bytes)) {
      one.sha256 = found->second;
      return one;
    }
  }
  const auto check = [&](const std::string& copy) { return table ? CheckTable(copy, name) : Status::Ok(); };
  bool is_new = false;
  KLIP_ASSIGN_OR_RETURN(one.sha256, set.Add(file.file.get(), file.bytes, name, check, &is_new));
  report->copied_files += is_new ? 1 : 0;
  report->copied_bytes += is_new ? file.bytes : 0;
  return one;
}

}  // namespace

Expected<BackupReport> CreateBackup(const std::string& store_path, const std::string& backups,
                                    const BackupOptions& options) {
  const std::string store = WithoutSlash(store_path);
  const auto now_ms = [&] { return options.clock_ms == nullptr ? base::SystemMs() : options.clock_ms(); };
  std::error_code error;
  KLIP_ASSIGN_OR_RETURN(const bool there, FileIsThere(rocksdb::Env::Default(), store + "/" + kFormatFile));
  if (!there) {
    return Status(Code::kInvalidArgument, "no store at '" + store + "'");
  }
  KLIP_RETURN_IF_ERROR(base::CheckOutsideStores(backups));
  KLIP_ASSIGN_OR_RETURN(const BackupSet set, BackupSet::OpenToWrite(backups));
  std::vector<Status> unreadable;  // `verify` reports them; a new backup is all the more needed
  KLIP_ASSIGN_OR_RETURN(const std::vector<BackupRecord> before, set.Records(&unreadable));
  BackupReport report;
  BackupRecord& record = report.record;
  KLIP_ASSIGN_OR_RETURN(record.number, set.NextNumber());
  record.store = fs::absolute(store, error).string();
  KLIP_ASSIGN_OR_RETURN(record.keeps_logs, KeepsLogs(store, set, options.keep_logs));
  if (record.keeps_logs) {
    KLIP_RETURN_IF_ERROR(ExpectBackup(store));
  }
  record.begun_ms = now_ms();
  KLIP_ASSIGN_OR_RETURN(const std::vector<CapturedFile> files, CaptureStore(store, record.keeps_logs));
  record.time_ms = now_ms();
  KnownTables known = TablesOf(before);
  for (const CapturedFile& file : files) {
    KLIP_ASSIGN_OR_RETURN(BackupFile one, AddFile(set, file, store + "/" + file.path, known, &report));
    if (!one.table_id.empty()) {  // a snapshot may have it too
      known[{one.table_id, one.bytes}] = one.sha256;
    }
    record.files.push_back(std::move(one));
  }
  KLIP_RETURN_IF_ERROR(set.AddRecord(record));
  KLIP_RETURN_IF_ERROR(DropArchived(store, files));
  return report;
}

// --- Checking ---

namespace {

// Copies the file to `to`; with -1, only reads it.
Status ReadBackupFile(const BackupSet& set, const BackupRecord& record, const BackupFile& file, int to) {
  const std::string name = "backup " + std::to_string(record.number) + ", " + file.path;
  // Without O_NONBLOCK, opening a pipe waits for its writer.
  const base::Descriptor from(::open(set.PathOf(file).c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (from.get() < 0) {
    return {errno == ENOENT ? Code::kCorruption : Code::kIoError,
            name + ": opening " + set.PathOf(file) + ": " + base::ErrorText(errno)};
  }
  struct stat info{};
  if (::fstat(from.get(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return {Code::kCorruption, name + ": " + set.PathOf(file) + " is not a regular file"};
  }
  if (static_cast<uint64_t>(info.st_size) != file.bytes) {
    return {Code::kCorruption,
            name + ": " + set.PathOf(file) + " does not have " + std::to_string(file.bytes) + " bytes"};
  }
  base::Sha256Stream digest;
  KLIP_RETURN_IF_ERROR(CopyBytes(from.get(), to, file.bytes, name, [&](std::string_view piece) { digest.Add(piece); }));
  return base::Hex(digest.Value()) == file.sha256
             ? Status::Ok()
             : Status(Code::kCorruption, name + ": checksum mismatch in " + set.PathOf(file));
}

}  // namespace

Expected<BackupCheck> VerifyBackups(const std::string& backups, uint64_t number) {
  KLIP_ASSIGN_OR_RETURN(const BackupSet set, BackupSet::Open(backups));
  std::vector<Status> unreadable;
  KLIP_ASSIGN_OR_RETURN(std::vector<BackupRecord> records, set.Records(&unreadable));
  if (number != 0) {
    std::erase_if(records, [&](const BackupRecord& one) { return one.number != number; });
    if (records.empty() && unreadable.empty()) {
      return Status(Code::kInvalidArgument, "no backup " + std::to_string(number) + " in '" + backups + "'");
    }
  }
  BackupCheck check;
  for (const Status& status : unreadable) {
    check.damaged.push_back(status.message());
  }
  std::map<std::string, bool> whole;  // by SHA-256
  for (const BackupRecord& record : records) {
    for (const BackupFile& file : record.files) {
      const auto [at, is_new] = whole.try_emplace(file.sha256, true);
      if (is_new) {
        const Status status = ReadBackupFile(set, record, file, /*to=*/-1);
        at->second = status.ok();
        ++check.files;
        check.bytes += file.bytes;
        if (!status.ok()) {
          check.damaged.push_back(status.message());
        }
      } else if (!at->second) {
        check.damaged.push_back("backup " + std::to_string(record.number) + ", " + file.path + ": has the same file");
      }
    }
  }
  return check;
}

// --- Restoring ---

namespace {

Status NoBackupAt(int64_t at_ms, const std::vector<BackupRecord>& records) {
  return {Code::kInvalidArgument, TimeText(at_ms) + " is not in the time of these backups, " +
                                      TimeText(records.front().time_ms) + " to " + TimeText(records.back().begun_ms)};
}

// `is_first`: the first record is the one to start from.
Expected<std::vector<BackupRecord>> ChosenAt(const std::vector<BackupRecord>& records, int64_t at_ms, bool is_first) {
  const auto is_above = [&](const BackupRecord& one) { return one.time_ms > at_ms; };
  const auto above = std::ranges::find_if(records, is_above);
  const auto again = std::find_if_not(above, records.end(), is_above);
  if (again != records.end() && !is_first) {
    return Status(Code::kInvalidArgument, "the clock was set back before backup " + std::to_string(again->number) +
                                              ", so " + TimeText(at_ms) +
                                              " may occur twice. Name the backup to start from (--number)");
  }
  // Only the first one made after that time is needed.
  const auto reaches =
      std::find_if(above, records.end(), [&](const BackupRecord& one) { return one.begun_ms >= at_ms; });
  if (above == records.begin() || (reaches == records.end() && records.back().time_ms != at_ms)) {
    return NoBackupAt(at_ms, records);
  }
  return std::vector<BackupRecord>(is_first ? records.begin() : above - 1,
                                   reaches == records.end() ? reaches : reaches + 1);
}

// The backup to start from, and the later ones that contain more of the log. `records` is not empty.
Expected<std::vector<BackupRecord>> Chosen(std::vector<BackupRecord> records, const RestoreOptions& options) {
  if (options.number != 0) {
    const auto found = std::ranges::find(records, options.number, &BackupRecord::number);
    if (found == records.end()) {
      return Status(Code::kInvalidArgument, "no backup " + std::to_string(options.number));
    }
    records.erase(records.begin(), found);
    records.resize(options.at_ms.has_value() ? records.size() : 1);
  }
  return options.at_ms.has_value() ? ChosenAt(records, *options.at_ms, /*is_first=*/options.number != 0)
                                   : std::vector<BackupRecord>{records.back()};
}

// One restore, into a directory that it has created.
class Restoring {
 public:
  Restoring(const BackupSet& set, std::string to, const std::vector<BackupRecord>& records)
      : set_(set), to_(std::move(to)), records_(records) {}

  // Writes FORMAT last: without it, the directory is not a store.
  Expected<RestoreReport> Run(const std::optional<int64_t>& at_ms) {
    const BackupRecord& base = records_.front();
    report_.record = base;
    for (const BackupFile& file : base.files) {
      const bool log = LogNumber(file.path).has_value();
      if (file.path.starts_with(kArchiveDirectory) || file.path == kFormatFile || (at_ms.has_value() && log)) {
        continue;
      }
      // The sequence numbers of the newest backup, since the logs may contain them.
      const BackupFile* const last = file.path == kSequenceFile ? records_.back().Find(kSequenceFile) : nullptr;
      KLIP_RETURN_IF_ERROR(Write(last != nullptr ? records_.back() : base, last != nullptr ? *last : file, file.path));
    }
    if (at_ms.has_value()) {
      KLIP_RETURN_IF_ERROR(WriteLogs(*at_ms));
    }
    KLIP_RETURN_IF_ERROR(SyncFileSystem(to_));
    const BackupFile* const format = base.Find(kFormatFile);
    if (format == nullptr) {
      return Status(Code::kCorruption, "backup " + std::to_string(base.number) + " has no FORMAT");
    }
    KLIP_RETURN_IF_ERROR(Write(base, *format, kFormatFile));
    KLIP_RETURN_IF_ERROR(SyncFileSystem(to_));
    return report_;
  }

 private:
  Status WriteLogs(int64_t at_ms) {
    KLIP_ASSIGN_OR_RETURN(const std::vector<LogPart> logs, LogsUntil(set_, records_, at_ms));
    for (const LogPart& log : logs) {
      const std::string name = LogName(log.number);
      KLIP_RETURN_IF_ERROR(Write(records_.back(), log.file, name));
      std::error_code error;
      fs::resize_file(to_ + "/" + name, log.cut_bytes, error);
      if (error) {
        return {Code::kIoError, "cutting " + to_ + "/" + name + ": " + error.message()};
      }
      report_.replayed_logs += records_.front().Find(name) == nullptr ? 1 : 0;
    }
    return Status::Ok();
  }

  Status Write(const BackupRecord& record, const BackupFile& file, const std::string& as) {
    const fs::path path = to_ + "/" + as;
    std::error_code error;
    fs::create_directories(path.parent_path(), error);
    const base::Descriptor out(::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
    if (error || out.get() < 0) {
      return {Code::kIoError, "creating " + path.string() + ": " + (error ? error.message() : base::ErrorText(errno))};
    }
    ++report_.files;
    report_.bytes += file.bytes;
    return ReadBackupFile(set_, record, file, out.get());
  }

  const BackupSet& set_;
  const std::string to_;
  const std::vector<BackupRecord>& records_;
  RestoreReport report_;
};

}  // namespace

Expected<RestoreReport> RestoreBackup(const std::string& backups, const std::string& to_path,
                                      const RestoreOptions& options) {
  const std::string to = WithoutSlash(to_path);
  std::error_code error;
  if (fs::exists(fs::symlink_status(to, error))) {
    return Status(Code::kInvalidArgument, "'" + to + "' already exists");
  }
  KLIP_RETURN_IF_ERROR(base::CheckOutsideStores(to));
  KLIP_ASSIGN_OR_RETURN(const BackupSet set, BackupSet::Open(backups));
  std::vector<Status> unreadable;
  KLIP_ASSIGN_OR_RETURN(std::vector<BackupRecord> all, set.Records(&unreadable));
  if (!unreadable.empty() && (options.number == 0 || options.at_ms.has_value())) {
    return Status(Code::kCorruption, unreadable.front().message() + ". Choose a backup by its number");
  }
  if (all.empty()) {
    return Status(Code::kInvalidArgument, "no backups in '" + backups + "'");
  }
  KLIP_ASSIGN_OR_RETURN(const std::vector<BackupRecord> records, Chosen(std::move(all), options));
  if (!fs::create_directory(to, error) || error) {
    return Status(Code::kIoError, "creating the directory " + to + ": " + error.message());
  }
  fs::permissions(to, fs::perms::owner_all, error);
  Expected<RestoreReport> report = Restoring(set, to, records).Run(options.at_ms);
  if (!report.ok()) {
    fs::remove_all(to, error);
  }
  return report;
}

}  // namespace klip::engine
