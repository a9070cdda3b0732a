#include "engine/store/snapshots.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "rocksdb/comparator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/options.h"
#include "rocksdb/sst_file_reader.h"
#include "rocksdb/table.h"
#include "rocksdb/table_properties.h"
#include "rocksdb/utilities/checkpoint.h"

#include "base/names.h"
#include "engine/layout/file_lookup.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/store/catalog_file.h"
#include "engine/store/descriptor_checks.h"
#include "engine/store/families.h"
#include "engine/store/file_loads.h"
#include "engine/store/import_levels.h"
#include "engine/store/small_file.h"
#include "engine/store/writer.h"

namespace klip::engine {
namespace {

constexpr const char* kRecordName = "SNAPSHOT";

SnapshotRecord::File FileOf(const rocksdb::LiveFileMetaData& meta) {
  return {.name = meta.name,
          .level = meta.level,
          .file_number = meta.file_number,
          .size_bytes = meta.size,
          .entries = meta.num_entries,
          .smallest_sequence = meta.smallest_seqno,
          .largest_sequence = meta.largest_seqno,
          .smallest_key = meta.smallestkey,
          .largest_key = meta.largestkey};
}

rocksdb::LiveFileMetaData MetaOf(const SnapshotRecord::File& file, const std::string& directory) {
  rocksdb::LiveFileMetaData meta;
  meta.name = file.name;
  meta.relative_filename = file.name.substr(std::min<size_t>(1, file.name.size()));
  meta.db_path = directory;
  meta.directory = directory;
  meta.level = file.level;
  meta.file_number = file.file_number;
  meta.size = file.size_bytes;
  meta.num_entries = file.entries;
  meta.smallest_seqno = file.smallest_sequence;
  meta.largest_seqno = file.largest_sequence;
  meta.smallestkey = file.smallest_key;
  meta.largestkey = file.largest_key;
  return meta;
}

Status CheckSize(rocksdb::Env* env, const std::string& directory, const SnapshotRecord::File& file) {
  uint64_t bytes = 0;
  KLIP_RETURN_IF_ERROR(FromRocks(env->GetFileSize(directory + file.name, &bytes), "reading " + directory + file.name));
  return bytes == file.size_bytes ? Status::Ok()
                                  : Status(Code::kCorruption, directory + file.name + " has " + std::to_string(bytes) +
                                                                  " bytes, not " + std::to_string(file.size_bytes));
}

// RocksDB asserts on some kinds of damage when it imports a file. Sets whether a bulk load has written it.
Status CheckContents(const rocksdb::Options& options, const std::string& directory, const SnapshotRecord::File& file,
                     bool* loaded) {
  KLIP_RETURN_IF_ERROR(CheckSize(options.env, directory, file));
  rocksdb::SstFileReader reader(options);
  rocksdb::Status status = reader.Open(directory + file.name);
  if (status.ok()) {
    status = reader.VerifyChecksum();
  }
  if (status.ok()) {
    // What SstFileWriter writes has it, and only that.
    *loaded = reader.GetTableProperties()->user_collected_properties.contains("rocksdb.external_sst_file.version");
  }
  return FromRocks(status, "checking " + directory + file.name);
}

bool CanBeImported(SnapshotRecord record) {
  return std::ranges::all_of(record.files,
                             [](auto& family) { return SetImportLevels(HasOneSequence, &family.second); });
}

// Rewrites all files of a table.
Status Rewrite(const Database& database, Writer* writer, const TableView& table) {
  rocksdb::CompactRangeOptions all;
  all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
  for (const Family& family : table.AllFamilies()) {
    const auto compact = [&] { return database.db->CompactRange(all, family.handle.get(), nullptr, nullptr); };
    KLIP_RETURN_IF_ERROR(FromRocks(writer->ChangeFiles(compact), "compacting family '" + family.descriptor.name + "'"));
  }
  return Status::Ok();
}

Status NoSnapshot(std::string_view name) {
  return {Code::kSnapshotNotFound, "Snapshot '" + std::string(name) + "' doesn't exist on the filesystem"};
}

}  // namespace

Expected<SnapshotRecord> ReadSnapshotRecord(rocksdb::Env* env, const std::string& directory) {
  const std::string file = directory + "/" + kRecordName;
  KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(env, file));
  KLIP_ASSIGN_OR_RETURN(const std::string_view json, Unseal(sealed, file));
  return SnapshotRecord::FromJson(json, file);
}

