#include "engine/store/database.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "base/clock.h"
#include "base/process.h"
#include "engine/layout/bloom_prefix.h"
#include "engine/layout/file_lookup.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/log/log_check.h"
#include "engine/store/catalog.h"
#include "engine/store/loaded_bounds.h"
#include "engine/store/manifest_mark.h"
#include "engine/store/small_file.h"

namespace klip::engine {

// --- Events ---

void StoreEvents::OnFlushBegin(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& /*info*/) {
  rewrites.fetch_add(1, std::memory_order_acq_rel);
}

void StoreEvents::OnFlushCompleted(rocksdb::DB* /*db*/, const rocksdb::FlushJobInfo& /*info*/) {
  file_generation.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard lock(mutex);
  ++new_files;
  changed.notify_all();
}

void StoreEvents::OnCompactionBegin(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& /*info*/) {
  rewrites.fetch_add(1, std::memory_order_acq_rel);
  running_compactions.fetch_add(1, std::memory_order_relaxed);
}

void StoreEvents::OnCompactionCompleted(rocksdb::DB* /*db*/, const rocksdb::CompactionJobInfo& info) {
  blocks_->Forget(info.cf_id, info.input_files);
  running_compactions.fetch_sub(1, std::memory_order_relaxed);
  file_generation.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard lock(mutex);
  ++compactions;
  changed.notify_all();
}

// After a full disk, RocksDB cannot finish the log file that it abandons, and takes that for an unrecoverable error. It
// is recoverable (Writer::MakeRoom).
void StoreEvents::OnBackgroundError(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status* error) {
  if (IsAbandonedLog(*error)) {
    *error = rocksdb::Status(*error, rocksdb::Status::Severity::kHardError);
  }
  const std::lock_guard lock(mutex);
  ++failures;
  failure = *error;
  changed.notify_all();
}

// RocksDB's own recovery would continue with a log file that has failed. The store resumes when it is safe
// (Writer::MakeRoom).
void StoreEvents::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason /*reason*/, rocksdb::Status /*error*/,
                                       bool* auto_recovery) {
  *auto_recovery = false;
}

void StoreEvents::OnExternalFileIngested(rocksdb::DB* /*db*/, const rocksdb::ExternalFileIngestionInfo& /*info*/) {
  file_generation.fetch_add(1, std::memory_order_acq_rel);
  const std::lock_guard lock(mutex);
  ++new_files;
  changed.notify_all();
}

void StoreEvents::OnColumnFamilyHandleDeletionStarted(rocksdb::ColumnFamilyHandle* handle) {
  blocks_->ForgetAll(handle->GetID());
}

void StoreEvents::Stop() {
  const std::lock_guard hold(mutex);
  stopping = true;
  changed.notify_all();
}

// --- The directory ---

namespace {

constexpr std::string_view kFormatHead = "klip store, format ";
constexpr int kFirstFormat = 1;
constexpr const char* kLockName = "STORE.LOCK";

// A new directory survives a power cut only if its parent was synced. A parent without read permission cannot be synced.
Status SyncParent(rocksdb::Env* env, const std::string& path) {
  const std::string parent = std::filesystem::path(path).parent_path();
  const std::string opened = parent.empty() ? "." : parent;
  return ::access(opened.c_str(), R_OK) == 0 ? SyncDirectory(env, opened) : Status::Ok();
}

Status MakeDirectories(rocksdb::Env* env, const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string parent = path.substr(0, slash);
    KLIP_ASSIGN_OR_RETURN(const bool there, FileIsThere(env, parent));
    if (!there) {
      KLIP_RETURN_IF_ERROR(FromRocks(env->CreateDirIfMissing(parent), "creating the directory " + parent));
      KLIP_RETURN_IF_ERROR(SyncParent(env, parent));
    }
  }
  KLIP_ASSIGN_OR_RETURN(const bool there, FileIsThere(env, path));
  if (there) {
    return SyncParent(env, path);  // an open that was killed may have created it
  }
  KLIP_RETURN_IF_ERROR(FromRocks(env->CreateDirIfMissing(path), "creating the directory " + path));
  std::error_code error;  // a store is for its owner only, whatever the umask is
  std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
  return error ? Status(Code::kIoError, "setting the permissions of " + path + ": " + error.message())
               : SyncParent(env, path);
}

// Files that a crash of the very first open may leave.
bool IsFirstOpenRest(const std::string& name) {
  return name == "." || name == ".." || name == kLockName || name == std::string(kFormatName) + ".new";
}

