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

bool CellBlockReader::Damaged(std::string_view what) {
  if (status_.ok()) {
    status_ = {Code::kInvalidArgument, "cell block, offset " + std::to_string(offset()) + ": " + std::string(what)};
  }
  return false;
}

bool CellBlockReader::DamagedLength() {
  const size_t left = block_.size() - offset_;
  if (left < 4) {
    return Damaged("the length of a cell is cut off");
  }
  const std::string bytes = std::to_string(ReadBigEndian<uint32_t>(block_.data() + offset_));
  const std::string room = std::to_string(left - 4);
  return Damaged("a cell of " + bytes + " bytes, which has " + std::to_string(kLengthsBytes + kKeyFixedBytes) +
                 " at least, where " + room + " are left");
}

inline size_t CellBlockReader::CellBytes() {
  const size_t left = block_.size() - offset_;
  const size_t bytes = left < 4 ? 0 : ReadBigEndian<uint32_t>(block_.data() + offset_);
  if (bytes < kLengthsBytes + kKeyFixedBytes || bytes > left - 4) [[unlikely]] {
    DamagedLength();
    return 0;
  }
  return bytes;
}

std::optional<std::string_view> CellBlockReader::Pass(size_t count) {
  const size_t begin = offset_;
  for (; count > 0; --count) {
    if (offset_ == block_.size()) {
      return std::nullopt;
    }
    const size_t bytes = CellBytes();
    if (bytes == 0) {
      return std::nullopt;
    }
    offset_ += 4 + bytes;
  }
  return block_.substr(begin, offset_ - begin);
}

bool CellBlockReader::Next(Cell* cell) {
  if (offset_ == block_.size()) {
    return false;
  }
  const size_t bytes = CellBytes();
  if (bytes == 0) {
    return false;
  }
  const char* at = block_.data() + offset_;
  const size_t key_bytes = ReadBigEndian<uint32_t>(at + 4);
  const size_t value_bytes = ReadBigEndian<uint32_t>(at + 8);
  if (key_bytes > bytes - kLengthsBytes || value_bytes > bytes - kLengthsBytes - key_bytes) {
    return Damaged("key and value are longer than their cell");
  }
  const size_t tail_bytes = bytes - kLengthsBytes - key_bytes - value_bytes;
  if (key_bytes < kKeyFixedBytes) {
    return Damaged("the key is too short");
  }
  at += 4 + kLengthsBytes;
  const size_t row_bytes = ReadBigEndian<uint16_t>(at);
  if (row_bytes > key_bytes - kKeyFixedBytes) {
    return Damaged("the row is longer than its key");
  }
  const size_t family_bytes = static_cast<unsigned char>(at[2 + row_bytes]);
  if (family_bytes > key_bytes - kKeyFixedBytes - row_bytes) {
    return Damaged("the family is longer than its key");
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
    return Damaged("no cell can have type " + std::to_string(type));
  }
  cell->type = static_cast<CellType>(type);
  cell->value = {at + 9, value_bytes};
  cell->tags = {};
  if (tail_bytes > 0) {
    const char* tags = at + 9 + value_bytes;
    if (tail_bytes < 2 || ReadBigEndian<uint16_t>(tags) != tail_bytes - 2) {
      return Damaged("the tags do not end where their cell does");
    }
    if (codec_ == CellCodec::kKeyValueWithTags) {
      cell->tags = {tags + 2, tail_bytes - 2};
    }
  }
  offset_ += 4 + bytes;
  return true;
}

}  // namespace klip::rpc
