// Store: one data directory. It opens, closes and writes; its parts do everything else, each with its own header. Reads
// go through RowScanner (row_scanner.h). The layer above, table/, decides what Put, Increment or CheckAndMutate mean.
//
// Directory: CURRENT, *.sst, ... (RocksDB), FORMAT (klip's format version), CATALOG (catalog.h), SEQUENCE, STORE.LOCK,
// snapshots/<name>/, load/ (files to be moved into the database), replication/ (peers.h).
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/log/nonce.h"
#include "engine/store/write_set.h"
#include "engine/view/table_view.h"
#include "klip/mutation.h"
#include "klip/status.h"

namespace rocksdb {
class DB;
class Iterator;
struct ReadOptions;
}  // namespace rocksdb

namespace klip::engine {

class CatalogFile;
struct Database;
class Families;
class FileLoads;
class LockTable;
class OpenSnapshots;
class Peers;
class Regions;
class Sequence;
class Snapshots;
class Storage;
class TableCatalog;
class Views;
class Writer;

// Thread-safe. The parts live as long as the store.
class Store {
 public:
  // Errors: kStoreInUse, kNewerFormat, kCorruption (naming the file), kIoError, kInvalidArgument.
  static Expected<std::unique_ptr<Store>> Open(StoreOptions options);
  ~Store();

  LockTable& locks() const { return *locks_; }  // of writers
  Views& views() const { return *views_; }      // of the current tables
  TableCatalog& catalog() const { return *catalog_; }
  Regions& regions() const { return *regions_; }
  Storage& storage() const { return *storage_; }
  Snapshots& snapshots() const { return *snapshots_; }
  Peers& peers() const { return *peers_; }
  FileLoads& loads() const { return *loads_; }

  int64_t NowMs() const;
  const StoreOptions& options() const;

  // When this returns, the write is visible to readers, and as durable as `durability` says. Errors: kReadOnly after a
  // failed sync (the text says since when and why), kIoError (disk full and similar).
  Status Write(WriteSet* writes, Durability durability);

  // Writes with nonces in the last kNonceLifeMs before the store was last killed, oldest first, as far as the log still
  // had them when the store was opened. That includes at least all that were not in tables yet.
  const std::vector<LoggedNonce>& RecoveredNonces() const { return recovered_nonces_; }

  // For RowScanner.
  rocksdb::DB* db() const;
  // Over the cells of a family; as rocksdb::DB::NewIterator. Read cells by this, which is faster.
  std::unique_ptr<rocksdb::Iterator> NewIterator(const Family& family, const rocksdb::ReadOptions& options) const;
  OpenSnapshots& open_snapshots() const;
  uint64_t LastSequence() const;  // RocksDB's number of the last write that readers see
  // Changes when a flush or a compaction starts; these drop versions that are surplus at that time.
  uint64_t Rewrites() const;

 private:
  explicit Store(StoreOptions options);
  Status Start();
  void RecoverNonces();

  // Each depends on some of those above it.
  const std::shared_ptr<Database> database_;
  const std::unique_ptr<LockTable> locks_;
  const std::unique_ptr<Views> views_;
  const std::unique_ptr<Writer> writer_;
  const std::unique_ptr<Sequence> sequence_;
  const std::unique_ptr<Storage> storage_;
  const std::unique_ptr<CatalogFile> catalog_file_;
  const std::unique_ptr<Families> families_;
  const std::unique_ptr<TableCatalog> catalog_;
  const std::unique_ptr<Regions> regions_;
  const std::unique_ptr<FileLoads> loads_;
  const std::unique_ptr<Snapshots> snapshots_;
  const std::unique_ptr<Peers> peers_;
  std::vector<LoggedNonce> recovered_nonces_;
  bool started_ = false;
};

}  // namespace klip::engine
