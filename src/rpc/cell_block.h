// Cell blocks: cells as bytes beside a message, HBase's KeyValueCodec (which leaves tags out) and KeyValueCodecWithTags:
//
//   { int32 length | int32 key length | int32 value length | key | value [| uint16 tags length | tags] }*
//   key: uint16 row length | row | uint8 family length | family | qualifier | int64 timestamp | uint8 type
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "klip/cell.h"
#include "klip/status.h"
#include "rpc/buffer.h"

namespace klip::rpc {

enum class CellCodec : uint8_t { kNone, kKeyValue, kKeyValueWithTags };

// Bytes that AppendCell adds, without tags: what limits on sizes count.
inline size_t EncodedBytes(const Cell& cell) {
  return 24 + cell.row.size() + cell.family.size() + cell.qualifier.size() + cell.value.size();
}

// REQUIRES: codec != kNone; row, family, qualifier, value and tags are as short as klip/cell.h and the frame limit say.
void AppendCell(const Cell& cell, CellCodec codec, Buffer* out);

// Walks the cells of a block. Cells are views into it. Errors name the offset.
class CellBlockReader {
 public:
  CellBlockReader() = default;
  CellBlockReader(std::string_view block, CellCodec codec) : block_(block), codec_(codec) {}

  // False at the end. Errors: kInvalidArgument.
  Expected<bool> Next(Cell* cell);

  size_t offset() const { return offset_; }
  // The whole block.
  std::string_view bytes() const { return block_; }

 private:
  Status Bad(std::string_view what) const;

  std::string_view block_;
  CellCodec codec_ = CellCodec::kKeyValue;
  size_t offset_ = 0;
};

// True for the types a client may store.
inline bool IsStoredType(uint8_t type) { return type == 4 || type == 8 || type == 10 || type == 12 || type == 14; }

}  // namespace klip::rpc
