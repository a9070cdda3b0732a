// The sorted runs of a column family, whose tables are open.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "rocksdb/metadata.h"
#include "rocksdb/status.h"

#include "engine/blocks/table_file.h"

namespace klip::engine {

// Tables whose keys ascend: those of a level, or some of them, or one of level 0.
struct SortedRun {
  struct Table {
    std::shared_ptr<const TableFile> file;
    std::string smallest;  // keys
    std::string largest;
  };
  std::vector<Table> tables;  // no key is in two of them
};

// The runs of a version of a family. Immutable.
struct TableSet {
  uint64_t version = 0;  // RocksDB's number of the super version; 0: of none, these tables are only open
  std::vector<SortedRun> runs;
  std::string only_rocksdb;  // why RocksDB has to read it; empty: it does not
};

// Opens the listed tables; takes those that `before` has open from there, if it is not null. Errors: IOError: try again.
rocksdb::Status OpenTables(rocksdb::FileSystem* files, const rocksdb::ColumnFamilyMetaData& listed, uint64_t version,
                           const TableSet* before, std::shared_ptr<const TableSet>* out);

// The set that reads of a family use. Thread-safe.
class FamilyTables {
 public:
  std::shared_ptr<const TableSet> Now() const { return now_.load(std::memory_order_acquire); }  // null: none

  // Keeps the set, unless tables were forgotten since `generation` was read.
  uint64_t generation() const;
  void Keep(std::shared_ptr<const TableSet> tables, uint64_t generation);
  // Closes tables that are, or will be, deleted: they would keep their disk space. The others stay open.
  void Forget(std::span<const std::string> paths);
  void ForgetAll();

 private:
  void Replace(std::shared_ptr<const TableSet> tables);

  mutable std::mutex mutex_;
  uint64_t generation_ = 0;                           // guarded by mutex_
  std::atomic<std::shared_ptr<const TableSet>> now_;  // changed under mutex_
};

}  // namespace klip::engine
