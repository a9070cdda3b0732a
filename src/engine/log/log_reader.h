// LogReader: the records of one of RocksDB's log files, also of the one that is being written.
//
// RocksDB's own iterator (GetUpdatesSince) is unsuitable: it stops at gaps between sequence numbers, which every unlogged
// write makes, and reads each file from the beginning to get over them.
//
// The format is RocksDB's and LevelDB's (not recycled, not compressed): blocks of 32 KiB of
//   checksum(4) | length(2) | type(1) | bytes        type: 1 full, 2 first, 3 middle, 4 last fragment of a record
// with zeros at the end of a block where no header fits. The checksum is a masked CRC-32C of type and bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "rocksdb/env.h"

#include "klip/status.h"

namespace klip::engine {

// Of a fragment's type and bytes.
uint32_t LogChecksum(std::string_view bytes);

// Appends the fragments of a record to `log`, of which `*offset` bytes were written before.
void AppendLogRecord(std::string_view record, uint64_t* offset, std::string* log);

class LogReader {
 public:
  // Reads from the byte `begin` on, where a record begins. `name` is for error texts.
  LogReader(std::unique_ptr<rocksdb::RandomAccessFile> file, std::string name, uint64_t begin = 0);

  // False: no further complete record, yet. Errors: kCorruption, naming the offset; kIoError. In each case the position
  // stays, and the next call reads the file again.
  Expected<bool> Next(std::string* record);
  // Makes Next return the last record again.
  void Undo() { offset_ = record_offset_; }

  // The offset after the last record.
  uint64_t end() const { return offset_; }
  // Whether the file ends there. Otherwise, a part of a record follows. Errors: kIoError.
  Expected<bool> IsAtEnd();
  // Skips the rest of a block that begins with zeros, as RocksDB's recovery does. False: no zeros.
  Expected<bool> SkipZeroes();
  // Skips an unreadable record, to the next place where one may begin. False: nowhere; the position stays.
  Expected<bool> SkipDamage();

 private:
  Expected<bool> ReadRecord(std::string* record);
  // Reads a fragment at `*offset`, and moves it to the fragment's end. *type 0: there is none.
  Status ReadPiece(uint64_t* offset, uint8_t* type, std::string_view* bytes);
  // The file's bytes from `offset` to the end of its block, as far as they exist. Valid until the next call.
  Expected<std::string_view> Block(uint64_t offset, size_t wanted);

  std::unique_ptr<rocksdb::RandomAccessFile> file_;
  const std::string name_;
  uint64_t offset_;             // of the next record
  uint64_t record_offset_ = 0;  // of the last one
  std::string buffer_;
  uint64_t buffer_offset_ = 0;
  size_t buffer_bytes_ = 0;
};

}  // namespace klip::engine
