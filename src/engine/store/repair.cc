#include "engine/store/repair.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "rocksdb/env.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table_properties.h"

#include "engine/layout/file_lookup.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/log/kept_logs.h"
#include "engine/log/log_cells.h"
#include "engine/log/log_check.h"
#include "engine/log/log_reader.h"
#include "engine/log/manifest.h"
#include "engine/rocks/store_directory.h"
#include "engine/store/catalog.h"
#include "engine/store/database.h"
#include "engine/store/file_checks.h"
#include "engine/store/manifest_mark.h"
#include "engine/store/small_file.h"
#include "engine/store/snapshots.h"

namespace klip::engine {
namespace {

namespace fs = std::filesystem;

// Continues after each damage. Calls `take` for each intact record.
Status ReadPastDamage(LogReader* reader, DamagedLog* log, const std::function<Status(std::string_view)>& take) {
  std::string record;
  uint64_t last = 0;
  while (true) {
    const Expected<bool> more = reader->Next(&record);
    if (!more.ok() && more.status().code() != Code::kCorruption) {
      return more.status();
    }
    if (LogRecordHead head; more.ok() && *more && ReadLogRecordHead(record, &head) && head.sequence > last) {
      last = head.count > 0 ? head.last() : last;
      log->kept_writes += head.count > 0 ? 1 : 0;
      log->kept_behind += head.count > 0 && log->places > 0 ? 1 : 0;
      KLIP_RETURN_IF_ERROR(take(record));
      continue;
    }
    const uint64_t broken = reader->end();
    KLIP_ASSIGN_OR_RETURN(const bool skipped, reader->SkipDamage());
    if (!skipped) {
      log->places = std::max<int64_t>(log->places, 1);  // its end; otherwise it would not be in the list
      return Status::Ok();
    }
    log->offset = log->places == 0 ? broken : log->offset;
    ++log->places;
    log->lost_bytes += static_cast<int64_t>(reader->end() - broken);
  }
}

Status SalvageLog(const std::string& from, const std::string& to, DamagedLog* log) {
  rocksdb::Env* const env = rocksdb::Env::Default();
  std::unique_ptr<rocksdb::RandomAccessFile> bytes;
  KLIP_RETURN_IF_ERROR(FromRocks(env->NewRandomAccessFile(from, &bytes, rocksdb::EnvOptions()), "opening " + from));
  LogReader reader(std::move(bytes), from);
  std::unique_ptr<rocksdb::WritableFile> file;
  if (!to.empty()) {
    KLIP_RETURN_IF_ERROR(FromRocks(env->NewWritableFile(to, &file, rocksdb::EnvOptions()), "creating " + to));
  }
  uint64_t offset = 0;
  KLIP_RETURN_IF_ERROR(ReadPastDamage(&reader, log, [&](std::string_view record) {
    std::string pieces;
    AppendLogRecord(record, &offset, &pieces);
    return file == nullptr ? Status::Ok() : FromRocks(file->Append(pieces), "writing " + to);
  }));
  return file == nullptr ? Status::Ok() : FromRocks(file->Close(), "writing " + to);
}

// By RocksDB's names of them; empty if CATALOG cannot be read.
std::map<std::string, std::string> FamilyTexts(rocksdb::Env* env, const std::string& store) {
  std::map<std::string, std::string> texts;
  const Expected<Catalog> catalog = ReadCatalog(env, store + "/" + kCatalogName);
  if (catalog.ok()) {
    for (const auto& [table, record] : catalog->tables) {
      for (const auto& [family, id] : record.family_ids) {
        texts[FamilyColumnName(id)] = "family '" + family + "' of table '" + table + "'";
      }
    }
  }
  return texts;
}

// What the store's MANIFEST says, as far as it can be read.
struct Manifest {
  std::string name;
  ManifestState state;
};

class Repair {
 public:
  // `to` empty: only reports.
  Repair(std::string store, std::string to)
      : env_(rocksdb::Env::Default()),
        store_(std::move(store)),
        to_(std::move(to)),
        families_(FamilyTexts(env_, store_)) {}

