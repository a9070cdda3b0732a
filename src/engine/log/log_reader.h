// LogReader: the records of one of RocksDB's log files, also of the one that is being written.
//
// RocksDB's own iterator (GetUpdatesSince) is not used: it stops at sequence numbers that no log has, which every write without log
// makes, and begins each file anew to get over them.
//
// The format is RocksDB's and LevelDB's (not recycled, not compressed): blocks of 32 KiB of
//   checksum(4) | length(2) | type(1) | bytes        type: 1 whole, 2 first, 3 middle, 4 last piece of a record
// with the rest of a block zero where no head fits. The checksum is a masked CRC-32C of type and bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rocksdb/env.h"

#include "klip/status.h"

namespace klip::engine {

// Of a piece's type and bytes.
uint32_t LogChecksum(std::string_view bytes);

// Appends the pieces of a record to `log`, of which `*offset` bytes were written before.
void AppendLogRecord(std::string_view record, uint64_t* offset, std::string* log);

class LogReader {
 public:
  // `name` is for texts.
  LogReader(std::unique_ptr<rocksdb::RandomAccessFile> file, std::string name);

  // False: no further record is whole, yet. Errors: kCorruption, naming the offset; kIoError. Neither moves the reader, and the next
  // call reads the file anew.
  Expected<bool> Next(std::string* record);
  // The last record shall come again.
  void Undo() { offset_ = record_offset_; }

  // Behind the last record.
  uint64_t end() const { return offset_; }
  // Over the rest of a block when zeroes begin it, which is what RocksDB's recovery does. False: there are none.
  Expected<bool> SkipZeroes();
  // Behind a record that cannot be read, to the next place where one may begin whole. False: nowhere; the reader stays.
  Expected<bool> SkipDamage();

 private:
  Expected<bool> ReadRecord(std::string* record);
  // A piece at `*offset`, which is moved behind it. *type 0: there is none.
  Status ReadPiece(uint64_t* offset, uint8_t* type, std::string_view* bytes);
  // The file's bytes from `offset` to the end of its block, as far as there are any. Valid until the next call.
  Expected<std::string_view> Block(uint64_t offset, size_t wanted);

  std::unique_ptr<rocksdb::RandomAccessFile> file_;
  const std::string name_;
  uint64_t offset_ = 0;         // of the next record
  uint64_t record_offset_ = 0;  // of the last one
  std::string buffer_;
  uint64_t buffer_offset_ = 0;
  size_t buffer_bytes_ = 0;
};

}  // namespace klip::engine
