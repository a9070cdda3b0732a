// The inside of Store, shared by the store_*.cc files: one of them per concern.
//
// Locks, in the order in which they are taken: ddl_mutex, a table's lock (LockTable::ForTable), tables_mutex. Writers hold a
// table's lock shared and take no ddl_mutex.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/listener.h"

#include "engine/log/kept_logs.h"
#include "engine/log/nonce_log.h"
#include "engine/rocks/rocksdb_options.h"
#include "engine/statistics/key_statistics.h"
#include "engine/store/catalog.h"
#include "engine/store/lock_table.h"
#include "engine/store/peers.h"
#include "engine/store/store.h"

namespace klip::engine {

// Counts RocksDB's background events and wakes whoever waits for one.
class StoreEvents final : public rocksdb::EventListener {
 public:
  void OnFlushBegin(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;
  void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override;
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override;
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error, bool* auto_recovery) override;
  void OnExternalFileIngested(rocksdb::DB* db, const rocksdb::ExternalFileIngestionInfo& info) override;

  std::mutex mutex;
  std::condition_variable changed;
  uint64_t new_files = 0;    // flushes and ingestions so far; guarded by mutex
  uint64_t compactions = 0;  // finished so far; guarded by mutex
  bool stopping = false;     // guarded by mutex
  std::atomic<int64_t> running_compactions{0};
  std::atomic<uint64_t> file_generation{1};  // changes whenever the set of files does
  std::atomic<uint64_t> rewrites{0};         // flushes and compactions that have begun
};

// The open database. Column family handles share it, so it closes after the last of them is gone.
struct Database {
  rocksdb::Env* env = nullptr;
  rocksdb::FileLock* lock = nullptr;
  std::shared_ptr<KeptLogs> logs;
  std::unique_ptr<rocksdb::Env> log_env;  // RocksDB's: `env`, with `logs` before its files
  SharedResources shared;
  std::shared_ptr<StoreEvents> events;
  NonceRecovery nonces;  // RocksDB keeps a pointer
  std::unique_ptr<rocksdb::DB> db;

  Database() = default;
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();
};

// Of the files of one family, at one StoreEvents::file_generation.
struct FamilyStatistics {
  uint64_t generation = 0;
  KeyStatistics keys;
  std::vector<double> distinct_prefixes;            // keys.prefixes, estimated once
  std::shared_ptr<const filter::KeySample> sample;  // null: not of all files
  int64_t bytes_on_disk = 0;
  int64_t files = 0;
  int sorted_runs = 0;
};

struct Store::Rep {
  using TableMap = std::map<std::string, TablePtr, std::less<>>;

  StoreOptions options;
  rocksdb::Env* env = nullptr;
  std::shared_ptr<Database> database;
  rocksdb::DB* db = nullptr;

  LockTable locks;
  std::mutex ddl_mutex;
  Catalog catalog;  // guarded by ddl_mutex

  mutable std::shared_mutex tables_mutex;
  TableMap tables;                   // guarded by tables_mutex
  std::atomic<uint64_t> version{1};  // see Store::Version; changed under tables_mutex

  std::atomic<bool> read_only{false};
  std::shared_mutex log_gate;  // held shared around writes to the log, exclusively while a new log is begun
  std::atomic<bool> manifest_failed{false};  // a change of the MANIFEST failed: it may or may not say so
  std::atomic<int> kept_deletions{0};        // calls of DisableFileDeletions to be taken back once the MANIFEST is new
  std::mutex failure_mutex;
  std::string failure;  // why read_only; guarded by failure_mutex

  std::vector<LoggedNonce> recovered_nonces;  // set by Open only

  std::atomic<uint64_t> sequence{0};
  std::atomic<uint64_t> sequence_limit{0};  // numbers below it are reserved: SEQUENCE says so
  std::mutex sequence_mutex;                // held while more are reserved

  std::mutex watch_mutex;                  // held while they are called
  std::map<uint64_t, TableWatch> watches;  // guarded by watch_mutex
  uint64_t last_watch = 0;                 // guarded by watch_mutex

  std::mutex statistics_mutex;
  std::map<uint32_t, std::shared_ptr<const FamilyStatistics>> statistics;  // by family id; guarded by statistics_mutex

  mutable std::mutex peers_mutex;
  PeerRecords peers;  // guarded by peers_mutex

  std::set<std::string> unlisted_snapshots;  // that cannot be read, as LOG says by now; guarded by ddl_mutex

  std::atomic<uint64_t> load_directories{0};  // made so far in this life of the store

  std::thread splitter;

  // --- store.cc: opening and closing ---
  Status Prepare();  // directory, lock, FORMAT, CATALOG
  Status OpenDatabase();
  Status ReadFormat();
  Status ReadCatalog();
  Status ReadSequence();
  Status ReadPeers();
  void RecoverNonces();
  Status DropOrphans(const std::vector<std::string>& names, const std::vector<rocksdb::ColumnFamilyHandle*>& handles);
  void BuildViews(std::map<uint32_t, Family> families);
  void Close();

