// Store: one data directory. Owns the RocksDB database, the catalog of namespaces, tables and regions, and the row locks.
// Reading goes through RowScanner (row_scanner.h). What Put, Increment or CheckAndMutate mean is decided above, in table/.
//
// Directory: CURRENT, *.sst, ... (RocksDB), FORMAT (klip's format version), CATALOG (catalog.h), SEQUENCE, STORE.LOCK,
// snapshots/<name>/, load/ (files on their way into the database), replication/ (peers.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/log/cluster_id.h"
#include "engine/log/nonce.h"
#include "engine/store/row_locks.h"
#include "engine/store/table_lock.h"
#include "engine/view/table_view.h"
#include "filter/rows/key_sample.h"
#include "klip/admin.h"
#include "klip/cell.h"
#include "klip/mutation.h"
#include "klip/plan.h"
#include "klip/replication.h"
#include "klip/status.h"

namespace rocksdb {
class DB;
}  // namespace rocksdb

namespace klip::engine {

// A point in the log: behind all of the files below `log`, and in that file behind all up to this sequence number.
struct LogPosition {
  uint64_t log = 0;
  uint64_t sequence = 0;

  bool operator==(const LogPosition&) const = default;
};

// What a column family of RocksDB is.
struct LoggedFamily {
  TablePtr table;
  const Family* family = nullptr;  // one of the table's
};

// Cells to be written as one atomic step, encoded as they are added.
class WriteSet {
 public:
  WriteSet();
  ~WriteSet();
  WriteSet(WriteSet&&) noexcept;
  WriteSet& operator=(WriteSet&&) noexcept;

  // `timestamp_ms` must be resolved (no kLatestTimestamp, except as HBase allows for deletes written raw).
  void Add(const Family& family, std::string_view row, std::string_view qualifier, int64_t timestamp_ms, CellType type,
           std::string_view value, std::string_view tags = {});
  // Goes into the log with the cells, see Store::RecoveredNonces. One that is none (0) does nothing.
  void AddNonce(const Nonce& nonce, int64_t now_ms);
  // Says in the log that the cells added between Begin and End came by replication, from these clusters.
  void BeginReplicated(const ClusterIds& clusters);
  void EndReplicated();
  bool empty() const;
  size_t size_bytes() const;
  void Clear();

 private:
  friend class Store;
  struct Rep;
  std::unique_ptr<Rep> rep_;
};

class Store {
 public:
  // Errors: kStoreInUse, kNewerFormat, kCorruption (naming the file), kIoError, kInvalidArgument.
  static Expected<std::unique_ptr<Store>> Open(StoreOptions options);
  ~Store();

  int64_t NowMs() const;
  const StoreOptions& options() const;

  // --- Tables as they are now ---
  // Errors: kTableNotFound. A disabled table is returned too (enabled == false).
  Expected<TablePtr> GetTable(std::string_view name) const;

  // Held shared while writing to a table, exclusively while the table is altered, so that a write never meets a family
  // that is being dropped. Taken before rows are locked, and once by a thread; of several tables in the order of their names.
  std::shared_lock<TableLock> LockForWrite(std::string_view table);
  // The same without waiting: the lock returned is not held if the table is being altered.
  std::shared_lock<TableLock> TryLockForWrite(std::string_view table);

  // Waits for the rows' locks. A thread takes all that it needs in one call.
  RowLocks LockRows(std::vector<RowStripe> stripes);
  // Adds stripes to locks that are held, without waiting. False: another thread holds one of them, and none was added.
  bool TryLockRows(std::vector<RowStripe> stripes, RowLocks* locks);

  // Grows with each change of any table. While it stays the same, so do all views.
  uint64_t Version() const;

  // --- Writing ---
  // The write is visible to readers once this returns, and durable as `durability` says.
  // Errors: kReadOnly after a failed sync (text says since when and why), kIoError (disk full and the like).
  Status Write(WriteSet* writes, Durability durability);

  // What was written under a nonce in the last kNonceLifeMs before the store was last killed, oldest first, as far as the log
  // still told of it when the store was opened: at least as long as it would not have been in tables by then.
  const std::vector<LoggedNonce>& RecoveredNonces() const;

  // A number above every one returned before, also in former lives of the store: the order of writes in a row.
  uint64_t NextSequence();

  // --- Catalog: semantics and texts as klip/admin.h says ---
  Status CreateNamespace(const NamespaceDescriptor& descriptor);
  Status ModifyNamespace(const NamespaceDescriptor& descriptor);
  Status DeleteNamespace(std::string_view name);
  Expected<NamespaceDescriptor> GetNamespace(std::string_view name);
  std::vector<NamespaceDescriptor> ListNamespaces();

  Status CreateTable(TableDescriptor descriptor, std::vector<std::string> split_keys);
  Status DeleteTable(std::string_view table);
  Status TruncateTable(std::string_view table, bool preserve_splits);
  Status SetEnabled(std::string_view table, bool enabled);
  // Makes the table what `descriptor` says: families that are not in it are dropped.
  Status ModifyTable(TableDescriptor descriptor);
  // Changes what `edit` changes in the descriptor of the table as it is then: no other change of the catalog comes between. An error
  // of `edit` is passed on, and nothing changed. REQUIRES: `edit` does not call the store.
  using TableEdit = std::function<Status(const TableView& now, TableDescriptor* descriptor)>;
  Status ModifyTable(std::string_view table, const TableEdit& edit);
  std::vector<TableDescriptor> ListTables(std::string_view name_space = {});  // all, or those of a namespace; by name

