// Cell blocks: cells as bytes beside a message, in HBase's KeyValueCodec (without tags) and KeyValueCodecWithTags:
//
//   { int32 length | int32 key length | int32 value length | key | value [| uint16 tags length | tags] }*
//   key: uint16 row length | row | uint8 family length | family | qualifier | int64 timestamp | uint8 type
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "klip/cell.h"
#include "klip/status.h"
#include "rpc/buffer.h"

namespace klip::rpc {

enum class CellCodec : uint8_t { kNone, kKeyValue, kKeyValueWithTags };

// The size of a cell in addition to the bytes of its parts.
inline constexpr size_t kBareCellBytes = 24;

// Bytes that AppendCell adds, without tags: limits on sizes use this.
inline size_t EncodedBytes(const Cell& cell) {
  return kBareCellBytes + cell.row.size() + cell.family.size() + cell.qualifier.size() + cell.value.size();
}

// REQUIRES: codec != kNone; row, family, qualifier, value and tags obey the limits of klip/cell.h and of frames.
void AppendCell(const Cell& cell, CellCodec codec, Buffer* out);

// Walks the cells of a block. Cells are views into it.
class CellBlockReader {
 public:
  CellBlockReader() = default;
  // base_offset: the offset of `block` in the block that error texts refer to.
  CellBlockReader(std::string_view block, CellCodec codec, size_t base_offset = 0)
      : block_(block), codec_(codec), base_offset_(base_offset) {}

  // False at the end, and at a damaged cell, which status() reports.
  bool Next(Cell* cell);

  // Skips the next `count` cells and returns their bytes; only checks their lengths. nullopt if there are fewer, or one
  // is damaged.
  std::optional<std::string_view> Pass(size_t count);

  // kInvalidArgument, with the offset. It is permanent.
  const Status& status() const { return status_; }

  CellCodec codec() const { return codec_; }

  size_t offset() const { return base_offset_ + offset_; }

  // An upper bound on the following cells, which limits the memory reserved for a number in a message.
  size_t MostCells() const { return (block_.size() - offset_) / kBareCellBytes; }

 private:
  // The length of the current cell, which lies within the block; 0: it is damaged.
  size_t CellBytes();
  // Always false.
  [[gnu::cold]] bool Damaged(std::string_view what);
  [[gnu::cold]] bool DamagedLength();

  std::string_view block_;
  CellCodec codec_ = CellCodec::kKeyValue;
  size_t base_offset_ = 0;
  size_t offset_ = 0;
  Status status_;
};

// True for the types a client may store.
inline bool IsStoredType(uint8_t type) { return type == 4 || type == 8 || type == 10 || type == 12 || type == 14; }

}  // namespace klip::rpc
