// Snapshots: the files of a table under other names (hard links), and tables made from them.
//
//   snapshots/<name>/SNAPSHOT   what it is; written last, so a snapshot without it was never finished
//   snapshots/<name>/<n>/*.sst  files of the n-th family
#include <algorithm>
#include <utility>

#include "rocksdb/comparator.h"
#include "rocksdb/metadata.h"
#include "rocksdb/utilities/checkpoint.h"

#include "base/names.h"
#include "engine/layout/rocksdb_status.h"
#include "engine/store/descriptor_checks.h"
#include "engine/store/store_rep.h"

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

Status NoSnapshot(std::string_view name) {
  return {Code::kSnapshotNotFound, "Snapshot '" + std::string(name) + "' doesn't exist on the filesystem"};
}

}  // namespace

void RemoveTree(rocksdb::Env* env, const std::string& path) {
  std::vector<std::string> children;
  env->GetChildren(path, &children).PermitUncheckedError();
  for (const std::string& child : children) {
    if (child == "." || child == "..") {
      continue;
    }
    const std::string full = path + "/" + child;
    bool is_directory = false;
    if (env->IsDirectory(full, &is_directory).ok() && is_directory) {
      RemoveTree(env, full);
    } else {
      env->DeleteFile(full).PermitUncheckedError();
    }
  }
  env->DeleteDir(path).PermitUncheckedError();
}

std::string Store::Rep::SnapshotDirectory(std::string_view snapshot) const {
  return options.path + "/snapshots/" + std::string(snapshot);
}

void Store::Rep::CleanUpFiles() {
  RemoveTree(env, options.path + "/load");
  std::vector<std::string> names;
  env->GetChildren(options.path + "/snapshots", &names).PermitUncheckedError();
  for (const std::string& name : names) {
    if (name != "." && name != ".." && !env->FileExists(SnapshotDirectory(name) + "/" + kRecordName).ok()) {
      RemoveTree(env, SnapshotDirectory(name));
    }
  }
}

Expected<std::string> Store::Rep::NewLoadDirectory() {
  const std::string parent = options.path + "/load";
  KLIP_RETURN_IF_ERROR(FromRocks(env->CreateDirIfMissing(parent), "creating " + parent));
  std::string directory = parent + "/" + std::to_string(load_directories.fetch_add(1, std::memory_order_relaxed));
  KLIP_RETURN_IF_ERROR(FromRocks(env->CreateDir(directory), "creating " + directory));
  return directory;
}

Expected<SnapshotRecord> Store::Rep::ReadSnapshot(std::string_view snapshot) const {
  KLIP_RETURN_IF_ERROR(CheckSnapshotName(snapshot));
  const std::string file = SnapshotDirectory(snapshot) + "/" + kRecordName;
  if (!env->FileExists(file).ok()) {
    return NoSnapshot(snapshot);
  }
  const auto read = [&]() -> Expected<SnapshotRecord> {
    KLIP_ASSIGN_OR_RETURN(const std::string sealed, ReadSmallFile(env, file));
    KLIP_ASSIGN_OR_RETURN(const std::string_view json, Unseal(sealed, file));
    return SnapshotRecord::FromJson(json, file);
  };
  Expected<SnapshotRecord> record = read();
  if (record.status().code() == Code::kCorruption) {
    return Status(Code::kCorruption,
                  "Snapshot '" + std::string(snapshot) + "' is damaged: " + record.status().message());
  }
  return record;
}

Expected<SnapshotRecord> Store::Rep::ReadUsableSnapshot(std::string_view snapshot) const {
  KLIP_ASSIGN_OR_RETURN(SnapshotRecord record, ReadSnapshot(snapshot));
  if (record.Info().ExpiredAt(options.clock_ms())) {
    return Status(Code::kDoNotRetry, "TTL for snapshot '" + record.name + "' has already expired.");
  }
  return record;
}

std::vector<std::string> Store::Rep::SnapshotNames() const {
  std::vector<std::string> names;
  env->GetChildren(options.path + "/snapshots", &names).PermitUncheckedError();  // none: no snapshots
  std::erase_if(names, [this](const std::string& name) {
    return name == "." || name == ".." || !env->FileExists(SnapshotDirectory(name) + "/" + kRecordName).ok();
  });
  std::sort(names.begin(), names.end());
  return names;
}

// --- Taking one ---

Status Store::Rep::ExportTable(const TableView& table, const std::string& directory, SnapshotRecord* record) {
  rocksdb::Checkpoint* raw = nullptr;
  const std::string doing = "taking a snapshot of table '" + table.descriptor.name + "'";
  KLIP_RETURN_IF_ERROR(FromRocks(rocksdb::Checkpoint::Create(db, &raw), doing));
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  for (size_t i = 0; i < table.families.size(); ++i) {
    rocksdb::ExportImportFilesMetaData* exported = nullptr;
    const rocksdb::Status status =
        checkpoint->ExportColumnFamily(table.families[i].handle.get(), directory + "/" + std::to_string(i), &exported);
    const std::unique_ptr<rocksdb::ExportImportFilesMetaData> files(exported);
    KLIP_RETURN_IF_ERROR(FromRocks(status, doing));
    record->comparator = files->db_comparator_name;
    std::vector<SnapshotRecord::File>& list = record->files[table.families[i].descriptor.name];
    for (const rocksdb::LiveFileMetaData& meta : files->files) {
      list.push_back(FileOf(meta));
    }
  }
  return Status::Ok();
}

