// The database of a store: its locked directory, RocksDB in it, and their environment. Every part of the store shares it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/env.h"
#include "rocksdb/listener.h"

#include "engine/blocks/block_reader.h"
#include "engine/log/kept_logs.h"
#include "engine/log/nonce_log.h"
#include "engine/rocks/patient_files.h"
#include "engine/rocks/rocksdb_options.h"
#include "engine/store/manifest_mark.h"
#include "engine/view/open_snapshots.h"
#include "engine/view/table_view.h"
#include "klip/status.h"

namespace klip::engine {

// Counts RocksDB's background events, and wakes threads that wait for one.
class StoreEvents final : public rocksdb::EventListener {
 public:
  explicit StoreEvents(std::shared_ptr<BlockReader> blocks) : blocks_(std::move(blocks)) {}

  void OnFlushBegin(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;
  void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override;
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override;
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error, bool* auto_recovery) override;
  void OnExternalFileIngested(rocksdb::DB* db, const rocksdb::ExternalFileIngestionInfo& info) override;
  void OnColumnFamilyHandleDeletionStarted(rocksdb::ColumnFamilyHandle* handle) override;
  // Called when the store closes: threads that wait for an event give up.
  void Stop();

  std::mutex mutex;
  std::condition_variable changed;
  uint64_t new_files = 0;    // flushes and ingestions so far; guarded by mutex
  uint64_t compactions = 0;  // finished so far; guarded by mutex
  uint64_t failures = 0;     // failed flushes, compactions and writes so far; guarded by mutex
  rocksdb::Status failure;   // the last of them; guarded by mutex
  bool stopping = false;     // guarded by mutex
  std::atomic<int64_t> running_compactions{0};
  std::atomic<uint64_t> file_generation{1};  // changes whenever the set of files does
  std::atomic<uint64_t> rewrites{0};         // flushes and compactions that have begun

 private:
  const std::shared_ptr<BlockReader> blocks_;
};

// Column family handles share it, so it closes after the last of them is gone. After opening, only the targets of its
// pointers change, and those are thread-safe.
struct Database {
  explicit Database(StoreOptions with);
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;
  ~Database();

  // The steps of opening, in this order. Creates the directory if it is missing, locks it and checks its format. Errors:
  // those of Store::Open.
  Status Lock();
  // From now on, a klip that knows only lower formats rejects the store. REQUIRES: it is locked.
  Status RequireFormat(int format) const;
  // The names of RocksDB's column families; for a new database, only the default one.
  Expected<std::vector<std::string>> FamilyNames() const;
  // Opens RocksDB. The caller owns the handles, which are in the order of `families`. `*unflushed`: the log's contents
  // stay in memory, because the disk is full or the store is read-only. `keep_logs`: peers need them, see KeptLogs.
  Status Open(std::vector<rocksdb::ColumnFamilyDescriptor> families, bool keep_logs,
              std::vector<rocksdb::ColumnFamilyHandle*>* handles, bool* unflushed);

  const std::string& path() const { return options.path; }
  bool read_only() const { return options.read_only; }
  int64_t NowMs() const { return options.clock_ms(); }

  const StoreOptions options;
  rocksdb::Env* const env;
  const SharedResources shared;
  const std::shared_ptr<BlockReader> blocks;  // reads the tables of `env`
  const std::shared_ptr<StoreEvents> events;
  const std::shared_ptr<OpenSnapshots> open_snapshots = std::make_shared<OpenSnapshots>();
  StoreDirectory directory;
  const std::shared_ptr<PatientFiles> files;    // those of `env`
  const std::shared_ptr<KeptLogs> logs;         // the same files, as KeptLogs
  const std::unique_ptr<rocksdb::Env> log_env;  // RocksDB's: `env` with these files
  const std::unique_ptr<ManifestMarker> manifest_marker;
  rocksdb::FileLock* lock = nullptr;
  NonceRecovery nonces;  // RocksDB keeps a pointer
  std::unique_ptr<rocksdb::DB> db;

 private:
  Status OpenReadOnly(const rocksdb::DBOptions& how, const std::vector<rocksdb::ColumnFamilyDescriptor>& families,
                      std::vector<rocksdb::ColumnFamilyHandle*>* handles, bool* unflushed);
};

// Stores have format 1 until a table has an index.
inline constexpr int kFormatOfIndexes = 2;
inline constexpr const char* kFormatName = "FORMAT";
// The contents of that file.
std::string FormatText(int format);
// Errors: kCorruption; kNewerFormat; kIoError.
Expected<int> ReadFormat(rocksdb::Env* env, const std::string& store);

// "f12".
std::string FamilyColumnName(uint32_t id);

// Removes a directory and its contents, without following links. Best effort: the next open removes what is left.
void RemoveTree(const std::string& path);

}  // namespace klip::engine
