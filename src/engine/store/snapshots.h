// Snapshots: the files of a table under other names (hard links), and tables created from them.
//
//   snapshots/<name>/SNAPSHOT   its record; written last, so a snapshot without it was never finished
//   snapshots/<name>/<n>/*.sst  files of the n-th family
#pragma once

#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/view/table_view.h"
#include "klip/admin.h"
#include "klip/status.h"

namespace rocksdb {
class Env;
}

namespace klip::engine {

class CatalogFile;
struct Database;
class Families;
class FileLoads;
class LockedCatalog;
struct SnapshotRecord;
class Writer;

// The record of a snapshot in this directory. Errors: kIoError; kCorruption, naming the record.
Expected<SnapshotRecord> ReadSnapshotRecord(rocksdb::Env* env, const std::string& directory);

// Thread-safe. Behaviour and error texts as in klip/admin.h.
class Snapshots {
 public:
  // All outlive it.
  Snapshots(const Database* database, CatalogFile* catalog, Families* families, FileLoads* loads, Writer* writer)
      : database_(database), catalog_(catalog), families_(families), loads_(loads), writer_(writer) {}

  // Errors: also kInvalidArgument for an option.
  Status Take(std::string_view snapshot, std::string_view table, const SnapshotOptions& options = {});
  // Errors: kCorruption, naming the unreadable snapshot.
  Expected<std::vector<SnapshotInfo>> List() const;
  Expected<SnapshotInfo> Find(std::string_view snapshot) const;
  Status Delete(std::string_view snapshot);
  Status DeleteExpired();
  Status Clone(std::string_view snapshot, std::string_view new_table);
  Status Restore(std::string_view snapshot);
  // Removes what a crash has left unfinished. For Store::Open.
  void RemoveUnfinished();

 private:
  std::string DirectoryOf(std::string_view snapshot) const;
  Expected<bool> Exists(std::string_view snapshot) const;
  Expected<std::vector<std::string>> Children() const;  // of the directory snapshots/
  // All REQUIRE mutex_.
  Expected<std::vector<std::string>> Names() const;
  Expected<SnapshotRecord> Read(std::string_view snapshot) const;
  Expected<SnapshotRecord> ReadUsable(std::string_view snapshot) const;  // one that has not expired
  Status Remove(std::string_view snapshot);
  Status Export(const TableView& table, const std::string& directory, SnapshotRecord* record) const;
  // Rewrites files first if their copies could not be imported (import_levels.h). REQUIRES: an empty directory.
  Status ExportWhole(const LockedCatalog& catalog, const TableView& table, const std::string& directory,
                     SnapshotRecord* record) const;
  Expected<std::vector<Family>> Import(const LockedCatalog& catalog, const SnapshotRecord& record);
  Expected<Family> ImportFamily(const LockedCatalog& catalog, const SnapshotRecord& record, size_t index,
                                const TableKeyParts& parts);
  Status CloneAs(const LockedCatalog& catalog, SnapshotRecord record, const std::string& table);

  const Database* const database_;
  CatalogFile* const catalog_;
  Families* const families_;
  FileLoads* const loads_;
  Writer* const writer_;
  mutable std::mutex mutex_;  // of the directory snapshots/; taken after the catalog's lock
};

}  // namespace klip::engine