// RocksDB starts so many threads for each column family, even if there are few files to open.
int FileOpeningThreads(const std::vector<std::string>& files) {
  constexpr int64_t kFilesPerThread = 16;  // TUNING: opening a file takes about as long as starting and ending a thread
  const auto tables = std::ranges::count_if(files, [](const std::string& file) { return file.ends_with(".sst"); });
  return static_cast<int>(std::clamp<int64_t>(tables / kFilesPerThread, 1, 16));
}

// A store keeps at most half of the process's descriptors for tables: the others are for logs, connections, and the program itself. If it has
// more tables than that, or may have soon, RocksDB opens and closes them as it reads them. Otherwise it keeps all open, which saves a look-up
// for each read of a table.
void LimitOpenTables(const std::vector<std::string>& files, rocksdb::DBOptions* options) {
  constexpr size_t kLeast = 20;           // RocksDB's own limit
  constexpr size_t kTablesPerShard = 32;  // each shard of its cache of open tables has room for one at least
  const auto tables =
      static_cast<size_t>(std::ranges::count_if(files, [](const std::string& file) { return file.ends_with(".sst"); }));
  const size_t half = base::DescriptorLimit() / 2;
  if (tables > half / 2) {
    options->max_open_files = static_cast<int>(std::clamp<size_t>(half, kLeast, INT32_MAX));
    while (options->table_cache_numshardbits > 0 && half >> options->table_cache_numshardbits < kTablesPerShard) {
      --options->table_cache_numshardbits;
    }
  }
}

// RocksDB keeps the log of each open until the next flush: a store that is only read would accumulate empty ones. A backup may have one,
// and proves by it that no log is missing: then `archiving` deletes them. Else, as far as is known, archive/ would accumulate them.
void DeleteEmptyLogs(rocksdb::Env* files_env, rocksdb::Env* archiving, const std::string& path,
                     const std::vector<std::string>& files) {
  const std::string archive = path + "/" + kArchiveDirectory;
  const std::string mark = archive + "/" + kNoNewBackup;
  const bool no_backup_has_them = files_env->FileExists(mark).ok();
  rocksdb::Env* const env = no_backup_has_them ? files_env : archiving;
  bool all = true;
  for (const std::string& file : files) {
    uint64_t bytes = 1;
    if (file.ends_with(".log") && env->GetFileSize(path + "/" + file, &bytes).ok() && bytes == 0) {
      all = env->DeleteFile(path + "/" + file).ok() && all;
    }
  }
  if (all && !no_backup_has_them && files_env->FileExists(archive).ok()) {
    rocksdb::WriteStringToFile(files_env, "", mark).PermitUncheckedError();
  }
}

StoreOptions Completed(StoreOptions options) {
  while (options.path.size() > 1 && options.path.back() == '/') {
    options.path.pop_back();
  }
  if (options.clock_ms == nullptr) {
    options.clock_ms = base::SystemMs;
  }
  if (options.env == nullptr) {
    options.env = rocksdb::Env::Default();
  }
  return options;
}

Status WriteFormat(rocksdb::Env* env, const std::string& store, int format) {
  return ReplaceFile(env, store, kFormatName, FormatText(format));
}

}  // namespace

std::string FormatText(int format) { return std::string(kFormatHead) + std::to_string(format) + "\n"; }

Expected<int> ReadFormat(rocksdb::Env* env, const std::string& store) {
  const std::string file = store + "/" + kFormatName;
  KLIP_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(env, file));
  int format = 0;
  const char* const end = text.data() + text.size();
  if (!text.starts_with(kFormatHead)) {
    return Status(Code::kCorruption, file + ": not a klip format file");
  }
  const auto [rest, error] = std::from_chars(text.data() + kFormatHead.size(), end, format);
  if (error != std::errc() || format < 1 || std::string_view(rest, end) != "\n") {
    return Status(Code::kCorruption, file + ": not a klip format file");
  }
  if (format > kFormatOfIndexes) {
    return Status(Code::kNewerFormat, "the store '" + store + "' has format " + std::to_string(format) +
                                          ", written by a newer klip; this one reads up to format " +
                                          std::to_string(kFormatOfIndexes));
  }
  return format;
}

std::string FamilyColumnName(uint32_t id) { return "f" + std::to_string(id); }

void RemoveTree(const std::string& path) {
  std::error_code error;
  std::filesystem::remove_all(path, error);
}

Database::Database(StoreOptions with)
    : options(Completed(std::move(with))),
      env(options.env),
      shared(SharedResources::Make(options)),
      blocks(std::make_shared<BlockReader>(env->GetFileSystem(), shared.block_cache, shared.statistics)),
      events(std::make_shared<StoreEvents>(blocks)),
      files(std::make_shared<PatientFiles>(env->GetFileSystem(), &directory)),
      logs(std::make_shared<KeptLogs>(files, options.path)),
      log_env(rocksdb::NewCompositeEnv(logs)),
      manifest_marker(std::make_unique<ManifestMarker>(env, options.path)) {}

