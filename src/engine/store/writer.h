// Writer: all that goes into the database, and what the store does when the disk fails it.
//
// After a failed write or sync of the log nobody knows what is on disk, and a second sync may lie: the store takes no
// more writes until it is opened again. A full disk is different: what was refused is known, so writing goes on once
// there is room.
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
  // Returns when what is in memory now is in tables.
  rocksdb::Status Flush(const std::vector<rocksdb::ColumnFamilyHandle*>& families);
  rocksdb::Status FlushAll();

  // Runs a change that the log does not tell of (families made or dropped, files loaded), with marks before and behind it: a
  // backup is not restored to a point in time beyond it.
  rocksdb::Status ChangeUnlogged(const std::function<rocksdb::Status()>& change);
  // Runs a change of the set of files. RocksDB deletes the new files of a change whose record could not be synced,
  // which the MANIFEST on disk may name nevertheless, so no file is deleted until it is known what the MANIFEST says:
  // a new one is begun after an I/O error. If that fails too, files stay and, but for a full disk, the store becomes
  // read-only.
  rocksdb::Status ChangeFiles(const std::function<rocksdb::Status()>& change);
  // Runs the ingestion of files, as ChangeUnlogged and ChangeFiles. Error: NotSupported after a full disk, until the store is opened
  // again.
  rocksdb::Status TakeFiles(const std::function<rocksdb::Status()>& ingest);
  // Runs the creation or the drop of column families: making room for a full disk must know of a MANIFEST that failed.
  rocksdb::Status ChangeFamilies(const std::function<rocksdb::Status()>& change);
  // Replaces one of the store's small files. When it is not known whether that has happened, the store becomes
  // read-only: memory stays as it was, the disk may have either file, and nothing is acknowledged that one of them
  // would lose. Error: kReadOnly then.
  Status SaveFile(const std::string& directory, const std::string& name, std::string_view bytes);

  bool read_only() const { return read_only_.load(std::memory_order_acquire); }
  // Ok unless the store is read-only. Error: kReadOnly, with the reason.
  Status CheckWritable();
  // What a write that failed comes to: an error of the disk makes the store read-only, a full disk or a bad argument
  // does not.
  Status FailureOf(const rocksdb::Status& status);

 private:
  // Makes the store read-only until it is opened again, unless it is already. Returns the error of CheckWritable.
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
  std::atomic<bool> manifest_failed_{false};  // a change of the MANIFEST failed: it may or may not say so
  std::atomic<int> kept_deletions_{0};        // calls of DisableFileDeletions to be taken back once the MANIFEST is new
  // RocksDB 7.8 went on from an error. Until it is opened again it believes itself stopped: it does not wait for flushes any more, and
  // takes no numbers for files that it ingests.
  std::atomic<bool> resumed_{false};
  std::atomic<bool> read_only_{false};
  std::atomic<int64_t> marked_ms_{INT64_MIN};  // the time that the log was last told
  std::mutex failure_mutex_;
  std::string failure_;  // why read_only_; guarded by failure_mutex_
};

}  // namespace klip::engine
