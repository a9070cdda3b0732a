// Opening and closing a store, and the plain accessors.
#include "engine/store/store.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <set>
#include <utility>

#include "engine/layout/bloom_prefix.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/store/descriptor_checks.h"
#include "engine/store/store_rep.h"

namespace klip::engine {
namespace {

constexpr std::string_view kFormatHead = "klip store, format ";
constexpr int kFormat = 1;
constexpr const char* kFormatName = "FORMAT";
constexpr const char* kCatalogName = "CATALOG";
constexpr const char* kLockName = "STORE.LOCK";

int64_t SystemClockMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

Status MakeDirectories(rocksdb::Env* env, const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos; slash = path.find('/', slash + 1)) {
    const std::string parent = path.substr(0, slash);
    if (!env->FileExists(parent).ok()) {
      KLIP_RETURN_IF_ERROR(FromRocks(env->CreateDirIfMissing(parent), "creating the directory " + parent));
    }
  }
  return FromRocks(env->CreateDirIfMissing(path), "creating the directory " + path);
}

// What a crash of the very first open may leave.
bool IsFirstOpenRest(const std::string& name) {
  return name == "." || name == ".." || name == kLockName || name == std::string(kFormatName) + ".new";
}

// RocksDB starts so many threads for each column family, whatever there is to open.
int FileOpeningThreads(const std::vector<std::string>& files) {
  constexpr int64_t kFilesPerThread = 16;  // TUNING: a file takes about as long to open as a thread to start and end
  const auto tables = std::ranges::count_if(files, [](const std::string& file) { return file.ends_with(".sst"); });
  return static_cast<int>(std::clamp<int64_t>(tables / kFilesPerThread, 1, 16));
}

// RocksDB keeps the log of each open until something is flushed: a store that is only read would fill up with empty ones.
void DeleteEmptyLogs(rocksdb::Env* env, const std::string& path, const std::vector<std::string>& files) {
  for (const std::string& file : files) {
    uint64_t bytes = 1;
    if (file.ends_with(".log") && env->GetFileSize(path + "/" + file, &bytes).ok() && bytes == 0) {
      env->DeleteFile(path + "/" + file).PermitUncheckedError();
    }
  }
}

}  // namespace

std::string FamilyColumnName(uint32_t id) { return "f" + std::to_string(id); }

Database::~Database() {
  if (db != nullptr) {
    db->Close().PermitUncheckedError();
    db.reset();
  }
  if (lock != nullptr) {
    env->UnlockFile(lock).PermitUncheckedError();
  }
}

// --- Opening ---

Status Store::Rep::Prepare() {
  const std::string& path = options.path;
  if (path.empty()) {
    return {Code::kInvalidArgument, "the path of the store is empty"};
  }
  const bool is_new = !env->FileExists(path + "/" + kFormatName).ok();
  if (is_new) {
    if (!options.create_if_missing) {
      return {Code::kIoError, "no store at '" + path + "'"};
    }
    KLIP_RETURN_IF_ERROR(MakeDirectories(env, path));
    std::vector<std::string> children;
    KLIP_RETURN_IF_ERROR(FromRocks(env->GetChildren(path, &children), "reading the directory " + path));
    for (const std::string& child : children) {
      if (env->FileExists(path + "/" + kCatalogName).ok()) {
        return {Code::kCorruption, path + "/" + kFormatName + " is missing from the store"};
      }
      if (!IsFirstOpenRest(child)) {
        return {Code::kInvalidArgument, "'" + path + "' is not empty and not a klip store (it holds '" + child + "')"};
      }
    }
  }
  if (const rocksdb::Status locked = env->LockFile(path + "/" + kLockName, &database->lock); !locked.ok()) {
    const std::string text = locked.ToString();
    const bool in_use = text.find("lock hold by") != std::string::npos || text.find("temporarily") != std::string::npos;
    return in_use ? Status(Code::kStoreInUse, "the store '" + path + "' is open in another process")
                  : FromRocks(locked, "locking the store '" + path + "'");
  }
  if (is_new && !env->FileExists(path + "/" + kFormatName).ok()) {
    KLIP_RETURN_IF_ERROR(
        ReplaceFile(env, path, kFormatName, std::string(kFormatHead) + std::to_string(kFormat) + "\n"));
  }
  KLIP_RETURN_IF_ERROR(ReadFormat());
  KLIP_RETURN_IF_ERROR(ReadPeers());
  return ReadCatalog();
}

