// CatalogFile: the catalog as it is on disk, and the views made from it. Who changes tables, regions or what is made
// of them has it locked from the first look to the last step, so there is one change at a time, and what he has seen
// stays so.
//
// Locks, in the order in which they are taken: the catalog's, a table's (LockTable::ForTable), those inside of parts.
// Writers hold a table's lock shared and take no catalog's.
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
  // Waits until nobody writes to the table, and lets nobody begin.
  std::unique_lock<TableLock> StopWriters(const std::string& table) const;
  Status CheckWritable() const;
  int64_t NextRegionId() const;
  uint32_t TakeFamilyId() const;  // it is not given out again in this life of the store

  // Writes the catalog, then makes it the current one. Errors: those of Writer::SaveFile; kReadOnly.
  Status Save(Catalog next) const;
  // For this life of the store only, where it could not be written.
  void Remember(Catalog next) const;
  // Saves what the catalog says of one table, and makes it the view that all see.
  Status SaveTable(const TableRecord& record, std::vector<Family> families) const;
  // The second step of SaveTable. REQUIRES: the catalog has the record.
  void Publish(const TableRecord& record, std::vector<Family> families) const;
  // Saves the catalog without the table, and takes its view away.
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

  // Reads the file, or writes the first one. REQUIRES: the directory is locked, RocksDB not yet open. Errors:
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