  // --- store_tables.cc ---
  // Replaces one of the store's small files. When it is not known whether that has happened, the store becomes read-only: memory stays
  // as it was, the disk may have either file, and nothing is acknowledged that one of them would lose. Error: kReadOnly then.
  Status SaveFile(const std::string& directory, const std::string& name, std::string_view bytes);
  // Writes the catalog, then makes it the current one. Errors: that of SaveFile; kReadOnly. REQUIRES: ddl_mutex.
  Status SaveCatalog(Catalog next);
  Expected<TablePtr> Find(std::string_view table) const;
  void Publish(TablePtr view);
  void Unpublish(const std::string& table);
  void TellWatches(const std::string& table);
  Expected<std::vector<KeyPart>> KeyPartsOf(const TableDescriptor& descriptor) const;
  std::shared_ptr<FamilyState> NewState(const FamilyDescriptor& family, const std::vector<KeyPart>& parts);
  Family Own(const FamilyDescriptor& descriptor, uint32_t id, rocksdb::ColumnFamilyHandle* handle,
             std::shared_ptr<FamilyState> state) const;
  // Creates the column families of `record` that have no id yet, and gives them one. REQUIRES: ddl_mutex.
  Expected<std::vector<Family>> CreateFamilies(const std::vector<FamilyDescriptor>& families,
                                               const std::vector<KeyPart>& parts);
  // Best effort: what stays behind after an error is dropped at the next open. A read-only store drops nothing: the CATALOG on disk may
  // name these families.
  void DropFamilies(const std::vector<Family>& families);
  TablePtr MakeView(const TableRecord& record, std::vector<Family> families) const;
  int64_t NewRegionId(Catalog* next) const;
  std::vector<Region> RegionsFor(const std::vector<std::string>& split_keys, int64_t region_id) const;
  // Makes these families the table's, whether there was such a table before or not. REQUIRES: ddl_mutex.
  Status PutTable(TableDescriptor descriptor, bool enabled, std::vector<Region> regions, std::vector<Family> families);

  // --- store_write.cc ---
  Status WriteBatch(Durability durability, rocksdb::WriteBatch* batch);
  // Of all cells in the region. REQUIRES: nobody writes to it.
  Status DeleteKeys(const Family& family, const Region& region);
  void CompactDeleted(const Family& family, const Region& region);
  Status FailureOf(const rocksdb::Status& status);
  // Makes the store read-only until it is opened again, unless it is already; returns its ReadOnlyStatus.
  Status EndWrites(const std::string& reason, const std::string& detail);
  // Runs a change of the set of files. RocksDB deletes the new files of a change whose record could not be synced, which the MANIFEST on
  // disk may name nevertheless, so no file is deleted until it is known what the MANIFEST says: a new one is begun after an I/O error. If
  // that fails too, files stay and, but for a full disk, the store becomes read-only.
  rocksdb::Status ChangeFiles(const std::function<rocksdb::Status()>& change);
  Status ReadOnlyStatus();
  bool MakeRoom();
  bool Resume();
  bool RenewManifest();
  rocksdb::Status FlushAll();
  uint64_t NextSequence();
  void ReserveSequences(uint64_t number);

  // --- store_maintenance.cc ---
  Status CompactFamily(const Family& family, bool major);
  void StartSplitter(Store* store);
  void StopSplitter();

  // --- store_statistics.cc ---
  std::shared_ptr<const FamilyStatistics> StatisticsOf(const Family& family);
  // Takes over what the files of a family say of their rows, before any row is written.
  void NoteRowsOfFiles(const Family& family);
  int64_t BytesIn(const Family& family, std::string_view start, std::string_view end, bool memory) const;

  // --- store_regions.cc; all REQUIRE ddl_mutex but SplitByPolicy ---
  Status SaveRegions(const std::string& table, std::vector<Region> regions, RegionChange change);
  Status CheckMaySplit(const TableView& table) const;
  Status SplitAt(const TablePtr& view, std::string_view split_key);
  Expected<int> SplitByPolicy(Store* store, const std::string& table);

  // --- store_peers.cc; all but the first REQUIRE peers_mutex ---
  // Writes a peer down as `change` makes it. Errors: there is no such peer; that of `change`.
  Status ChangePeer(std::string_view id, const std::function<Status(PeerRecord*)>& change);
  // Writes them down, then makes them the current ones, and deletes what none of them needs.
  Status SavePeers(PeerRecords next);
  Status DropPassedLogs();

  // --- store_snapshots.cc ---
  void CleanUpFiles();  // half-made snapshots, files that were on their way in
  std::string SnapshotDirectory(std::string_view snapshot) const;
  Expected<SnapshotRecord> ReadSnapshot(std::string_view snapshot) const;
  Expected<SnapshotRecord> ReadUsableSnapshot(std::string_view snapshot) const;  // that has not expired
  std::vector<std::string> SnapshotNames() const;
  Status DeleteSnapshot(std::string_view snapshot);
  Status ExportTable(const TableView& table, const std::string& directory, SnapshotRecord* record);
  Expected<std::vector<Family>> ImportFamilies(const SnapshotRecord& record);
  Expected<Family> ImportFamily(const SnapshotRecord& record, size_t index, const std::vector<KeyPart>& parts);
  // A new empty directory for files on their way in.
  Expected<std::string> NewLoadDirectory();
};

// Removes a directory and all it holds. Best effort: what stays is removed at the next open.
void RemoveTree(rocksdb::Env* env, const std::string& path);

// "f12".
std::string FamilyColumnName(uint32_t id);

}  // namespace klip::engine