Status Store::Rep::ReadFormat() {
  const std::string file = options.path + "/" + kFormatName;
  KLIP_ASSIGN_OR_RETURN(const std::string text, ReadSmallFile(env, file));
  int format = 0;
  if (!text.starts_with(kFormatHead) ||
      std::from_chars(text.data() + kFormatHead.size(), text.data() + text.size(), format).ec != std::errc() ||
      format < 1) {
    return {Code::kCorruption, file + ": not a klip format file"};
  }
  if (format > kFormat) {
    return {Code::kNewerFormat, "the store '" + options.path + "' has format " + std::to_string(format) +
                                    ", written by a newer klip; this one reads up to format " +
                                    std::to_string(kFormat)};
  }
  return Status::Ok();
}

Status Store::Rep::ReadCatalog() {
  const std::string file = options.path + "/" + kCatalogName;
  const bool has_database = env->FileExists(options.path + "/CURRENT").ok();
  if (!env->FileExists(file).ok()) {
    if (has_database) {
      return {Code::kCorruption, file + " is missing from the store"};
    }
    return SaveCatalog(Catalog::Empty());
  }
  KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(env, file));
  KLIP_ASSIGN_OR_RETURN(const std::string_view json, Unseal(sealed, file));
  KLIP_ASSIGN_OR_RETURN(catalog, Catalog::FromJson(json, file));
  if (!has_database && !catalog.tables.empty()) {
    return {Code::kCorruption, options.path + "/CURRENT is missing from the store"};
  }
  return Status::Ok();
}

Status Store::Rep::ReadSequence() {
  sequence = db->GetLatestSequenceNumber() + 1;
  const std::string file = options.path + "/SEQUENCE";
  if (env->FileExists(file).ok()) {
    KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(env, file));
    KLIP_ASSIGN_OR_RETURN(const std::string_view text, Unseal(sealed, file));
    uint64_t reserved = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), reserved).ec != std::errc()) {
      return {Code::kCorruption, file + ": not a number"};
    }
    sequence = std::max(sequence.load(), reserved);
  }
  sequence_limit = sequence.load();
  return Status::Ok();
}

// The files that told of them are gone with their replay, so they are logged again: a store may be killed twice.
void Store::Rep::RecoverNonces() {
  recovered_nonces = database->nonces.Take(options.clock_ms() - kNonceLifeMs);
  rocksdb::WriteBatch batch;
  for (const LoggedNonce& one : recovered_nonces) {
    batch.PutLogData(EncodeNonce(one)).PermitUncheckedError();
  }
  if (!recovered_nonces.empty()) {
    db->Write(rocksdb::WriteOptions(), &batch).PermitUncheckedError();  // a full disk: they hold for this life
  }
}

Status Store::Rep::SaveCatalog(Catalog next) {
  KLIP_RETURN_IF_ERROR(ReadOnlyStatus());
  KLIP_RETURN_IF_ERROR(SaveFile(options.path, kCatalogName, Seal(next.ToJson())));
  catalog = std::move(next);
  return Status::Ok();
}

Status Store::Rep::SaveFile(const std::string& directory, const std::string& name, std::string_view bytes) {
  bool unknown = false;
  const Status saved = ReplaceFile(env, directory, name, bytes, &unknown);
  return unknown ? EndWrites("it is not known whether its " + name + " was replaced", saved.message()) : saved;
}

