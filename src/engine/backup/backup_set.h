// A directory of backups. Files are stored by content, so backups that have a file in common share it:
//
//   BACKUPS           "klip backups, format 1" and the id of the set
//   000003.backup     a backup: its times, its store, a line for each file, and a checksum of all that
//   files/<sha256>    the contents of a file of a store; named by its SHA-256
//   incoming          an unfinished file, left by a crash
//
// A backup exists once its record does, which is written last. Existing files never change.
//
// Example: backup 1 has the tables 000012.sst and 000013.sst. A compaction merges 000013.sst and new rows into 000015.sst.
// Backup 2 has 000012.sst and 000015.sst, and copies only the latter. Removing backup 1 deletes its record and the contents
// of 000013.sst; those of 000012.sst stay, since backup 2 needs them.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.h"
#include "klip/status.h"

namespace klip::engine {

struct BackupFile {
  std::string path;      // in the store's directory: "000012.sst", "archive/000009.log"
  std::string sha256;    // in hex
  uint64_t bytes = 0;    // of a log or MANIFEST: its size at the time of the backup
  std::string table_id;  // RocksDB's unique id of a table file, in hex; empty for others
};

struct BackupRecord {
  uint64_t number = 0;
  // acknowledged writes from before are in the backup, except unlogged writes that were only in memory
  int64_t begun_ms = 0;
  int64_t time_ms = 0;      // later writes are not in the backup
  std::string store;        // its directory
  bool keeps_logs = false;  // from here on, the store archives its logs for this set
  std::vector<BackupFile> files;

  uint64_t bytes() const;
  const BackupFile* Find(std::string_view path) const;  // null: none
};

class BackupSet {
 public:
  // For reading. Errors: kInvalidArgument: there are no backups in the directory; kCorruption; kNewerFormat.
  static Expected<BackupSet> Open(const std::string& directory);
  // For adding and removing: creates the directory if it is missing, locks it until destruction, and removes what a crash
  // has left. Errors: those of Open; kStoreInUse; kInvalidArgument: it contains something else.
  static Expected<BackupSet> OpenToWrite(const std::string& directory);

  const std::string& id() const { return id_; }
  // In ascending order. Unreadable ones are omitted, and reported in `unreadable`.
  Expected<std::vector<BackupRecord>> Records(std::vector<Status>* unreadable) const;
  std::string PathOf(const BackupFile& file) const;
  // Greater than those of all records, including unreadable ones.
  Expected<uint64_t> NextNumber() const;

  // Copies the first `bytes` of a file, and returns their checksum. Calls `check` on the copy before keeping it.
  // `*is_new`: the set had no such file. `name` is for error texts. Errors: kIoError, also if the file is shorter; that
  // of `check`.
  Expected<std::string> Add(int file, uint64_t bytes, const std::string& name,
                            const std::function<Status(const std::string& copy)>& check, bool* is_new) const;
  bool Has(const std::string& sha256, uint64_t bytes) const;
  // Makes all added files durable, and then the record.
  Status AddRecord(const BackupRecord& record) const;
  // Removes a backup, and files that no other backup needs. Errors: kInvalidArgument: no such backup; kCorruption:
  // another one is unreadable.
  Status Remove(uint64_t number) const;

 private:
  explicit BackupSet(std::string directory) : directory_(std::move(directory)) {}
  Status ReadHead();
  Expected<std::vector<uint64_t>> Numbers() const;
  Status RemoveUnused(const std::vector<BackupRecord>& records) const;

  std::string directory_;
  std::string id_;
  base::Descriptor lock_;
};

// Appends the first `bytes` of one file to another; -1: to none. Passes the bytes to `take`. Errors: kIoError, also if
// the file is shorter.
Status CopyBytes(int from, int to, uint64_t bytes, const std::string& name,
                 const std::function<void(std::string_view)>& take);

}  // namespace klip::engine