Database::~Database() {
  if (db != nullptr) {
    db->Close().PermitUncheckedError();
    db.reset();
  }
  if (lock != nullptr) {
    env->UnlockFile(lock).PermitUncheckedError();
  }
}

Status Database::Lock() {
  const std::string& path = options.path;
  if (path.empty()) {
    return {Code::kInvalidArgument, "the path of the store is empty"};
  }
  const std::string format = path + "/" + kFormatName;
  KLIP_ASSIGN_OR_RETURN(const bool has_format, FileIsThere(env, format));
  const bool is_new = !has_format;
  if (is_new) {
    if (!options.create_if_missing || options.read_only) {
      return {Code::kIoError, "no store at '" + path + "'"};
    }
    KLIP_RETURN_IF_ERROR(MakeDirectories(env, path));
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> children, NamesIn(env, path));
    KLIP_ASSIGN_OR_RETURN(const bool has_catalog, FileIsThere(env, path + "/" + kCatalogName));
    if (has_catalog) {
      return {Code::kCorruption, path + "/" + kFormatName + " is missing from the store"};
    }
    for (const std::string& child : children) {
      if (!IsFirstOpenRest(child)) {
        return {Code::kInvalidArgument,
                "'" + path + "' is not empty and not a klip store (it contains '" + child + "')"};
      }
    }
  }
  if (options.read_only) {
    KLIP_RETURN_IF_ERROR(directory.Lock(path, /*shared=*/true));
    return ReadFormat(env, path).status();
  }
  if (const rocksdb::Status locked = env->LockFile(path + "/" + kLockName, &lock); !locked.ok()) {
    const std::string text = locked.ToString();
    const bool in_use = text.find("lock hold by") != std::string::npos || text.find("temporarily") != std::string::npos;
    if (text.find("lock hold by current process") != std::string::npos) {
      return {Code::kStoreInUse, "the store '" + path + "' is open in this process already: use that connection"};
    }
    return in_use
               ? Status(Code::kStoreInUse, "the store '" + path + "' is open in another process")
               : FromRocks(locked, "locking the store '" + path + "' (klip:" + path + "?read-only opens it without)");
  }
  KLIP_RETURN_IF_ERROR(directory.Lock(path));
  if (is_new) {
    KLIP_ASSIGN_OR_RETURN(const bool made_meanwhile, FileIsThere(env, format));
    KLIP_RETURN_IF_ERROR(made_meanwhile ? Status::Ok() : WriteFormat(env, path, kFirstFormat));
  }
  return ReadFormat(env, path).status();
}

Status Database::RequireFormat(int format) const {
  KLIP_ASSIGN_OR_RETURN(const int now, ReadFormat(env, path()));
  return now >= format ? Status::Ok() : WriteFormat(env, path(), format);
}

Expected<std::vector<std::string>> Database::FamilyNames() const {
  std::vector<std::string> names = {rocksdb::kDefaultColumnFamilyName};
  KLIP_ASSIGN_OR_RETURN(const bool has_database, FileIsThere(env, path() + "/CURRENT"));
  if (has_database) {
    rocksdb::DBOptions how;
    how.env = env;
    KLIP_RETURN_IF_ERROR(
        FromRocks(rocksdb::DB::ListColumnFamilies(how, path(), &names), "opening the store '" + path() + "'"));
  }
  return names;
}

namespace {

// The lowest number of a log whose contents are not all in tables. Logs before it are not read any more.
uint64_t FirstLogInUse(rocksdb::DBOptions how, const std::string& path,
                       const std::vector<rocksdb::ColumnFamilyDescriptor>& families) {
  how.listeners.clear();
  how.wal_filter = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  uint64_t first = 0;
  if (rocksdb::DB::OpenForReadOnly(how, path, families, &handles, &opened).ok()) {
    opened->GetIntProperty(rocksdb::DB::Properties::kMinLogNumberToKeep, &first);
  }
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    opened->DestroyColumnFamilyHandle(handle).PermitUncheckedError();
  }
  delete opened;
  return first;
}

Status CheckManifestIsWhole(rocksdb::Env* env, const std::string& path) {
  KLIP_ASSIGN_OR_RETURN(const std::optional<CutManifest> cut, FindCutManifest(env, path));
  if (!cut.has_value()) {
    return Status::Ok();
  }
  return {Code::kCorruption,
          cut->file + ": was cut short at byte " + std::to_string(cut->bytes) +
              (cut->marked == 0 ? "" : " of " + std::to_string(cut->marked)) +
              ", and does not name all tables any more. Nothing is changed; restore a backup, or run "
              "klip repair to copy the tables that it still names"};
}

