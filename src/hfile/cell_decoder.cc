#include "hfile/cell_decoder.h"

#include <algorithm>
#include <cstring>

#include "rpc/cell_block.h"

namespace klip::hfile {
namespace {

constexpr size_t kRowLengthBytes = 2;
constexpr size_t kTimestampBytes = 8;
constexpr size_t kTimestampAndTypeBytes = kTimestampBytes + 1;
constexpr size_t kMinKeyBytes = kRowLengthBytes + 1 + kTimestampAndTypeBytes;

// False: the bytes are not a key.
bool ParseKey(std::string_view key, Cell* cell) {
  if (key.size() < kMinKeyBytes) {
    return false;
  }
  ByteReader in(key.substr(0, key.size() - kTimestampAndTypeBytes));
  uint16_t row_bytes = 0;
  uint8_t family_bytes = 0;
  if (!in.TakeNumber(&row_bytes) || !in.Take(row_bytes, &cell->row) || !in.TakeNumber(&family_bytes) ||
      !in.Take(family_bytes, &cell->family)) {
    return false;
  }
  const char* end = key.data() + key.size();
  cell->qualifier = key.substr(in.offset(), key.size() - kTimestampAndTypeBytes - in.offset());
  cell->timestamp_ms = ReadBigEndian<int64_t>(end - kTimestampAndTypeBytes);
  const auto type = static_cast<uint8_t>(end[-1]);
  cell->type = static_cast<CellType>(type);
  return rpc::IsStoredType(type);
}

size_t RowBytes(std::string_view key) { return ReadBigEndian<uint16_t>(key.data()); }

// From a key that ParseKey accepted: the family's bytes with their length.
std::string_view FamilyOf(std::string_view key) {
  const size_t at = kRowLengthBytes + RowBytes(key);
  return key.substr(at, 1 + static_cast<unsigned char>(key[at]));
}

}  // namespace

Status CellDecoder::Start(std::string_view content, bool encoded) {
  in_ = ByteReader(content);
  encoding_ = Encoding::kNone;
  key_.clear();
  family_.clear();
  value_ = {};
  dictionary_.Clear();
  if (!encoded) {
    return Status::Ok();
  }
  uint16_t number = 0;
  if (!in_.TakeNumber(&number)) {
    return Bad("the block's encoding is missing");
  }
  encoding_ = static_cast<Encoding>(number);
  uint32_t plain_bytes = 0;  // the cells' size without encoding; unused
  switch (encoding_) {
    case Encoding::kRowIndex:
      return StartRowIndex(content.substr(in_.offset())) ? Status::Ok() : Bad("the index of rows is invalid");
    case Encoding::kPrefix:
    case Encoding::kFastDiff:
      return in_.TakeNumber(&plain_bytes) ? Status::Ok() : Bad("the block is cut off");
    case Encoding::kDiff: {
      uint8_t family_bytes = 0;
      std::string_view family;
      if (!in_.TakeNumber(&plain_bytes)) {
        return Bad("the block is cut off");
      }
      if (in_.empty()) {
        return Status::Ok();
      }
      if (!in_.TakeNumber(&family_bytes) || !in_.Take(family_bytes, &family)) {
        return Bad("the family is cut off");
      }
      family_.assign(1, static_cast<char>(family_bytes));
      family_.append(family);
      return Status::Ok();
    }
    case Encoding::kNone:
      break;
  }
  return Bad("unsupported data block encoding " + std::to_string(number));
}

// Cells, number of rows, an offset for each, total bytes of the cells.
bool CellDecoder::StartRowIndex(std::string_view cells) {
  if (cells.size() < 8) {
    return false;
  }
  const size_t cells_bytes = ReadBigEndian<uint32_t>(cells.data() + cells.size() - 4);
  if (cells_bytes > cells.size() - 8) {
    return false;
  }
  in_ = ByteReader(cells.substr(0, cells_bytes));
  return true;
}

Expected<bool> CellDecoder::Next(Cell* cell) {
  if (in_.empty()) {
    return false;
  }
  std::string_view key;
  bool taken = false;
  switch (encoding_) {
    case Encoding::kNone:
    case Encoding::kRowIndex:
      taken = TakePlain(&key);
      break;
    case Encoding::kPrefix:
      taken = TakePrefix();
      break;
    case Encoding::kDiff:
      taken = TakeDiff();
      break;
    case Encoding::kFastDiff:
      taken = TakeFastDiff();
      break;
  }
  if (!taken) {
    return Bad("a cell is cut off, or in another encoding");
  }
  if (!ParseKey(key.empty() ? std::string_view(key_) : key, cell)) {
    return Bad("the key of a cell is invalid");
  }
  cell->value = value_;
  return TakeTail(cell) ? Expected<bool>(true) : Bad("a cell's tags or sequence number are cut off");
}

bool CellDecoder::TakePlain(std::string_view* key) {
  uint32_t key_bytes = 0;
  uint32_t value_bytes = 0;
  return in_.TakeNumber(&key_bytes) && in_.TakeNumber(&value_bytes) && in_.Take(key_bytes, key) && key_bytes > 0 &&
         in_.Take(value_bytes, &value_);
}

bool CellDecoder::TakePrefix() {
  uint32_t rest_bytes = 0;
  uint32_t value_bytes = 0;
  uint32_t common = 0;
  std::string_view rest;
  if (!in_.TakeVarint(&rest_bytes) || !in_.TakeVarint(&value_bytes) || !in_.TakeVarint(&common) ||
      common > key_.size() || !in_.Take(rest_bytes, &rest)) {
    return false;
  }
  key_.resize(common);
  key_.append(rest);
  return in_.Take(value_bytes, &value_);
}

bool CellDecoder::TakeColumn(size_t key_bytes, size_t common) {
  const bool first = key_.empty();
  if (key_bytes < kMinKeyBytes || (first ? common != 0 : common > key_.size() - kTimestampAndTypeBytes)) {
    return false;
  }
  const size_t column_bytes = key_bytes - kTimestampAndTypeBytes;
  new_key_.assign(key_, 0, common);
  std::string_view bytes;
  if (first || common < kRowLengthBytes + RowBytes(key_)) {
    // The rest of the row; the family is always the same.
    if (common < kRowLengthBytes) {
      if (!in_.Take(kRowLengthBytes - common, &bytes)) {
        return false;
      }
      new_key_.append(bytes);
    }
    const size_t row_end = kRowLengthBytes + RowBytes(new_key_);
    if (row_end < new_key_.size() || !in_.Take(row_end - new_key_.size(), &bytes)) {
      return false;
    }
    new_key_.append(bytes);
    new_key_.append(first ? std::string_view(family_) : FamilyOf(key_));
  }
  if (new_key_.size() > column_bytes || !in_.Take(column_bytes - new_key_.size(), &bytes)) {
    return false;
  }
  new_key_.append(bytes);
  return true;
}

bool CellDecoder::TakeDiff() {
  enum : uint8_t { kSameKeyLength = 1, kSameValueLength = 2, kSameType = 4, kTimestampIsDiff = 8, kNegative = 128 };
  uint8_t flags = 0;
  auto key_bytes = static_cast<uint32_t>(key_.size());
  auto value_bytes = static_cast<uint32_t>(value_.size());
  uint32_t common = 0;
  const bool first = key_.empty();
  if (!in_.TakeNumber(&flags) || ((flags & kSameKeyLength) == 0 && !in_.TakeVarint(&key_bytes)) ||
      ((flags & kSameValueLength) == 0 && !in_.TakeVarint(&value_bytes)) || !in_.TakeVarint(&common) ||
      !TakeColumn(key_bytes, common)) {
    return false;
  }
  // As few bytes as possible, the lowest first.
  std::string_view bytes;
  if (!in_.Take(((flags >> 4) & 7U) + 1, &bytes)) {
    return false;
  }
  uint64_t timestamp = 0;
  for (auto byte = bytes.rbegin(); byte != bytes.rend(); ++byte) {
    timestamp = timestamp << 8 | static_cast<unsigned char>(*byte);
  }
  timestamp = (flags & kNegative) != 0 ? 0 - timestamp : timestamp;
  if ((flags & kTimestampIsDiff) != 0) {
    timestamp = static_cast<uint64_t>(timestamp_) - timestamp;
  }
  timestamp_ = static_cast<int64_t>(timestamp);
  char type = first ? '\0' : key_.back();
  if ((flags & kSameType) == 0 && !in_.TakeNumber(&type)) {
    return false;
  }
  AppendBigEndian(timestamp_, &new_key_);
  new_key_.push_back(type);
  key_.swap(new_key_);
  return in_.Take(value_bytes, &value_);
}

bool CellDecoder::TakeFastDiff() {
  enum : uint8_t { kSameKeyLength = 8, kSameValueLength = 16, kSameType = 32, kSameValue = 64 };
  uint8_t flags = 0;
  auto key_bytes = static_cast<uint32_t>(key_.size());
  auto value_bytes = static_cast<uint32_t>(value_.size());
  uint32_t common = 0;
  if (!in_.TakeNumber(&flags) || ((flags & kSameKeyLength) == 0 && !in_.TakeVarint(&key_bytes)) ||
      ((flags & kSameValueLength) == 0 && !in_.TakeVarint(&value_bytes)) || !in_.TakeVarint(&common)) {
    return false;
  }
  std::string_view bytes;
  if (key_.empty()) {  // the first one is stored completely
    return common == 0 && in_.Take(key_bytes, &bytes) && in_.Take(value_bytes, &value_) && (key_.assign(bytes), true);
  }
  if (!TakeColumn(key_bytes, common)) {
    return false;
  }
  const size_t common_timestamp = flags & 7U;
  new_key_.append(key_, key_.size() - kTimestampAndTypeBytes, common_timestamp);
  if (!in_.Take(kTimestampBytes - common_timestamp, &bytes)) {
    return false;
  }
  new_key_.append(bytes);
  char type = key_.back();
  if ((flags & kSameType) == 0 && !in_.TakeNumber(&type)) {
    return false;
  }
  new_key_.push_back(type);
  key_.swap(new_key_);
  return (flags & kSameValue) != 0 ? value_bytes == value_.size() : in_.Take(value_bytes, &value_);
}

bool CellDecoder::TakeTail(Cell* cell) {
  cell->tags = {};
  const bool plain = encoding_ == Encoding::kNone || encoding_ == Encoding::kRowIndex;
  if (tail_.has_tags) {
    uint16_t length = 0;
    uint32_t bytes = 0;
    if (!(plain ? in_.TakeNumber(&length) : in_.TakeVarint(&bytes))) {
      return false;
    }
    bytes = plain ? length : bytes;
    if (bytes > UINT16_MAX) {
      return false;
    }
    if (!plain && tail_.packs_tags) {
      if (!dictionary_.Take(bytes, &in_, &tags_)) {
        return false;
      }
      cell->tags = tags_;
    } else if (!in_.Take(bytes, &cell->tags)) {
      return false;
    }
  }
  int64_t sequence = 0;  // the cells of a loaded file all count as written by the load
  return !tail_.has_sequence || in_.TakeHadoopNumber(&sequence);
}

Status CellDecoder::Bad(std::string_view what) const {
  return {Code::kInvalidArgument,
          std::string(what) + ", before offset " + std::to_string(in_.offset()) + " of the block"};
}

}  // namespace klip::hfile
