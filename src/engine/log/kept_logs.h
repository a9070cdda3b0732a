// RocksDB's log files that replication still needs. RocksDB deletes a log once what it holds is in tables; while there are peers
// such a file is moved into the store's directory replication/ instead, and goes when all peers have passed it. While there is a
// directory archive/, each such file gets a second name there, for backups (engine/backup/backup.h). Beside, each log's room on the
// disk is taken ahead (log_room.h), and a table that is linked into the store is kept while the MANIFEST may name it: its name is on
// the disk before the MANIFEST has it, and stays when the load fails.
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

class KeptLogs final : public rocksdb::FileSystemWrapper {
 public:
  // `store`: the directory of the store.
  KeptLogs(const std::shared_ptr<rocksdb::FileSystem>& files, std::string store)
      : FileSystemWrapper(files), store_(std::move(store)) {}
  const char* Name() const override { return "klip.KeptLogs"; }

  // From now on; the directory replication/ must be there.
  void Keep(bool keep) { keep_.store(keep, std::memory_order_release); }

  // While RocksDB loads or imports files. When it cannot write its MANIFEST it deletes the tables that it linked, though what it wrote
  // may be on the disk, and the store would not open. They stay instead: RocksDB deletes those that nothing names when file deletions
  // are enabled again, or at the next open. REQUIRES: file deletions are disabled.
  class KeptTables {
   public:
    explicit KeptTables(KeptLogs* files) : files_(files) { ++files_->kept_tables_; }
    ~KeptTables() { --files_->kept_tables_; }
    KeptTables(const KeptTables&) = delete;
    KeptTables& operator=(const KeptTables&) = delete;

   private:
    KeptLogs* const files_;
  };

  // While this thread lets RocksDB 7.8 take files over. A file that cannot be read has no bounds for it, and is loaded nevertheless: nothing
  // of it would ever be found, and scans of its family would abort. Instead, no file is linked after one could not be read.
  class ReadFiles {
   public:
    ReadFiles();
    ~ReadFiles();
    ReadFiles(const ReadFiles&) = delete;
    ReadFiles& operator=(const ReadFiles&) = delete;
  };

  // Called before a log is deleted that is not empty. To be set before RocksDB runs.
  void BeforeDeletion(std::function<void()> call) { before_deletion_ = std::move(call); }

  // Before a write to the log.
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
  // Ok when there is no archive.
  rocksdb::IOStatus Archive(const std::string& name, const rocksdb::IOOptions& options, rocksdb::IODebugContext* debug);

  const std::string store_;
  std::function<void()> before_deletion_;
  std::atomic<bool> keep_{false};
  std::atomic<int> kept_tables_{0};  // loads and imports that run
  LogRoom room_;
};

// "000012.log".
std::string LogName(uint64_t number);
// Of "000012.sst", with ".sst" as suffix; nothing for other names.
std::optional<uint64_t> FileNumber(std::string_view name, std::string_view suffix);
// Of "000012.log".
std::optional<uint64_t> LogNumber(std::string_view name);
// The numbers of all log files there are, ascending: RocksDB's own and, with `kept`, the kept ones.
Expected<std::vector<uint64_t>> LogNumbers(rocksdb::Env* env, const std::string& store, bool kept = true);
// Of the kept ones: number to bytes.
Expected<std::map<uint64_t, uint64_t>> KeptLogBytes(rocksdb::Env* env, const std::string& store);
// Opens one, wherever it is. Null: it is gone.
Expected<std::unique_ptr<rocksdb::RandomAccessFile>> OpenLog(rocksdb::Env* env, const std::string& store,
                                                             uint64_t number);
// Cuts off what a crash has left of a record at the end of the newest log of RocksDB's own. REQUIRES: RocksDB does not run, and will
// recover by kPointInTimeRecovery: what is cut off is what it will not read. Later no one could tell that nothing is missing: the next
// log need not go on with the next sequence number, since writes without log and loaded files take some too.
Status CutTornLog(rocksdb::Env* env, const std::string& store);
// Deletes the kept files of numbers below `number`.
Status DropKeptLogs(rocksdb::Env* env, const std::string& store, uint64_t number);

}  // namespace klip::engine