Status CheckLogs(const rocksdb::DBOptions& how, const std::string& path,
                 const std::vector<rocksdb::ColumnFamilyDescriptor>& families) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<LogDamage> damages, FindLogDamage(how.env, path));
  const uint64_t first = damages.empty() ? 0 : FirstLogInUse(how, path, families);
  for (const LogDamage& damage : damages) {
    if (damage.log >= first) {
      return {Code::kCorruption,
              damage.file + ", offset " + std::to_string(damage.offset) +
                  ": the log is damaged, and acknowledged rows may follow there. Nothing is changed; "
                  "klip repair makes a copy with what can be read"};
    }
  }
  return Status::Ok();
}

// After a failed open. RocksDB looks for a table under an old name too, and names that.
Status CheckNoTableIsMissing(const rocksdb::Status& opened, const std::string& path) {
  const std::string text = opened.ToString();
  const size_t end = text.find(".ldb: No such file");
  if (end == std::string::npos) {
    return Status::Ok();
  }
  const size_t begin = text.rfind('/', end) + 1;
  return {Code::kCorruption,
          path + "/" + text.substr(begin, end - begin) +
              ".sst is missing, and with it rows of some table. Nothing is changed; restore a backup, or run klip "
              "repair to copy all others"};
}

}  // namespace

// The log stays: each open reads its contents into memory.
Status Database::OpenReadOnly(const rocksdb::DBOptions& how,
                              const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                              std::vector<rocksdb::ColumnFamilyHandle*>* handles, bool* unflushed) {
  rocksdb::DB* opened = nullptr;
  const rocksdb::Status status = rocksdb::DB::OpenForReadOnly(how, path(), families, handles, &opened);
  db.reset(opened);
  KLIP_RETURN_IF_ERROR(CheckNoTableIsMissing(status, path()));
  uint64_t entries = 0;
  *unflushed = status.ok() &&
               db->GetAggregatedIntProperty(rocksdb::DB::Properties::kNumEntriesActiveMemTable, &entries) &&
               entries > 0;
  return FromRocks(status, "opening the store '" + path() + "'");
}

Status Database::Open(std::vector<rocksdb::ColumnFamilyDescriptor> families, bool keep_logs,
                      std::vector<rocksdb::ColumnFamilyHandle*>* handles, bool* unflushed) {
  RegisterBloomPrefixes();
  rocksdb::DBOptions db_options = DatabaseOptions(options, shared, events);
  db_options.env = log_env.get();
  db_options.wal_filter = &nonces;
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(env, path()));
  db_options.max_file_opening_threads = FileOpeningThreads(names);
  LimitOpenTables(names, &db_options);
  KLIP_RETURN_IF_ERROR(CheckManifestIsWhole(env, path()));
  KLIP_RETURN_IF_ERROR(CheckLogs(db_options, path(), families));
  if (read_only()) {
    return OpenReadOnly(db_options, families, handles, unflushed);
  }
  KLIP_RETURN_IF_ERROR(CorrectLoadedBounds(env, path()));
  KLIP_RETURN_IF_ERROR(CutTornLog(env, path()));
  if (!keep_logs) {  // otherwise, a peer's position may be in one of them
    DeleteEmptyLogs(env, log_env.get(), path(), names);
  }
  logs->Keep(keep_logs);
  // If the disk is full, the previous mark remains valid: keeping the log would prevent its deletion from freeing space.
  logs->BeforeDeletion([this] { (void)manifest_marker->Mark(); });
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(db_options, path(), families, handles, &opened);
  *unflushed = IsDiskFull(status);
  if (*unflushed) {
    // The log's contents cannot be written to tables. They stay in memory, so that they can at least be read.
    db_options.avoid_flush_during_recovery = true;
    for (rocksdb::ColumnFamilyDescriptor& family : families) {
      family.options.write_buffer_size = 2 * db_options.max_total_wal_size;
    }
    status = rocksdb::DB::Open(db_options, path(), families, handles, &opened);
  }
  db.reset(opened);
  KLIP_RETURN_IF_ERROR(CheckNoTableIsMissing(status, path()));
  const bool cannot_write = IsDiskFull(status) || status.ToString().find("for appending") != std::string::npos;
  const std::string remedy = cannot_write ? " (klip:" + path() + "?read-only reads it without writing)" : "";
  return FromRocks(status, "opening the store '" + path() + "'" + remedy);
}

}  // namespace klip::engine
