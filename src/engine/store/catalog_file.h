// CatalogFile: the catalog on disk, and the views derived from it. A change of tables, regions or what derives from them
// locks the catalog from its first read to its last step. So there is one change at a time, and what it has read stays
// true.
//
// Lock order: the catalog's, a table's (LockTable::ForTable), those inside of parts. Writers hold a table's lock shared
// and never take the catalog's.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/catalog.h"
#include "engine/store/database.h"
#include "engine/store/lock_table.h"
#include "engine/store/views.h"
#include "engine/store/writer.h"
#include "klip/status.h"

namespace klip::engine {

class CatalogFile;

// The catalog, locked until destruction.
class LockedCatalog {
 public:
  explicit LockedCatalog(CatalogFile* file);

  const Catalog* operator->() const;
  const Catalog& operator*() const { return *operator->(); }

  // Errors: kTableNotFound.
  Expected<TablePtr> Find(std::string_view table) const;
  // Waits for the table's writers to finish, and blocks new ones.
  std::unique_lock<TableLock> StopWriters(const std::string& table) const;
  Status CheckWritable() const;
  int64_t NextRegionId() const;
  uint32_t TakeFamilyId() const;  // never reused while the store is open

  // Writes the catalog to disk, then makes it the current one. Errors: those of Writer::SaveFile; kReadOnly.
  Status Save(Catalog next) const;
  // Makes it the current one only until the store closes, for a catalog that could not be written.
  void Remember(Catalog next) const;
  // Saves the table's record in the catalog, and publishes its new view.
  Status SaveTable(const TableRecord& record, std::vector<Family> families) const;
  // The second step of SaveTable. REQUIRES: the record is in the catalog.
  void Publish(const TableRecord& record, std::vector<Family> families) const;
  // Saves the catalog without the table, and removes its view.
  Status RemoveTable(const std::string& table) const;

 private:
  CatalogFile* file_;
  std::unique_lock<std::mutex> lock_;
};

// Thread-safe.
class CatalogFile {
 public:
  // All outlive it.
  CatalogFile(const Database* database, Views* views, LockTable* locks, Writer* writer)
      : database_(database), views_(views), locks_(locks), writer_(writer) {}

  // Reads the file, or writes the first one. REQUIRES: the directory is locked, and RocksDB not open yet. Errors:
  // kCorruption, kIoError.
  Status Read();
  LockedCatalog Lock() { return LockedCatalog(this); }

 private:
  friend class LockedCatalog;

  const Database* const database_;
  Views* const views_;
  LockTable* const locks_;
  Writer* const writer_;
  std::mutex mutex_;
  Catalog catalog_;         // guarded by mutex_
  uint64_t last_view_ = 0;  // guarded by mutex_
};

}  // namespace klip::engine