Status Store::Snapshot(std::string_view snapshot, std::string_view table, const SnapshotOptions& options) {
  KLIP_RETURN_IF_ERROR(CheckSnapshotName(snapshot));
  if (options.ttl_s < 0 || options.max_file_bytes < 0) {
    return {Code::kInvalidArgument, "a snapshot's TTL and MAX_FILESIZE are not negative"};
  }
  const std::lock_guard lock(rep_->ddl_mutex);
  KLIP_RETURN_IF_ERROR(rep_->ReadOnlyStatus());
  const Expected<TablePtr> found = rep_->Find(table);
  if (!found.ok()) {
    return {Code::kTableNotFound, "Table '" + std::string(table) + "' doesn't exist, can't take snapshot."};
  }
  const TablePtr view = *found;
  const std::string directory = rep_->SnapshotDirectory(snapshot);
  if (rep_->env->FileExists(directory + "/" + kRecordName).ok()) {
    return {Code::kSnapshotExists, "Snapshot '" + std::string(snapshot) + "' already stored on the filesystem."};
  }
  RemoveTree(rep_->env, directory);  // of an attempt that failed
  const std::string parent = rep_->options.path + "/snapshots";
  KLIP_RETURN_IF_ERROR(FromRocks(rep_->env->CreateDirIfMissing(parent), "creating " + parent));
  KLIP_RETURN_IF_ERROR(FromRocks(rep_->env->CreateDir(directory), "creating " + directory));

  SnapshotRecord record;
  record.name = std::string(snapshot);
  record.created_ms = NowMs();
  record.ttl_s = options.ttl_s;
  record.max_file_bytes = options.max_file_bytes;
  record.skip_flush = options.skip_flush;
  record.table = rep_->catalog.tables[view->descriptor.name];
  if (options.max_file_bytes > 0) {
    record.table.descriptor.attributes.try_emplace("MAX_FILESIZE", std::to_string(options.max_file_bytes));
  }
  Status status;
  {
    // Families are exported one after the other: without writers they are one moment's.
    const std::unique_lock writers(rep_->locks.ForTable(view->descriptor.name));
    status = rep_->ExportTable(*view, directory, &record);
  }
  if (status.ok()) {
    status = ReplaceFile(rep_->env, directory, kRecordName, Seal(record.ToJson()));
  }
  if (!status.ok()) {
    RemoveTree(rep_->env, directory);
  }
  return status;
}

Expected<std::vector<SnapshotInfo>> Store::ListSnapshots() {
  const std::lock_guard lock(rep_->ddl_mutex);
  std::vector<SnapshotInfo> all;
  for (const std::string& name : rep_->SnapshotNames()) {
    const Expected<SnapshotRecord> record = rep_->ReadSnapshot(name);
    if (record.ok()) {
      all.push_back(record->Info());
    } else if (rep_->unlisted_snapshots.insert(name).second) {  // one that cannot be read is no other's concern
      rocksdb::Warn(rep_->db->GetDBOptions().info_log, "a snapshot is not listed: %s",
                    record.status().ToString().c_str());
    }
  }
  return all;
}

Expected<SnapshotInfo> Store::FindSnapshot(std::string_view snapshot) {
  const std::lock_guard lock(rep_->ddl_mutex);
  KLIP_ASSIGN_OR_RETURN(const SnapshotRecord record, rep_->ReadSnapshot(snapshot));
  return record.Info();
}

Status Store::Rep::DeleteSnapshot(std::string_view snapshot) {
  const std::string directory = SnapshotDirectory(snapshot);
  if (!env->FileExists(directory + "/" + kRecordName).ok()) {
    return NoSnapshot(snapshot);
  }
  unlisted_snapshots.erase(std::string(snapshot));
  // Without its record it is no snapshot any more, wherever the rest of this is cut short.
  KLIP_RETURN_IF_ERROR(FromRocks(env->DeleteFile(directory + "/" + kRecordName), "deleting " + directory));
  RemoveTree(env, directory);
  return Status::Ok();
}

Status Store::DeleteSnapshot(std::string_view snapshot) {
  KLIP_RETURN_IF_ERROR(CheckSnapshotName(snapshot));
  const std::lock_guard lock(rep_->ddl_mutex);
  return rep_->DeleteSnapshot(snapshot);
}

Status Store::DeleteExpiredSnapshots() {
  const std::lock_guard lock(rep_->ddl_mutex);
  for (const std::string& name : rep_->SnapshotNames()) {
    const Expected<SnapshotRecord> record = rep_->ReadSnapshot(name);
    if (record.ok() && record->Info().ExpiredAt(NowMs())) {
      KLIP_RETURN_IF_ERROR(rep_->DeleteSnapshot(name));
    }
  }
  return Status::Ok();
}