std::string Snapshots::DirectoryOf(std::string_view snapshot) const {
  return database_->path() + "/snapshots/" + std::string(snapshot);
}

Expected<bool> Snapshots::Exists(std::string_view snapshot) const {
  return FileIsThere(database_->env, DirectoryOf(snapshot) + "/" + kRecordName);
}

Expected<std::vector<std::string>> Snapshots::Children() const {
  return NamesIn(database_->env, database_->path() + "/snapshots");
}

// Keeps directories that it cannot check; the next open retries.
void Snapshots::RemoveUnfinished() {
  const Expected<std::vector<std::string>> names = Children();
  for (const std::string& name : names.ok() ? *names : std::vector<std::string>()) {
    if (const Expected<bool> exists = Exists(name); exists.ok() && !*exists) {
      RemoveTree(DirectoryOf(name));
    }
  }
}

Expected<SnapshotRecord> Snapshots::Read(std::string_view snapshot) const {
  KLIP_RETURN_IF_ERROR(CheckSnapshotName(snapshot));
  KLIP_ASSIGN_OR_RETURN(const bool exists, Exists(snapshot));
  if (!exists) {
    return NoSnapshot(snapshot);
  }
  Expected<SnapshotRecord> record = ReadSnapshotRecord(database_->env, DirectoryOf(snapshot));
  if (record.status().code() == Code::kCorruption) {
    return Status(Code::kCorruption,
                  "Snapshot '" + std::string(snapshot) + "' is damaged: " + record.status().message());
  }
  return record;
}

Expected<SnapshotRecord> Snapshots::ReadUsable(std::string_view snapshot) const {
  KLIP_ASSIGN_OR_RETURN(SnapshotRecord record, Read(snapshot));
  if (record.Info().ExpiredAt(database_->NowMs())) {
    return Status(Code::kDoNotRetry, "TTL for snapshot '" + record.name + "' has already expired.");
  }
  return record;
}

