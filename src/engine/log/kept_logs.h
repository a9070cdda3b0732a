// KeptLogs: RocksDB's file system, which keeps log files that replication or backups still need.
//
// RocksDB deletes a log once its contents are in tables. While there are peers, such a file moves to the store's
// directory replication/ instead, until all peers have passed it. While there is a directory archive/, each such file is
// linked there too, for backups (engine/backup/backup.h). Also, it reserves disk space for each log (log_room.h), and
// protects a table that is linked into the store: the table's name is synced before the MANIFEST has it, and stays if the
// load fails.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rocksdb/env.h"
#include "rocksdb/file_system.h"

#include "engine/log/log_room.h"
#include "klip/status.h"

namespace klip::engine {

inline constexpr const char* kReplicationDirectory = "replication";
inline constexpr const char* kArchiveDirectory = "archive";
// In archive/. While it exists, no backup was made since an open archived the empty logs, so none has those of later opens.
inline constexpr const char* kNoNewBackup = "NO_NEW_BACKUP";

class KeptLogs final : public rocksdb::FileSystemWrapper {
 public:
  // `store`: the directory of the store.
  KeptLogs(const std::shared_ptr<rocksdb::FileSystem>& files, std::string store)
      : FileSystemWrapper(files), store_(std::move(store)) {}
  const char* Name() const override { return "klip.KeptLogs"; }

  // Takes effect at once; the directory replication/ must exist.
  void Keep(bool keep) { keep_.store(keep, std::memory_order_release); }

  // Exists while RocksDB loads or imports files. If RocksDB cannot write its MANIFEST, it deletes the tables that it
  // linked. But the MANIFEST's record may be on disk, and then the store would not open. So they stay: RocksDB deletes
  // unnamed ones when file deletions are enabled again, or at the next open. REQUIRES: file deletions are disabled.
  class KeptTables {
   public:
    explicit KeptTables(KeptLogs* files) : files_(files) { ++files_->kept_tables_; }
    ~KeptTables() { --files_->kept_tables_; }
    KeptTables(const KeptTables&) = delete;
    KeptTables& operator=(const KeptTables&) = delete;

   private:
    KeptLogs* const files_;
  };

  // Exists while this thread lets RocksDB 7.8 take over files. RocksDB loads a file that it cannot read without bounds: none of its rows
  // would be found, and scans of its family would abort. Instead, after a file that could not be read, no file is linked.
  class ReadFiles {
   public:
    ReadFiles();
    ~ReadFiles();
    ReadFiles(const ReadFiles&) = delete;
    ReadFiles& operator=(const ReadFiles&) = delete;
  };

  // `call` runs before a log that is not empty is deleted. Set it before RocksDB runs.
  void BeforeDeletion(std::function<void()> call) { before_deletion_ = std::move(call); }

  // Called before a write to the log.
  LogRoom& room() { return room_; }

  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name, const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& name, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LinkFile(const std::string& source, const std::string& target, const rocksdb::IOOptions& options,
                             rocksdb::IODebugContext* debug) override;

 private:
  bool IsInStore(std::string_view path) const;
  bool IsLog(std::string_view path) const;
  rocksdb::IOStatus Sync(const std::string& directory, const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* debug);
  // Ok if there is no archive.
  rocksdb::IOStatus Archive(const std::string& name, const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug);

  const std::string store_;
  std::function<void()> before_deletion_;
  std::atomic<bool> keep_{false};
  std::atomic<int> kept_tables_{0};  // running loads and imports
  LogRoom room_;
};

// "000012.log".
std::string LogName(uint64_t number);
// The number in "000012.sst", with ".sst" as suffix; nothing for other names.
std::optional<uint64_t> FileNumber(std::string_view name, std::string_view suffix);
// The number in "000012.log".
std::optional<uint64_t> LogNumber(std::string_view name);
// The numbers of all log files, ascending: RocksDB's own and, with `kept`, the kept ones.
Expected<std::vector<uint64_t>> LogNumbers(rocksdb::Env* env, const std::string& store, bool kept = true);
// The kept ones: number to bytes.
Expected<std::map<uint64_t, uint64_t>> KeptLogBytes(rocksdb::Env* env, const std::string& store);
// Opens a log, kept or not. Null: it does not exist any more.
Expected<std::unique_ptr<rocksdb::RandomAccessFile>> OpenLog(rocksdb::Env* env, const std::string& store,
                                                             uint64_t number);
// Cuts off an incomplete record that a crash left at the end of RocksDB's newest log. REQUIRES: RocksDB does not run, and
// will recover by kPointInTimeRecovery, which does not read the incomplete record. After recovery, nobody could tell
// whether records are missing: the next log may start at a later sequence number, because unlogged writes and loaded
// files use some too. So a log in replication/ or archive/ has no incomplete record, unless it is damaged.
Status CutTornLog(rocksdb::Env* env, const std::string& store);
// Deletes the kept files with numbers below `number`.
Status DropKeptLogs(rocksdb::Env* env, const std::string& store, uint64_t number);

}  // namespace klip::engine
