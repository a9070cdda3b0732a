// FileLoads: sorted files written beside the database, in load/, and moved in atomically. See klip/connection.h
// BulkLoader.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/status.h"

#include "engine/store/loaded_rows.h"
#include "engine/store/write_set.h"
#include "engine/view/table_view.h"
#include "klip/cell.h"
#include "klip/status.h"

namespace rocksdb {
class DB;
struct IngestExternalFileArg;
}  // namespace rocksdb

namespace klip::engine {

struct Database;
class Views;
class Writer;

class FileLoader {
 public:
  virtual ~FileLoader() = default;
  // Adds cells of one row in key order within each family, for the same row or a later one. Rows ascend.
  virtual Status AddRow(std::string_view row, std::span<const Cell> cells) = 0;
  // Reads back the rows of AddRow, for these families of the current table. Call it after the last row.
  virtual Status ForEachRow(std::span<const FamilyColumns> families, const TakeLoadedRow& take) = 0;
  // Cells and removals, in any order, that override those of AddRow and of earlier calls. REQUIRES: `table` is the
  // current table, and stays so until Finish. Errors: kIoError.
  virtual Status AddOver(TablePtr table, const WriteSet& writes) = 0;
  // REQUIRES: LockTable::LockForWrite of the table is held.
  virtual Status Finish() = 0;
};

// Makes the files part of the store. RocksDB first flushes what is in memory for their keys. It then refuses files whose keys it still finds
// there, with TryAgain: when two flushes of a family end at the same time, both are visible only after the second one. So this retries, up to
// 100 times. Each attempt takes RocksDB's lock and opens the files.
rocksdb::Status IngestFiles(rocksdb::DB* db, const std::vector<rocksdb::IngestExternalFileArg>& files);

// Thread-safe.
class FileLoads {
 public:
  // All outlive it and its loaders.
  FileLoads(const Database* database, const Views* views, Writer* writer)
      : database_(database), views_(views), writer_(writer) {}

  Expected<std::unique_ptr<FileLoader>> NewFileLoader(TablePtr table);
  // Creates an empty directory for files to be moved in.
  Expected<std::string> NewDirectory();
  // Removes what a crash has left there. For Store::Open.
  void RemoveUnfinished();

 private:
  const Database* const database_;
  const Views* const views_;
  Writer* const writer_;
  std::atomic<uint64_t> directories_{0};  // created since the store was opened
};

}  // namespace klip::engine
