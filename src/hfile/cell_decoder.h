// Decodes the cells of a data block in each of HBase's encodings (DataBlockEncoding). All except NONE and ROW_INDEX_V1
// store only how a key differs from the previous one. A flat key is
//
//   row length (2) row  family length (1) family  qualifier  timestamp (8) type (1)
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "hfile/byte_reader.h"
#include "hfile/tag_dictionary.h"
#include "klip/cell.h"
#include "klip/status.h"

namespace klip::hfile {

// With HBase's numbers.
enum class Encoding : uint16_t { kNone = 0, kPrefix = 2, kDiff = 3, kFastDiff = 4, kRowIndex = 7 };

// The parts after a cell's value.
struct CellTail {
  bool has_tags = false;
  bool packs_tags = false;    // compressed with a TagDictionary, unless the encoding has none
  bool has_sequence = false;  // HBase's mvcc
};

class CellDecoder {
 public:
  explicit CellDecoder(CellTail tail) : tail_(tail) {}

  // For a block of type kData or kEncodedData. The content outlives the cells.
  Status Start(std::string_view content, bool encoded);

  // False: no more. The cell's views are valid until the next call. Errors: kInvalidArgument naming the offset in the
  // content.
  Expected<bool> Next(Cell* cell);

 private:
  bool StartRowIndex(std::string_view cells);
  bool TakePlain(std::string_view* key);
  bool TakePrefix();
  bool TakeDiff();
  bool TakeFastDiff();
  // Reads the row, family and qualifier of a key of `key_bytes` that shares its first `common` bytes with the previous
  // one.
  bool TakeColumn(size_t key_bytes, size_t common);
  bool TakeTail(Cell* cell);
  Status Bad(std::string_view what) const;

  const CellTail tail_;
  Encoding encoding_ = Encoding::kNone;
  ByteReader in_;
  std::string key_;  // of the previous cell; not for kNone and kRowIndex
  std::string new_key_;
  std::string family_;  // with its length; for kDiff
  std::string_view value_;
  int64_t timestamp_ = 0;
  TagDictionary dictionary_;
  std::string tags_;
};

}  // namespace klip::hfile