  // Who keeps views learns of each table that has another one now, or none, so as to let go: what a view's families hold, in memory and
  // on disk, is given back only when nobody has it any more. Called by the thread that made the change, before the change returns; it may
  // read from the store, and changes no table. After Unwatch it is not called.
  using TableWatch = std::function<void(const std::string& table)>;
  uint64_t WatchTables(TableWatch watch);
  void Unwatch(uint64_t watch);

  // --- Storage ---
  // Of all families, or of one.
  Status Flush(std::string_view table, std::string_view family = {});
  Status Compact(std::string_view table, bool major, std::string_view family = {});
  StoreMetrics Metrics();
  Expected<TableStatistics> Statistics(const TableView& table);
  // Of the family with the most rows, from its files.
  filter::SampledKeys SampleOf(const TableView& table);
  // Approximate bytes of rows in [start, end), all families: on disk and, with `memory`, in memory.
  int64_t ApproximateBytes(const TableView& table, std::string_view start, std::string_view end, bool memory = true);
  // Up to `pieces` - 1 rows that cut [start, end) into pieces of about equal size, from samples kept in the files. For
  // splits and parallel scans.
  std::vector<std::string> SplitPoints(const TableView& table, std::string_view start, std::string_view end,
                                       int pieces);

  // Names of the family's files that may hold rows of [start, end).
  std::vector<std::string> FileNames(const Family& family, std::string_view start, std::string_view end);
  // How many files of all families may hold rows of each region.
  std::vector<int32_t> FileCounts(const TableView& table);

  // --- Regions ---
  std::vector<RegionInfo> Regions(const TableView& table);
  RegionInfo InfoOf(const TableView& table, const Region& region);
  Status SplitRegion(std::string_view table, std::string_view split_key);
  // Deletes all rows of the region that begins at `start_key`. Errors: kInvalidArgument when there is none.
  Status TruncateRegion(std::string_view table, std::string_view start_key);
  Status MergeRegions(std::span<const std::string> regions, bool forcible);
  Expected<int> RunSplitPolicies();
  // What HBase's catalog janitor does: views tell no longer which regions those of now have replaced. Returns of how many splits and
  // merges that was.
  Expected<int> ForgetRegionChanges();
  bool SetSplitEnabled(bool enabled);
  bool SetMergeEnabled(bool enabled);
  bool IsSplitEnabled() const;
  bool IsMergeEnabled() const;

  // --- Replication: peers, and the log that they are fed from. Checks and texts are HBase's ---
  // Errors: kDoNotRetry.
  Status AddPeer(const ReplicationPeer& peer);
  Status RemovePeer(std::string_view id);
  Status SetPeerEnabled(std::string_view id, bool enabled);
  Status UpdatePeer(std::string_view id, const ReplicationPeerConfig& config);
  std::vector<ReplicationPeer> Peers() const;  // by id
  Expected<ReplicationPeer> Peer(std::string_view id) const;
  // Where a peer stands. What it has passed, and every other peer too, is deleted. Errors: kDoNotRetry: no such peer.
  Expected<LogPosition> PeerPosition(std::string_view id) const;
  Status SetPeerPosition(std::string_view id, const LogPosition& position);
  // All families, by RocksDB's number of their column family.
  std::map<uint32_t, LoggedFamily> LoggedFamilies() const;

  // --- Snapshots and files ---
  // Errors: kInvalidArgument of an option.
  Status Snapshot(std::string_view snapshot, std::string_view table, const SnapshotOptions& options = {});
  Status DeleteExpiredSnapshots();
  Expected<std::vector<SnapshotInfo>> ListSnapshots();  // those that can be read
  Expected<SnapshotInfo> FindSnapshot(std::string_view snapshot);
  Status DeleteSnapshot(std::string_view snapshot);
  Status CloneSnapshot(std::string_view snapshot, std::string_view new_table);
  Status RestoreSnapshot(std::string_view snapshot);

  // Sorted files written beside the database and moved in as one step. See klip/connection.h BulkLoader.
  class FileLoader {
   public:
    virtual ~FileLoader() = default;
    // Cells of one row, or the next of them, in key order within each family. Rows ascending.
    virtual Status AddRow(std::string_view row, std::span<const Cell> cells) = 0;
    // REQUIRES: LockForWrite of the table is held.
    virtual Status Finish() = 0;
  };
  Expected<std::unique_ptr<FileLoader>> NewFileLoader(TablePtr table);

  // For RowScanner.
  rocksdb::DB* db() const;
  // Changes when a flush or a compaction begins, which drop versions that are surplus at that time.
  uint64_t Rewrites() const;

 private:
  class TableFileLoader;
  struct Rep;
  explicit Store(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

}  // namespace klip::engine