  Expected<RepairReport> Run() {
    KLIP_RETURN_IF_ERROR(FindManifest());
    KLIP_ASSIGN_OR_RETURN(std::vector<ReplacedFile> files, ReplaceDamagedFiles(env_, store_, manifest_.state));
    report_.files.insert(report_.files.end(), files.begin(), files.end());
    if (!to_.empty()) {
      KLIP_RETURN_IF_ERROR(CopyFiles());
    }
    KLIP_RETURN_IF_ERROR(SalvageLogs());
    KLIP_RETURN_IF_ERROR(SalvageTables());
    FindDamagedSnapshots();
    if (!to_.empty()) {
      KLIP_RETURN_IF_ERROR(WriteManifest());
      KLIP_RETURN_IF_ERROR(WriteReplacedFiles());
      KLIP_RETURN_IF_ERROR(SyncFileSystem(to_));
    }
    return std::move(report_);
  }

 private:
  Status FindManifest() {
    KLIP_ASSIGN_OR_RETURN(manifest_.name, FindManifestName(env_, store_, &report_.files));
    const std::string file = store_ + "/" + manifest_.name;
    std::unique_ptr<rocksdb::RandomAccessFile> bytes;
    KLIP_RETURN_IF_ERROR(FromRocks(env_->NewRandomAccessFile(file, &bytes, rocksdb::EnvOptions()), "opening " + file));
    LogReader reader(std::move(bytes), file);
    Expected<ManifestState> state = ReadManifest(&reader, file, UINT64_MAX);
    if (!state.ok() && state.status().code() == Code::kCorruption) {
      report_.manifest = CutManifest{.file = file, .bytes = reader.end()};
      state = ReadUpTo(file, reader.end());
    }
    KLIP_RETURN_IF_ERROR(state.status());
    manifest_.state = *std::move(state);
    if (const Expected<std::optional<CutManifest>> cut = FindCutManifest(env_, store_); cut.ok() && cut->has_value()) {
      report_.manifest = *cut;
    }
    if (!report_.manifest.has_value()) {
      return Status::Ok();
    }
    std::set<std::string> named;
    for (const auto& [number, name] : manifest_.state.families) {
      named.insert(name);
    }
    for (const auto& [name, text] : families_) {
      if (!named.contains(name)) {
        return {Code::kCorruption, report_.manifest->file + " is readable only up to byte " +
                                       std::to_string(report_.manifest->bytes) + ", and the " + text +
                                       " comes later, so a copy would not open. Restore a backup"};
      }
    }
    FindUnnamedTables();
    return Status::Ok();
  }

  Expected<ManifestState> ReadUpTo(const std::string& file, uint64_t end) const {
    std::unique_ptr<rocksdb::RandomAccessFile> bytes;
    KLIP_RETURN_IF_ERROR(FromRocks(env_->NewRandomAccessFile(file, &bytes, rocksdb::EnvOptions()), "opening " + file));
    LogReader reader(std::move(bytes), file);
    return ReadManifest(&reader, file, end);
  }

  // Files that cannot be read count as having no entries.
  void FindUnnamedTables() {
    std::set<std::string> named;
    for (const auto& [number, table] : manifest_.state.tables) {
      named.insert(TableName(number));
    }
    for (const std::string& name : TablesIn(store_)) {
      if (named.contains(name)) {
        continue;
      }
      UnnamedTable& table = report_.unnamed.emplace_back(UnnamedTable{.file = store_ + "/" + name, .family = {}});
      rocksdb::SstFileReader reader{rocksdb::Options()};
      if (reader.Open(table.file).ok()) {
        const std::shared_ptr<const rocksdb::TableProperties> properties = reader.GetTableProperties();
        table.family = FamilyText(properties->column_family_name);
        table.entries = static_cast<int64_t>(properties->num_entries);
      }
    }
  }