Expected<std::vector<std::string>> Snapshots::Names() const {
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> children, Children());
  std::vector<std::string> names;
  for (const std::string& name : children) {
    KLIP_ASSIGN_OR_RETURN(const bool exists, Exists(name));
    if (exists) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// --- Taking one ---

Status Snapshots::Export(const TableView& table, const std::string& directory, SnapshotRecord* record) const {
  rocksdb::Checkpoint* raw = nullptr;
  const std::string doing = "taking a snapshot of table '" + table.descriptor.name + "'";
  KLIP_RETURN_IF_ERROR(FromRocks(rocksdb::Checkpoint::Create(database_->db.get(), &raw), doing));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  const std::vector<Family> families = table.AllFamilies();
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  for (const Family& family : families) {
    handles.push_back(family.handle.get());
  }
  KLIP_RETURN_IF_ERROR(FromRocks(writer_->Flush(handles), doing));  // RocksDB's own flush does not always wait
  for (size_t i = 0; i < families.size(); ++i) {
    rocksdb::ExportImportFilesMetaData* exported = nullptr;
    const rocksdb::Status status =
        checkpoint->ExportColumnFamily(families[i].handle.get(), directory + "/" + std::to_string(i), &exported);
    const std::unique_ptr<rocksdb::ExportImportFilesMetaData> files(exported);
    KLIP_RETURN_IF_ERROR(FromRocks(status, doing));
    record->comparator = files->db_comparator_name;
    std::vector<SnapshotRecord::File>& list = record->files[families[i].descriptor.name];
    for (const rocksdb::LiveFileMetaData& meta : files->files) {
      list.push_back(FileOf(meta));
      // RocksDB 7.8 forgets the error of a link if one of the next level succeeds.
      KLIP_RETURN_IF_ERROR(CheckSize(database_->env, directory + "/" + std::to_string(i), list.back()));
    }
  }
  return Status::Ok();
}

Status Snapshots::ExportWhole(const LockedCatalog& catalog, const TableView& table, const std::string& directory,
                              SnapshotRecord* record) const {
  constexpr int kMostAttempts = 3;  // TUNING: a second one is needed only if seven bulk loads of one row end meanwhile
  for (int attempt = 1;; ++attempt) {
    {
      // Families are exported one after the other; without writers, all are of the same moment.
      const auto writers = catalog.StopWriters(table.descriptor.name);
      KLIP_RETURN_IF_ERROR(Export(table, directory, record));
    }
    if (CanBeImported(*record)) {
      return Status::Ok();
    }
    if (attempt == kMostAttempts) {
      return {Code::kIoError, "too many bulk loads of the same row at once, take the snapshot after them"};
    }
    for (size_t i = 0; i < table.AllFamilies().size(); ++i) {
      RemoveTree(directory + "/" + std::to_string(i));
    }
    record->files.clear();
    KLIP_RETURN_IF_ERROR(Rewrite(*database_, writer_, table));
  }
}

Status Snapshots::Take(std::string_view snapshot, std::string_view table, const SnapshotOptions& options) {
  KLIP_RETURN_IF_ERROR(CheckSnapshotName(snapshot));
  if (options.ttl_s < 0 || options.max_file_bytes < 0) {
    return {Code::kInvalidArgument, "a snapshot's TTL and MAX_FILESIZE must not be negative"};
  }
  const LockedCatalog catalog = catalog_->Lock();
  const std::lock_guard lock(mutex_);
  KLIP_RETURN_IF_ERROR(catalog.CheckWritable());
  const Expected<TablePtr> found = catalog.Find(table);
  if (!found.ok()) {
    return {Code::kTableNotFound, "Table '" + std::string(table) + "' doesn't exist, can't take snapshot."};
  }
  const TablePtr& view = *found;
  const std::string directory = DirectoryOf(snapshot);
  KLIP_ASSIGN_OR_RETURN(const bool exists, Exists(snapshot));
  if (exists) {
    return {Code::kSnapshotExists, "Snapshot '" + std::string(snapshot) + "' already stored on the filesystem."};
  }
  RemoveTree(directory);  // of a failed attempt
  const std::string parent = database_->path() + "/snapshots";
  KLIP_RETURN_IF_ERROR(FromRocks(database_->env->CreateDirIfMissing(parent), "creating " + parent));
  KLIP_RETURN_IF_ERROR(FromRocks(database_->env->CreateDir(directory), "creating " + directory));

  SnapshotRecord record;
  record.name = std::string(snapshot);
  record.created_ms = database_->NowMs();
  record.ttl_s = options.ttl_s;
  record.max_file_bytes = options.max_file_bytes;
  record.skip_flush = options.skip_flush;
  record.table = catalog->tables.at(view->descriptor.name);
  if (options.max_file_bytes > 0) {
    record.table.descriptor.attributes.try_emplace("MAX_FILESIZE", std::to_string(options.max_file_bytes));
  }
  Status status = ExportWhole(catalog, *view, directory, &record);
  if (status.ok()) {
    status = ReplaceFile(database_->env, directory, kRecordName, Seal(record.ToJson()));
  }
  for (const std::string& changed : {parent, database_->path()}) {
    if (status.ok()) {
      status = SyncDirectory(database_->env, changed);
    }
  }
  if (!status.ok()) {
    RemoveTree(directory);
  }
  return status;
}

Expected<std::vector<SnapshotInfo>> Snapshots::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<SnapshotInfo> all;
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names());
  for (const std::string& name : names) {
    const Expected<SnapshotRecord> record = Read(name);
    if (!record.ok()) {
      return Status(record.status().code(), record.status().message() + ". Delete it, and the others are listed again");
    }
    all.push_back(record->Info());
  }
  return all;
}

