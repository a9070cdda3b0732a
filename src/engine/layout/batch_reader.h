// BatchReader: reads a record of RocksDB's log, change by change. RocksDB's own reader (WriteBatch::Iterate) asserts on
// some damaged bytes.
//
//   sequence(8) | count(4) | { tag(1) | [column family] | bytes | [bytes] }*
//
// A length precedes bytes; it and the column family are varints. The tags are those that klip writes. For example, a put
// of key "ab" and value "v" in family 3 is 05 03 02 'a' 'b' 01 'v'.
#pragma once

#include <cstdint>
#include <string_view>

#include "klip/status.h"

namespace klip::engine {

struct LoggedChange {
  // kDelete: removes a key; TruncateRegion writes them. In logs of an older klip it may be a range of keys.
  enum class Kind : uint8_t { kPut, kDelete, kMark };
  Kind kind = Kind::kPut;
  uint32_t column_family = 0;
  std::string_view key;    // of a range the first key; of a mark its bytes
  std::string_view value;  // of a range the end
};

// Returns views into the record.
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