Status Store::Rep::OpenDatabase() {
  RegisterBloomPrefixes();
  database->shared = SharedResources::Make(options);
  database->events = std::make_shared<StoreEvents>();
  rocksdb::DBOptions db_options = DatabaseOptions(options, database->shared, database->events);
  db_options.wal_filter = &database->nonces;
  std::vector<std::string> files;
  KLIP_RETURN_IF_ERROR(FromRocks(env->GetChildren(options.path, &files), "reading the directory " + options.path));
  db_options.max_file_opening_threads = FileOpeningThreads(files);
  if (peers.empty()) {  // one of them may be where a peer stands
    DeleteEmptyLogs(env, options.path, files);
  } else {
    KLIP_RETURN_IF_ERROR(CutTornLog(env, options.path));
  }
  database->logs = std::make_shared<KeptLogs>(env->GetFileSystem(), options.path);
  database->log_env = rocksdb::NewCompositeEnv(database->logs);
  database->logs->Keep(!peers.empty());
  db_options.env = database->log_env.get();

  std::map<uint32_t, Family> families;  // without handles yet
  std::map<std::string, uint32_t> known;
  for (const auto& [name, record] : catalog.tables) {
    // A schema that this build no longer reads costs statistics, not the table.
    const Expected<std::vector<KeyPart>> parts = KeyPartsOf(record.descriptor);
    for (const FamilyDescriptor& family : record.descriptor.families) {
      const auto id = record.family_ids.find(family.name);
      if (id == record.family_ids.end() || !families.emplace(id->second, Family{family, id->second, {}, {}}).second) {
        return {Code::kCorruption,
                options.path + "/" + kCatalogName + ": bad id of family '" + family.name + "' in table '" + name + "'"};
      }
      families[id->second].state = NewState(family, parts.ok() ? *parts : std::vector<KeyPart>());
      known[FamilyColumnName(id->second)] = id->second;
    }
  }

  std::vector<std::string> names = {rocksdb::kDefaultColumnFamilyName};
  if (env->FileExists(options.path + "/CURRENT").ok()) {
    KLIP_RETURN_IF_ERROR(FromRocks(rocksdb::DB::ListColumnFamilies(db_options, options.path, &names),
                                   "opening the store '" + options.path + "'"));
  }
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  for (const std::string& name : names) {
    const auto found = known.find(name);
    descriptors.emplace_back(
        name, found == known.end()
                  ? FamilyOptions({}, nullptr, database->shared)
                  : FamilyOptions(families[found->second].descriptor, families[found->second].state, database->shared));
  }
  for (const auto& [name, id] : known) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      return {Code::kCorruption, options.path + "/" + kCatalogName + ": column family " + name + " ('" +
                                     families[id].descriptor.name + "') is missing from the database"};
    }
  }

  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  rocksdb::Status status = rocksdb::DB::Open(db_options, options.path, descriptors, &handles, &opened);
  const bool no_room = IsDiskFull(status);
  if (no_room) {
    // What the log holds cannot be written to tables: it stays in memory, so that it can at least be read.
    db_options.avoid_flush_during_recovery = true;
    for (rocksdb::ColumnFamilyDescriptor& descriptor : descriptors) {
      descriptor.options.write_buffer_size = 2 * db_options.max_total_wal_size;
    }
    status = rocksdb::DB::Open(db_options, options.path, descriptors, &handles, &opened);
  }
  KLIP_RETURN_IF_ERROR(FromRocks(status, "opening the store '" + options.path + "'"));
  database->db.reset(opened);
  db = opened;
  for (size_t i = 0; i < names.size(); ++i) {
    if (const auto found = known.find(names[i]); found != known.end()) {
      Family& family = families[found->second];
      family = Own(family.descriptor, family.id, handles[i], family.state);
      handles[i] = nullptr;
    }
  }
  KLIP_RETURN_IF_ERROR(DropOrphans(names, handles));
  if (no_room) {
    for (const auto& [id, family] : families) {
      family.state->NoteRowBytes(0);  // there are rows that no file tells of
      family.state->leads->GiveUp();
    }
  }
  BuildViews(std::move(families));
  return Status::Ok();
}

// A crash between the creation of a column family and the catalog's rename, or between the rename and a drop, leaves them.
Status Store::Rep::DropOrphans(const std::vector<std::string>& names,
                               const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  rocksdb::Status status;
  for (size_t i = 0; i < names.size(); ++i) {
    if (handles[i] == nullptr) {
      continue;
    }
    if (names[i] != rocksdb::kDefaultColumnFamilyName && status.ok()) {
      status = db->DropColumnFamily(handles[i]);
    }
    db->DestroyColumnFamilyHandle(handles[i]).PermitUncheckedError();
  }
  return FromRocks(status, "dropping an unused column family of the store '" + options.path + "'");
}

