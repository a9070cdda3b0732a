// BatchReader: a record of RocksDB's log, change by change. RocksDB's own walk (WriteBatch::Iterate) asserts part of what the bytes are.
//
//   sequence(8) | count(4) | { tag(1) | [column family] | bytes | [bytes] }*
//
// Bytes stand behind their length; it and the column family are varints. The tags are those that klip writes.
#pragma once

#include <cstdint>
#include <string_view>

#include "klip/status.h"

namespace klip::engine {

struct LoggedChange {
  // kDelete: of a key, not a cell's marker; TruncateRegion writes them. In logs of older ones of a range of keys.
  enum class Kind : uint8_t { kPut, kDelete, kMark };
  Kind kind = Kind::kPut;
  uint32_t column_family = 0;
  std::string_view key;    // of a range the first; of a mark all of it
  std::string_view value;  // of a range the end
};

// What it returns are views into the record.
class BatchReader {
 public:
  explicit BatchReader(std::string_view record);

  // False at the end. Errors: kCorruption, naming the offset.
  Expected<bool> Next(LoggedChange* change);

 private:
  bool TakeVarint(uint32_t* value);
  bool TakeBytes(std::string_view* bytes);
  Status Bad(const char* what) const;

  const std::string_view record_;
  size_t offset_ = 0;
  uint32_t changes_left_ = 0;  // of those that have a sequence number
};

}  // namespace klip::engine