  // By name.
  std::vector<std::string> TablesIn(const std::string& directory) const {
    Expected<std::vector<std::string>> names = NamesIn(env_, directory);
    std::vector<std::string> tables;
    for (std::string& name : names.ok() ? *names : tables) {
      if (name.ends_with(".sst")) {
        tables.push_back(std::move(name));
      }
    }
    std::ranges::sort(tables);
    return tables;
  }
  std::string FamilyText(const std::string& name) const {
    const auto family = families_.find(name);
    return family == families_.end() ? "" : family->second;
  }

  // Copies all files except locks and RocksDB's messages.
  Status CopyFiles() const {
    std::error_code error;
    if (!fs::create_directory(to_, error) || error) {
      return {Code::kIoError, "creating the directory " + to_ + ": " + error.message()};
    }
    fs::permissions(to_, fs::perms::owner_all, error);
    for (fs::directory_iterator entry(store_, error); !error && entry != fs::directory_iterator();
         entry.increment(error)) {
      const std::string name = entry->path().filename();
      if (!name.ends_with("LOCK") && !name.starts_with("LOG")) {
        fs::copy(entry->path(), to_ + "/" + name, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
        if (error) {
          return {Code::kIoError, "copying " + entry->path().string() + ": " + error.message()};
        }
      }
    }
    return error ? Status(Code::kIoError, "reading the directory " + store_ + ": " + error.message()) : Status::Ok();
  }

  // Also those that are kept for peers and backups.
  Status SalvageLogs() {
    KLIP_ASSIGN_OR_RETURN(std::vector<LogDamage> damages, FindLogDamage(env_, store_));
    for (const char* kept : {kReplicationDirectory, kArchiveDirectory}) {
      KLIP_ASSIGN_OR_RETURN(const std::vector<LogDamage> more, FindKeptLogDamage(env_, store_ + "/" + kept));
      damages.insert(damages.end(), more.begin(), more.end());
    }
    for (const LogDamage& damage : damages) {
      DamagedLog& log = report_.logs.emplace_back(DamagedLog{.file = damage.file, .offset = damage.offset});
      KLIP_RETURN_IF_ERROR(
          SalvageLog(damage.file, to_.empty() ? std::string() : to_ + damage.file.substr(store_.size()), &log));
    }
    return Status::Ok();
  }

  Status SalvageTables() {
    uint64_t next = manifest_.state.next_file;
    for (const auto& [number, table] : manifest_.state.tables) {
      const std::string file = store_ + "/" + TableName(number);
      ++report_.table_files;
      if (VerifyTable(env_, file, /*direct=*/false).ok()) {
        continue;
      }
      const auto family = manifest_.state.families.find(table.family);
      DamagedTable& damaged = report_.tables.emplace_back(DamagedTable{.file = file, .family = {}});
      damaged.family = family == manifest_.state.families.end() ? "" : FamilyText(family->second);
      const std::string to = to_.empty() ? to_ : to_ + "/" + TableName(next);
      KLIP_ASSIGN_OR_RETURN(std::optional<WrittenTable> kept, SalvageTable(to, &damaged));
      if (kept.has_value()) {
        kept->number = next++;
      }
      edits_.push_back(ReplaceTableEdit(number, table, kept));
    }
    return Status::Ok();
  }

  void FindDamagedSnapshots() {
    const std::string all = store_ + "/snapshots";
    std::error_code error;
    for (fs::recursive_directory_iterator entry(all, error); !error && entry != fs::recursive_directory_iterator();
         entry.increment(error)) {
      if (entry->path().extension() == ".sst" && !VerifyTable(env_, entry->path(), /*direct=*/false).ok()) {
        report_.snapshot_files.push_back(entry->path());
      }
    }
    const Expected<std::vector<std::string>> names = NamesIn(env_, all);
    for (const std::string& name : names.ok() ? *names : std::vector<std::string>()) {
      FindMissingFiles(all + "/" + name);
    }
    std::ranges::sort(report_.snapshot_files);
  }

  // Of a snapshot whose record is readable.
  void FindMissingFiles(const std::string& snapshot) {
    const Expected<SnapshotRecord> record = ReadSnapshotRecord(env_, snapshot);
    const std::vector<FamilyDescriptor> families =
        record.ok() ? AllFamilies(record->table.descriptor) : std::vector<FamilyDescriptor>();
    for (size_t i = 0; i < families.size(); ++i) {
      const auto files = record->files.find(families[i].name);
      for (const SnapshotRecord::File& one :
           files == record->files.end() ? std::vector<SnapshotRecord::File>() : files->second) {
        const std::string table = snapshot + "/" + std::to_string(i) + one.name;
        if (const Expected<bool> there = FileIsThere(env_, table); there.ok() && !*there) {
          report_.snapshot_files.push_back(table);
        }
      }
    }
  }

  // The intact part of the MANIFEST, and edits that put the salvaged tables in the place of the damaged ones.
  Status WriteManifest() const {
    if (!report_.manifest.has_value() && edits_.empty()) {
      return Status::Ok();
    }
    const std::string file = to_ + "/" + manifest_.name;
    uint64_t end = manifest_.state.end;
    std::error_code error;
    fs::resize_file(file, end, error);
    if (error) {
      return {Code::kIoError, "writing " + file + ": " + error.message()};
    }
    std::string pieces;
    for (const std::string& edit : edits_) {
      AppendLogRecord(edit, &end, &pieces);
    }
    std::unique_ptr<rocksdb::WritableFile> manifest;
    rocksdb::Status status = env_->ReopenWritableFile(file, &manifest, rocksdb::EnvOptions());
    if (status.ok()) {
      status = manifest->Append(pieces);
    }
    if (status.ok()) {
      status = manifest->Close();
    }
    return FromRocks(status, "writing " + file);
  }

  Status WriteReplacedFiles() const {
    if (report_.manifest.has_value()) {  // its mark says that it was longer
      env_->DeleteFile(to_ + "/" + kManifestMarkName).PermitUncheckedError();
    }
    for (const UnnamedTable& table : report_.unnamed) {
      KLIP_RETURN_IF_ERROR(MoveToLost(fs::path(table.file).filename()));
    }
    for (const ReplacedFile& file : report_.files) {
      if (!file.bytes.has_value()) {
        KLIP_RETURN_IF_ERROR(MoveToLost(file.name));
        continue;
      }
      KLIP_RETURN_IF_ERROR(FromRocks(rocksdb::WriteStringToFile(env_, *file.bytes, to_ + "/" + file.name, true),
                                     "writing " + to_ + "/" + file.name));
    }
    return Status::Ok();
  }

  Status MoveToLost(const std::string& name) const {
    const fs::path from = fs::path(to_) / name;
    const fs::path lost = fs::path(to_) / "lost" / name;
    std::error_code error;
    if (!fs::exists(from, error)) {  // it was moved with its directory
      return Status::Ok();
    }
    fs::create_directories(lost.parent_path(), error);
    if (!error) {
      fs::rename(from, lost, error);
    }
    return error ? Status(Code::kIoError, "moving " + from.string() + " to " + lost.string() + ": " + error.message())
                 : Status::Ok();
  }

  rocksdb::Env* const env_;
  const std::string store_;
  const std::string to_;
  const std::map<std::string, std::string> families_;
  Manifest manifest_;
  std::vector<std::string> edits_;  // of the MANIFEST
  RepairReport report_;
};

}  // namespace

Expected<RepairReport> RepairStore(const std::string& store, const std::string& to, bool write) {
  std::error_code error;
  if (fs::exists(fs::symlink_status(to, error))) {
    return Status(Code::kInvalidArgument, "'" + to + "' already exists");
  }
  StoreDirectory directory;
  KLIP_RETURN_IF_ERROR(directory.Lock(store));
  return Repair(store, write ? to : std::string()).Run();
}

}  // namespace klip::engine