void Store::Rep::BuildViews(std::map<uint32_t, Family> families) {
  for (const auto& [name, record] : catalog.tables) {
    std::vector<Family> of_table;
    for (const auto& [family_name, id] : record.family_ids) {
      NoteRowsOfFiles(families[id]);
      of_table.push_back(families[id]);
    }
    tables[name] = MakeView(record, std::move(of_table));
  }
}

Store::Store(std::unique_ptr<Rep> rep) : rep_(std::move(rep)) {}

Expected<std::unique_ptr<Store>> Store::Open(StoreOptions options) {
  auto rep = std::make_unique<Rep>();
  while (options.path.size() > 1 && options.path.back() == '/') {
    options.path.pop_back();
  }
  if (options.clock_ms == nullptr) {
    options.clock_ms = SystemClockMs;
  }
  if (options.env == nullptr) {
    options.env = rocksdb::Env::Default();
  }
  rep->env = options.env;
  rep->options = std::move(options);
  rep->database = std::make_shared<Database>();
  rep->database->env = rep->env;
  KLIP_RETURN_IF_ERROR(rep->Prepare());
  KLIP_RETURN_IF_ERROR(rep->OpenDatabase());
  KLIP_RETURN_IF_ERROR(rep->ReadSequence());
  rep->RecoverNonces();
  rep->CleanUpFiles();
  std::unique_ptr<Store> store(new Store(std::move(rep)));
  store->rep_->StartSplitter(store.get());
  return store;
}

Store::~Store() { rep_->Close(); }

void Store::Rep::Close() {
  StopSplitter();
  if (db == nullptr) {
    return;
  }
  // TUNING: replaying a megabyte of log at the next open is cheaper than one more small file.
  constexpr uint64_t kWorthFlushing = 1 << 20;
  uint64_t bytes = 0;
  db->GetAggregatedIntProperty(rocksdb::DB::Properties::kCurSizeAllMemTables, &bytes);
  if (bytes > kWorthFlushing && !read_only) {
    FlushAll().PermitUncheckedError();  // what fails here is in the log
  }
  tables.clear();
}

// --- Accessors ---

int64_t Store::NowMs() const { return rep_->options.clock_ms(); }
const StoreOptions& Store::options() const { return rep_->options; }
rocksdb::DB* Store::db() const { return rep_->db; }
uint64_t Store::Rewrites() const { return rep_->database->events->rewrites.load(std::memory_order_acquire); }
const std::vector<LoggedNonce>& Store::RecoveredNonces() const { return rep_->recovered_nonces; }

Expected<TablePtr> Store::GetTable(std::string_view name) const { return rep_->Find(name); }

std::shared_lock<TableLock> Store::LockForWrite(std::string_view table) {
  return std::shared_lock(rep_->locks.ForTable(CanonicalTableName(table)));
}

std::shared_lock<TableLock> Store::TryLockForWrite(std::string_view table) {
  return {rep_->locks.ForTable(CanonicalTableName(table)), std::try_to_lock};
}

RowLocks Store::LockRows(std::vector<RowStripe> stripes) { return rep_->locks.LockRows(std::move(stripes)); }

bool Store::TryLockRows(std::vector<RowStripe> stripes, RowLocks* locks) {
  return rep_->locks.TryLockRows(std::move(stripes), locks);
}

const Family* TableView::Find(std::string_view family) const {
  if (families.size() == 1) {
    return families[0].descriptor.name == family ? families.data() : nullptr;
  }
  const auto found = std::lower_bound(families.begin(), families.end(), family,
                                      [](const Family& a, std::string_view name) { return a.descriptor.name < name; });
  return found != families.end() && found->descriptor.name == family ? &*found : nullptr;
}

const Region& TableView::RegionOf(std::string_view row) const {
  const auto above =
      std::upper_bound(regions->begin(), regions->end(), row,
                       [](std::string_view key, const Region& region) { return key < region.start_key; });
  return *(above - 1);  // the first region starts with the empty key
}

}  // namespace klip::engine
