// A directory of backups. What backups hold is kept by content, so that two backups which have a file in common have it once:
//
//   BACKUPS           "klip backups, format 1" and the id of the set
//   000003.backup     a backup: its times, its store, and a line for each file, with a checksum of it all
//   files/<sha256>    what a file of a store held, whole; named by its SHA-256
//   incoming          a file on its way, left by a crash
//
// A backup is there once its record is, which is written last. Nothing that is there is ever changed.
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
  uint64_t bytes = 0;    // of a log or MANIFEST: as many as it had
  std::string table_id;  // RocksDB's unique id of a table file, in hex; empty for others
};

struct BackupRecord {
  uint64_t number = 0;
  int64_t begun_ms = 0;  // what was acknowledged before is in it, but for writes without log that were only in memory
  int64_t time_ms = 0;   // nothing that was written later is in it
  std::string store;     // the directory that it is of
  bool keeps_logs = false;  // from here on logs go to the archive of the store, for this set
  std::vector<BackupFile> files;

  uint64_t bytes() const;
  const BackupFile* Find(std::string_view path) const;  // null: none
};

class BackupSet {
 public:
  // To read. Errors: kInvalidArgument: there are no backups in the directory; kCorruption; kNewerFormat.
  static Expected<BackupSet> Open(const std::string& directory);
  // To add and remove: makes the directory unless it is there, locks it until destruction, and removes what a crash has left. Errors:
  // those of Open; kStoreInUse; kInvalidArgument: it holds something else.
  static Expected<BackupSet> OpenToWrite(const std::string& directory);

  const std::string& id() const { return id_; }
  // Ascending. Those that cannot be read are left out, and told in `unreadable`.
  Expected<std::vector<BackupRecord>> Records(std::vector<Status>* unreadable) const;
  std::string PathOf(const BackupFile& file) const;
  // Above those of all records, also of those that cannot be read.
  Expected<uint64_t> NextNumber() const;

  // A copy of the first `bytes` of a file, and its checksum. `check` is asked about the copy before it is kept. `*is_new`: there was no
  // file like that. `name` is for texts.
  // Errors: kIoError, also when the file is shorter; that of `check`.
  Expected<std::string> Add(int file, uint64_t bytes, const std::string& name,
                            const std::function<Status(const std::string& copy)>& check, bool* is_new) const;
  bool Has(const std::string& sha256, uint64_t bytes) const;
  // Makes all that was added durable, and then the record.
  Status AddRecord(const BackupRecord& record) const;
  // Removes a backup, and what no other needs. Errors: kInvalidArgument: no such backup; kCorruption: another cannot be read.
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

// Copies the first `bytes` of one file to the end of another, -1: to none. `take` sees what is copied. Errors: kIoError, also when there are fewer.
Status CopyBytes(int from, int to, uint64_t bytes, const std::string& name,
                 const std::function<void(std::string_view)>& take);

}  // namespace klip::engine
