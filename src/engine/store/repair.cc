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

#include "engine/layout/rocksdb_status.h"
#include "engine/log/log_cells.h"
#include "engine/log/log_check.h"
#include "engine/log/log_reader.h"
#include "engine/rocks/store_directory.h"
#include "engine/store/catalog.h"
#include "engine/store/manifest_mark.h"
#include "engine/store/small_file.h"

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

bool IsWholeTable(const std::string& file) {
  rocksdb::SstFileReader reader{rocksdb::Options()};
  return reader.Open(file).ok() && reader.VerifyChecksum().ok();
}

// By RocksDB's names of them; empty if CATALOG cannot be read.
std::map<std::string, std::string> FamilyTexts(rocksdb::Env* env, const std::string& store) {
  std::map<std::string, std::string> texts;
  const std::string file = store + "/" + kCatalogName;
  const Expected<std::string> sealed = ReadSmallFile(env, file);
  const Expected<std::string_view> json = sealed.ok() ? Unseal(*sealed, file) : sealed.status();
  const Expected<Catalog> catalog = json.ok() ? Catalog::FromJson(*json, file) : json.status();
  if (catalog.ok()) {
    for (const auto& [table, record] : catalog->tables) {
      for (const auto& [family, id] : record.family_ids) {
        texts["f" + std::to_string(id)] = "family '" + family + "' of table '" + table + "'";
      }
    }
  }
  return texts;
}

// The tables in the directory that are not in `named`. Files that cannot be read count as having no entries.
std::vector<UnnamedTable> UnnamedTables(rocksdb::Env* env, const std::string& store,
                                        const std::set<std::string>& named) {
  const std::map<std::string, std::string> families = FamilyTexts(env, store);
  std::vector<UnnamedTable> unnamed;
  std::error_code error;
  for (fs::directory_iterator entry(store, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->path().extension() != ".sst" || named.contains(entry->path().filename())) {
      continue;
    }
    UnnamedTable& table = unnamed.emplace_back(UnnamedTable{.file = entry->path(), .family = {}});
    rocksdb::SstFileReader reader{rocksdb::Options()};
    if (reader.Open(table.file).ok()) {
      const std::shared_ptr<const rocksdb::TableProperties> properties = reader.GetTableProperties();
      const auto family = families.find(properties->column_family_name);
      table.family = family == families.end() ? "" : family->second;
      table.entries = static_cast<int64_t>(properties->num_entries);
    }
  }
  std::ranges::sort(unnamed, {}, &UnnamedTable::file);
  return unnamed;
}

Status FindCut(rocksdb::Env* env, const std::string& store, RepairReport* report) {
  KLIP_ASSIGN_OR_RETURN(report->manifest, FindCutManifest(env, store));
  if (!report->manifest.has_value()) {
    return Status::Ok();
  }
  KLIP_ASSIGN_OR_RETURN(const std::set<std::string> named, TablesNamed(env, store));
  report->unnamed = UnnamedTables(env, store, named);
  for (const std::string& name : named) {
    std::error_code error;
    if (!fs::exists(store + "/" + name, error)) {
      return {Code::kCorruption, report->manifest->file + " was cut short, and names " + name +
                                     ", which is missing, so a copy would not open. Restore a backup"};
    }
  }
  return Status::Ok();
}

Status MoveToLost(const std::string& to, const std::vector<UnnamedTable>& tables) {
  std::error_code error;
  for (const UnnamedTable& table : tables) {
    const fs::path name = fs::path(table.file).filename();
    if (!fs::create_directory(to + "/lost", error) && error) {
      break;
    }
    fs::rename(fs::path(to) / name, fs::path(to) / "lost" / name, error);
    if (error) {
      break;
    }
  }
  return error ? Status(Code::kIoError, "moving files to " + to + "/lost: " + error.message()) : Status::Ok();
}

// Copies all files except those of `except`: an open store's lock and similar files, and rewritten logs.
Status CopyFiles(const std::string& store, const std::string& to, const std::set<std::string>& except) {
  std::error_code error;
  for (fs::directory_iterator entry(store, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    const std::string name = entry->path().filename();
    if (!except.contains(name) && !name.ends_with("LOCK") && !name.starts_with("LOG")) {
      fs::copy(entry->path(), to + "/" + name, fs::copy_options::recursive | fs::copy_options::copy_symlinks, error);
      if (error) {
        return {Code::kIoError, "copying " + entry->path().string() + ": " + error.message()};
      }
    }
  }
  return error ? Status(Code::kIoError, "reading the directory " + store + ": " + error.message()) : Status::Ok();
}

}  // namespace

Expected<RepairReport> RepairStore(const std::string& store, const std::string& to, bool write) {
  rocksdb::Env* const env = rocksdb::Env::Default();
  std::error_code error;
  if (fs::exists(fs::symlink_status(to, error))) {
    return Status(Code::kInvalidArgument, "'" + to + "' already exists");
  }
  StoreDirectory directory;
  KLIP_RETURN_IF_ERROR(directory.Lock(store));
  RepairReport report;
  KLIP_RETURN_IF_ERROR(FindCut(env, store, &report));
  KLIP_ASSIGN_OR_RETURN(const std::vector<LogDamage> damages, FindLogDamage(env, store));
  if (write && (!fs::create_directory(to, error) || error)) {
    return Status(Code::kIoError, "creating the directory " + to + ": " + error.message());
  }
  if (write) {
    fs::permissions(to, fs::perms::owner_all, error);
  }
  std::set<std::string> salvaged;  // and those that are omitted
  if (report.manifest.has_value()) {
    salvaged.insert(kManifestMarkName);
  }
  for (const LogDamage& damage : damages) {
    const std::string name = fs::path(damage.file).filename();
    DamagedLog& log = report.logs.emplace_back(DamagedLog{.file = damage.file, .offset = damage.offset});
    KLIP_RETURN_IF_ERROR(SalvageLog(damage.file, write ? to + "/" + name : std::string(), &log));
    salvaged.insert(name);
  }
  for (fs::directory_iterator entry(store, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (entry->path().extension() == ".sst") {
      ++report.table_files;
      if (!IsWholeTable(entry->path())) {
        report.tables.push_back(entry->path());
      }
    }
  }
  std::ranges::sort(report.tables);
  if (write) {
    KLIP_RETURN_IF_ERROR(CopyFiles(store, to, salvaged));
    KLIP_RETURN_IF_ERROR(MoveToLost(to, report.unnamed));
    KLIP_RETURN_IF_ERROR(SyncFileSystem(to));
  }
  return report;
}

}  // namespace klip::engine
