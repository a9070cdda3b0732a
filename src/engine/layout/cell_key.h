// How a cell is stored in RocksDB. One RocksDB column family contains one (table, family), so the family is not in the
// key.
//
//   key    esc(row) esc(qualifier) ~timestamp(8, big-endian) ~type(1)
//   value  flags(1) [tags length(varint) tags] [write sequence(8)] bytes
//
// esc maps 00 to 00 FF and appends 00 01, so memcmp order of keys is HBase's order of cells: row, qualifier, newest
// first, deletes before puts. A row without a zero byte, as nearly every row is, is read in place.
//
// Example: a put (type 4) of row "a\x00", column "q", at timestamp 5:
//   'a' 00 FF 00 01   'q' 00 01   FF FF FF FF FF FF FF FA   FB
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "klip/cell.h"
#include "klip/status.h"
#include "model/tags.h"

namespace klip::engine {

inline constexpr size_t kTerminatorBytes = 2;  // of an escaped part
inline constexpr size_t kTimestampAndTypeBytes = 9;

// Flags of a stored value.
inline constexpr uint8_t kHasTags = 1;
inline constexpr uint8_t kHasSequence = 2;  // NEW_VERSION_BEHAVIOR families: order of writes within the row
// a put of an indexed column that an older marker masked when it was written
inline constexpr uint8_t kBeneath = 4;

void AppendEscaped(std::string_view raw, std::string* out);  // with the terminator
void AppendCellKey(std::string_view row, std::string_view qualifier, int64_t timestamp_ms, CellType type,
                   std::string* out);
void AppendCellValue(std::string_view value, std::string_view tags, uint64_t sequence, bool has_sequence,
                     std::string* out);

// The first possible key of `row`: esc(row) with the terminator. The cells of smaller rows have smaller keys.
std::string RowStartKey(std::string_view row);
// The first key above all cells of `row`.
std::string RowEndKey(std::string_view row);
// The lower bound, as a RocksDB key, of all rows >= `row` (row need not exist). Empty row: empty key.
std::string RowLowerBound(std::string_view row);

// The length of esc(row) with its terminator at the start of `key`; 0 without a terminator (a corrupt key).
// `no_zeros_before`: the caller knows that the first bytes of the key, this many, are not zero.
size_t EscapedRowLength(std::string_view key, size_t no_zeros_before = 0);

// A parsed key. Escaped parts keep their terminator and may be compared with memcmp.
struct CellKeyView {
  std::string_view escaped_row;
  std::string_view escaped_qualifier;
  int64_t timestamp_ms = 0;
  CellType type = CellType::kPut;
};
// False: not a key that AppendCellKey made.
bool ParseCellKey(std::string_view key, CellKeyView* view);

// Reads the timestamp at its place in a key.
inline int64_t ReadKeyTimestamp(const char* bytes) {
  uint64_t inverted = 0;
  std::memcpy(&inverted, bytes, sizeof(inverted));
  if constexpr (std::endian::native == std::endian::little) {
    inverted = __builtin_bswap64(inverted);
  }
  return static_cast<int64_t>(~inverted);
}

inline std::string_view WithoutTerminator(std::string_view escaped) {
  return escaped.substr(0, escaped.size() - kTerminatorBytes);
}

// The raw bytes of an escaped part: a view without the terminator if nothing is escaped, else a view of
// *storage.
std::string_view Unescape(std::string_view escaped, std::string* storage);

struct CellValueView {
  std::string_view value;
  std::string_view tags;
  uint64_t sequence = 0;
  bool beneath = false;
};
bool ParseCellValue(std::string_view stored, CellValueView* view);

using model::TtlFromTags;
using model::TtlTag;

}  // namespace klip::engine