Expected<SnapshotInfo> Snapshots::Find(std::string_view snapshot) const {
  const std::lock_guard lock(mutex_);
  KLIP_ASSIGN_OR_RETURN(const SnapshotRecord record, Read(snapshot));
  return record.Info();
}

Status Snapshots::Remove(std::string_view snapshot) {
  const std::string directory = DirectoryOf(snapshot);
  KLIP_ASSIGN_OR_RETURN(const bool exists, Exists(snapshot));
  if (!exists) {
    return NoSnapshot(snapshot);
  }
  // Deleted first: a directory without its record is not a snapshot, wherever a crash stops the rest.
  KLIP_RETURN_IF_ERROR(FromRocks(database_->env->DeleteFile(directory + "/" + kRecordName), "deleting " + directory));
  KLIP_RETURN_IF_ERROR(SyncDirectory(database_->env, directory));
  RemoveTree(directory);
  return Status::Ok();
}

Status Snapshots::Delete(std::string_view snapshot) {
  KLIP_RETURN_IF_ERROR(writer_->CheckWritable());
  KLIP_RETURN_IF_ERROR(CheckSnapshotName(snapshot));
  const std::lock_guard lock(mutex_);
  return Remove(snapshot);
}

Status Snapshots::DeleteExpired() {
  if (database_->read_only()) {
    return Status::Ok();
  }
  const std::lock_guard lock(mutex_);
  KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> names, Names());
  for (const std::string& name : names) {
    const Expected<SnapshotRecord> record = Read(name);
    if (record.ok() && record->Info().ExpiredAt(database_->NowMs())) {
      KLIP_RETURN_IF_ERROR(Remove(name));
    }
  }
  return Status::Ok();
}

// --- Creating a table from a snapshot ---

Expected<Family> Snapshots::ImportFamily(const LockedCatalog& catalog, const SnapshotRecord& record, size_t index,
                                         const TableKeyParts& parts) {
  const FamilyDescriptor descriptor = AllFamilies(record.table.descriptor)[index];
  const auto files = record.files.find(descriptor.name);
  if (files == record.files.end() || files->second.empty()) {
    KLIP_ASSIGN_OR_RETURN(std::vector<Family> created, families_->Create(catalog, {descriptor}, parts));
    return std::move(created[0]);
  }
  const std::string from = DirectoryOf(record.name) + "/" + std::to_string(index);
  rocksdb::Options options({}, FamilyOptions(descriptor, nullptr, database_->shared));
  options.env = database_->env;
  // The cache may have blocks of the same table, which hide that the file is damaged.
  rocksdb::BlockBasedTableOptions uncached;
  uncached.no_block_cache = true;
  options.table_factory.reset(rocksdb::NewBlockBasedTableFactory(uncached));
  std::set<uint64_t> loaded;  // numbers of files
  for (const SnapshotRecord::File& file : files->second) {
    bool is_loaded = false;
    if (const Status checked = CheckContents(options, from, file, &is_loaded); !checked.ok()) {
      return Status(checked.code(), "Snapshot '" + record.name + "' is damaged: " + checked.message());
    }
    if (is_loaded) {
      loaded.insert(file.file_number);
    }
  }
  std::vector<SnapshotRecord::File> placed = files->second;
  if (!SetImportLevels([&](const SnapshotRecord::File& file) { return loaded.contains(file.file_number); }, &placed)) {
    return Status(Code::kUnsupported, "Snapshot '" + record.name +
                                          "' was taken by an older klip after more bulk loads of one row than can be "
                                          "told apart in a copy. Take a new snapshot of table '" +
                                          record.table.descriptor.name + "', which has the right cells");
  }
  // The import moves its files, so it gets links to them.
  KLIP_ASSIGN_OR_RETURN(const std::string directory, loads_->NewDirectory());
  rocksdb::ExportImportFilesMetaData meta;
  meta.db_comparator_name = record.comparator;
  rocksdb::Status status;
  for (const SnapshotRecord::File& file : placed) {
    if (status.ok()) {
      status = database_->env->LinkFile(from + file.name, directory + file.name);
    }
    meta.files.push_back(MetaOf(file, directory));
  }
  const std::string doing = "reading snapshot '" + record.name + "'";
  Expected<Family> family = status.ok() ? families_->Import(catalog, descriptor, parts, meta, doing)
                                        : Expected<Family>(FromRocks(status, doing));
  RemoveTree(directory);
  return family;
}