// --- Making a table from one ---

Expected<Family> Store::Rep::ImportFamily(const SnapshotRecord& record, size_t index,
                                          const std::vector<KeyPart>& parts) {
  const FamilyDescriptor& descriptor = record.table.descriptor.families[index];
  const auto files = record.files.find(descriptor.name);
  if (files == record.files.end() || files->second.empty()) {
    KLIP_ASSIGN_OR_RETURN(std::vector<Family> created, CreateFamilies({descriptor}, parts));
    return std::move(created[0]);
  }
  // The import takes its files away, so it gets links of them.
  KLIP_ASSIGN_OR_RETURN(const std::string directory, NewLoadDirectory());
  rocksdb::ExportImportFilesMetaData meta;
  meta.db_comparator_name = record.comparator;
  rocksdb::Status status;
  for (const SnapshotRecord::File& file : files->second) {
    const std::string source = SnapshotDirectory(record.name) + "/" + std::to_string(index) + file.name;
    if (status.ok()) {
      status = env->LinkFile(source, directory + file.name);
    }
    meta.files.push_back(MetaOf(file, directory));
  }
  const uint32_t id = catalog.next_family_id++;
  std::shared_ptr<FamilyState> state = NewState(descriptor, parts);
  rocksdb::ColumnFamilyHandle* handle = nullptr;
  if (status.ok()) {
    rocksdb::ImportColumnFamilyOptions import;
    import.move_files = true;
    status = ChangeFiles([&] {
      return db->CreateColumnFamilyWithImport(FamilyOptions(descriptor, state, database->shared), FamilyColumnName(id),
                                              import, meta, &handle);
    });
  }
  RemoveTree(env, directory);
  KLIP_RETURN_IF_ERROR(FromRocks(status, "reading snapshot '" + record.name + "'"));
  Family family = Own(descriptor, id, handle, std::move(state));
  database->events->file_generation.fetch_add(1, std::memory_order_acq_rel);
  NoteRowsOfFiles(family);
  return family;
}

Expected<std::vector<Family>> Store::Rep::ImportFamilies(const SnapshotRecord& record) {
  KLIP_ASSIGN_OR_RETURN(const std::vector<KeyPart> parts, KeyPartsOf(record.table.descriptor));
  std::vector<Family> families;
  for (size_t i = 0; i < record.table.descriptor.families.size(); ++i) {
    Expected<Family> family = ImportFamily(record, i, parts);
    if (!family.ok()) {
      DropFamilies(families);
      return family.status();
    }
    families.push_back(*std::move(family));
  }
  return families;
}

Status Store::CloneSnapshot(std::string_view snapshot, std::string_view new_table) {
  KLIP_RETURN_IF_ERROR(CheckTableName(new_table));
  const std::string name(CanonicalTableName(new_table));
  const std::lock_guard lock(rep_->ddl_mutex);
  KLIP_RETURN_IF_ERROR(rep_->ReadOnlyStatus());
  KLIP_ASSIGN_OR_RETURN(SnapshotRecord record, rep_->ReadUsableSnapshot(snapshot));
  if (!rep_->catalog.namespaces.contains(NamespaceOf(name))) {
    return {Code::kNamespaceNotFound, std::string(NamespaceOf(name))};
  }
  if (rep_->catalog.tables.contains(name)) {
    return {Code::kTableExists, name};
  }
  KLIP_ASSIGN_OR_RETURN(std::vector<Family> families, rep_->ImportFamilies(record));
  record.table.descriptor.name = name;
  Catalog ids = rep_->catalog;
  const int64_t region_id = rep_->NewRegionId(&ids);
  for (Region& region : record.table.regions) {
    region.region_id = region_id;
  }
  return rep_->PutTable(std::move(record.table.descriptor), /*enabled=*/true, std::move(record.table.regions),
                        std::move(families));
}

Status Store::RestoreSnapshot(std::string_view snapshot) {
  std::string name;
  {
    const std::lock_guard lock(rep_->ddl_mutex);
    KLIP_RETURN_IF_ERROR(rep_->ReadOnlyStatus());
    KLIP_ASSIGN_OR_RETURN(SnapshotRecord record, rep_->ReadUsableSnapshot(snapshot));
    name = record.table.descriptor.name;
    if (const Expected<TablePtr> view = rep_->Find(name); view.ok()) {
      if ((*view)->enabled) {
        return {Code::kTableNotDisabled, name};
      }
      const std::unique_lock writers(rep_->locks.ForTable(name));
      KLIP_ASSIGN_OR_RETURN(std::vector<Family> families, rep_->ImportFamilies(record));
      KLIP_RETURN_IF_ERROR(rep_->PutTable(std::move(record.table.descriptor), /*enabled=*/false,
                                          std::move(record.table.regions), std::move(families)));
      rep_->DropFamilies((*view)->families);
      return Status::Ok();
    }
  }
  return CloneSnapshot(snapshot, name);  // the table has been dropped: it comes back
}

}  // namespace klip::engine
