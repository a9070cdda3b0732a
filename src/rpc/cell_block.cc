#include "rpc/cell_block.h"

#include <cstring>
#include <string>

#include "klip/bytes.h"

namespace klip::rpc {
namespace {

char* PutBytes(char* out, std::string_view bytes) {
  if (!bytes.empty()) {
    std::memcpy(out, bytes.data(), bytes.size());
  }
  return out + bytes.size();
}

constexpr size_t kLengthsBytes = 8;    // key length, value length
constexpr size_t kKeyFixedBytes = 12;  // row length, family length, timestamp, type

}  // namespace

void AppendCell(const Cell& cell, CellCodec codec, Buffer* out) {
  const size_t key_bytes = kKeyFixedBytes + cell.row.size() + cell.family.size() + cell.qualifier.size();
  const bool tags = codec == CellCodec::kKeyValueWithTags && !cell.tags.empty();
  const size_t bytes = kLengthsBytes + key_bytes + cell.value.size() + (tags ? 2 + cell.tags.size() : 0);
  char* at = out->Grow(4 + bytes);
  at = PutBigEndian(at, static_cast<uint32_t>(bytes));
  at = PutBigEndian(at, static_cast<uint32_t>(key_bytes));
  at = PutBigEndian(at, static_cast<uint32_t>(cell.value.size()));
  at = PutBigEndian(at, static_cast<uint16_t>(cell.row.size()));
  at = PutBytes(at, cell.row);
  at = PutBigEndian(at, static_cast<uint8_t>(cell.family.size()));
  at = PutBytes(at, cell.family);
  at = PutBytes(at, cell.qualifier);
  at = PutBigEndian(at, cell.timestamp_ms);
  at = PutBigEndian(at, static_cast<uint8_t>(cell.type));
  at = PutBytes(at, cell.value);
  if (tags) {
    at = PutBigEndian(at, static_cast<uint16_t>(cell.tags.size()));
    PutBytes(at, cell.tags);
  }
}

Status CellBlockReader::Bad(std::string_view what) const {
  return {Code::kInvalidArgument, "cell block of " + std::to_string(block_.size()) + " bytes, offset " +
                                      std::to_string(offset_) + ": " + std::string(what)};
}

Expected<bool> CellBlockReader::Next(Cell* cell) {
  const size_t left = block_.size() - offset_;
  if (left == 0) {
    return false;
  }
  if (left < 4) {
    return Bad("the length of a cell is cut off");
  }
  const char* at = block_.data() + offset_;
  const size_t bytes = ReadBigEndian<uint32_t>(at);
  if (bytes > left - 4) {
    return Bad("a cell of " + std::to_string(bytes) + " bytes goes beyond the end");
  }
  if (bytes < kLengthsBytes + kKeyFixedBytes) {
    return Bad("a cell of " + std::to_string(bytes) + " bytes is too short to be one");
  }
  const size_t key_bytes = ReadBigEndian<uint32_t>(at + 4);
  const size_t value_bytes = ReadBigEndian<uint32_t>(at + 8);
  if (key_bytes > bytes - kLengthsBytes || value_bytes > bytes - kLengthsBytes - key_bytes) {
    return Bad("key and value are longer than their cell");
  }
  const size_t tail_bytes = bytes - kLengthsBytes - key_bytes - value_bytes;
  if (key_bytes < kKeyFixedBytes) {
    return Bad("the key is too short to be one");
  }
  at += 4 + kLengthsBytes;
  const size_t row_bytes = ReadBigEndian<uint16_t>(at);
  if (row_bytes > key_bytes - kKeyFixedBytes) {
    return Bad("the row is longer than its key");
  }
  const size_t family_bytes = static_cast<unsigned char>(at[2 + row_bytes]);
  if (family_bytes > key_bytes - kKeyFixedBytes - row_bytes) {
    return Bad("the family is longer than its key");
  }
  const size_t qualifier_bytes = key_bytes - kKeyFixedBytes - row_bytes - family_bytes;
  cell->row = {at + 2, row_bytes};
  at += 3 + row_bytes;
  cell->family = {at, family_bytes};
  cell->qualifier = {at + family_bytes, qualifier_bytes};
  at += family_bytes + qualifier_bytes;
  cell->timestamp_ms = ReadBigEndian<int64_t>(at);
  const auto type = static_cast<uint8_t>(at[8]);
  if (!IsStoredType(type)) {
    return Bad("no cell can have type " + std::to_string(type));
  }
  cell->type = static_cast<CellType>(type);
  cell->value = {at + 9, value_bytes};
  cell->tags = {};
  if (tail_bytes > 0) {
    const char* tags = at + 9 + value_bytes;
    if (tail_bytes < 2 || ReadBigEndian<uint16_t>(tags) != tail_bytes - 2) {
      return Bad("the tags do not end where their cell does");
    }
    if (codec_ == CellCodec::kKeyValueWithTags) {
      cell->tags = {tags + 2, tail_bytes - 2};
    }
  }
  offset_ += 4 + bytes;
  return true;
}

}  // namespace klip::rpc