Expected<std::vector<Family>> Snapshots::Import(const LockedCatalog& catalog, const SnapshotRecord& record) {
  KLIP_ASSIGN_OR_RETURN(const TableKeyParts parts, families_->KeyPartsOf(record.table.descriptor));
  std::vector<Family> families;
  for (size_t i = 0; i < AllFamilies(record.table.descriptor).size(); ++i) {
    Expected<Family> family = ImportFamily(catalog, record, i, parts);
    if (!family.ok()) {
      families_->Drop(families);
      return family.status();
    }
    families.push_back(*std::move(family));
  }
  return families;
}

Status Snapshots::CloneAs(const LockedCatalog& catalog, SnapshotRecord record, const std::string& table) {
  if (!catalog->namespaces.contains(NamespaceOf(table))) {
    return {Code::kNamespaceNotFound, std::string(NamespaceOf(table))};
  }
  if (catalog->tables.contains(table)) {
    return {Code::kTableExists, table};
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<Family> families, Import(catalog, record));
  record.table.descriptor.name = table;
  const int64_t region_id = catalog.NextRegionId();
  for (Region& region : record.table.regions) {
    region.region_id = region_id;
  }
  return families_->PutTable(catalog, std::move(record.table.descriptor), /*enabled=*/true,
                             std::move(record.table.regions), families);
}

Status Snapshots::Clone(std::string_view snapshot, std::string_view new_table) {
  KLIP_RETURN_IF_ERROR(CheckTableName(new_table));
  const LockedCatalog catalog = catalog_->Lock();
  const std::lock_guard lock(mutex_);
  KLIP_RETURN_IF_ERROR(catalog.CheckWritable());
  KLIP_ASSIGN_OR_RETURN(SnapshotRecord record, ReadUsable(snapshot));
  return CloneAs(catalog, std::move(record), std::string(CanonicalTableName(new_table)));
}

Status Snapshots::Restore(std::string_view snapshot) {
  const LockedCatalog catalog = catalog_->Lock();
  const std::lock_guard lock(mutex_);
  KLIP_RETURN_IF_ERROR(catalog.CheckWritable());
  KLIP_ASSIGN_OR_RETURN(SnapshotRecord record, ReadUsable(snapshot));
  const std::string name = record.table.descriptor.name;
  const Expected<TablePtr> view = catalog.Find(name);
  if (!view.ok()) {
    return CloneAs(catalog, std::move(record), name);  // the table was dropped: this restores it
  }
  if ((*view)->enabled) {
    return {Code::kTableNotDisabled, name};
  }
  const auto writers = catalog.StopWriters(name);
  KLIP_ASSIGN_OR_RETURN(std::vector<Family> families, Import(catalog, record));
  KLIP_RETURN_IF_ERROR(families_->PutTable(catalog, std::move(record.table.descriptor), /*enabled=*/false,
                                           std::move(record.table.regions), families));
  families_->Drop((*view)->AllFamilies());
  return Status::Ok();
}

}  // namespace klip::engine
