// Writer: writes to the database, and reacts to failures of the disk.
//
// After a failed write or sync of the log, the contents of the disk are unknown, and a second sync may report success
// wrongly. So the store rejects writes until it is opened again. A full disk is different: the failed writes are known,
// so writing resumes once there is space.
//
// Example: the fsync of the log fails with EIO. Its put fails, and so do all later ones, until the store is opened again.
// If the disk is full instead, puts fail until there is space. Then the next put flushes memory, starts a new log, and is
// written to it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/rocks/resumer.h"
#include "engine/store/database.h"
#include "engine/store/views.h"
#include "klip/mutation.h"
#include "klip/status.h"

namespace klip::engine {

// Thread-safe.
class Writer {
 public:
  // Both outlive it.
  Writer(const Database* database, const Views* views);

  Status Write(Durability durability, rocksdb::WriteBatch* batch);
  // Returns when the current contents of memory are in tables.
  rocksdb::Status Flush(const std::vector<rocksdb::ColumnFamilyHandle*>& families);
  rocksdb::Status FlushAll();

  // Runs a change that is not logged (families created or dropped, files loaded), with marks before and after it: a
  // backup cannot be restored to a point in time beyond it.
  rocksdb::Status ChangeUnlogged(const std::function<rocksdb::Status()>& change);
  // Runs a change of the set of files. If a change's record could not be synced, RocksDB deletes its new files, although
  // the MANIFEST on disk may name them. So after an I/O error deletions stop until a new MANIFEST was written. If that
  // fails too, the files stay and, unless the disk is full, the store becomes read-only.
  rocksdb::Status ChangeFiles(const std::function<rocksdb::Status()>& change);
  // Runs an ingestion of files, as ChangeUnlogged and ChangeFiles. Error: NotSupported after a full disk, until the store
  // is opened again.
  rocksdb::Status TakeFiles(const std::function<rocksdb::Status()>& ingest);
  // Runs the creation or drop of column families: the recovery from a full disk must know of a failed MANIFEST.
  rocksdb::Status ChangeFamilies(const std::function<rocksdb::Status()>& change);
  // Replaces one of the store's small files. If the outcome is unknown, the store becomes read-only: memory keeps the old
  // state, the disk may have either file, and nothing is acknowledged that one of them would lose. Error then: kReadOnly.
  Status SaveFile(const std::string& directory, const std::string& name, std::string_view bytes);

  bool read_only() const { return read_only_.load(std::memory_order_acquire); }
  // Ok unless the store is read-only. Error: kReadOnly, with the reason.
  Status CheckWritable();
  // The status for a failed write: an error of the disk makes the store read-only, a full disk or a bad argument does
  // not.
  Status FailureOf(const rocksdb::Status& status);

 private:
  // Makes the store read-only until it is opened again, unless it is read-only already. Returns the error of
  // CheckWritable.
  Status EndWrites(const std::string& reason, const std::string& detail);
  rocksdb::Status MarkChange();
  rocksdb::Status FlushOnce(const std::vector<rocksdb::ColumnFamilyHandle*>& families);
  rocksdb::Status AwaitTables(const std::vector<rocksdb::ColumnFamilyHandle*>& families, uint64_t failures);
  bool MakeRoom();
  bool Resume();
  bool RenewManifest();

  const Database* const database_;
  const Views* const views_;
  Resumer resumer_;
  std::shared_mutex log_gate_;  // held shared around writes to the log, exclusively while a new log is begun
  std::atomic<bool> manifest_failed_{false};  // a change of the MANIFEST failed: the file may or may not contain it
  std::atomic<int> kept_deletions_{0};        // calls of DisableFileDeletions to undo once the MANIFEST is new
  // RocksDB 7.8 has resumed from an error. Until it is opened again it believes itself stopped: it does not wait for
  // flushes, and assigns no numbers to ingested files.
  std::atomic<bool> resumed_{false};
  std::atomic<bool> read_only_{false};
  std::atomic<int64_t> marked_ms_{INT64_MIN};  // the last time mark in the log
  std::mutex failure_mutex_;
  std::string failure_;  // why read_only_; guarded by failure_mutex_
};

}  // namespace klip::engine
