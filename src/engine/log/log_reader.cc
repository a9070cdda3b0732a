#include "engine/log/log_reader.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "engine/layout/little_endian.h"
#include "engine/layout/rocksdb_status.h"

namespace klip::engine {
namespace {

constexpr uint64_t kBlockBytes = 32 << 10;
constexpr size_t kHeadBytes = 7;
constexpr size_t kMaxRecordBytes = size_t{4} << 30;  // RocksDB's limit on a write batch

enum PieceType : uint8_t { kNone = 0, kWhole = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

// kCrcTables[i][x]: the checksum of the byte x followed by i zeros.
using CrcTable = std::array<uint32_t, 256>;
constexpr std::array<CrcTable, 8> kCrcTables = [] {
  constexpr uint32_t kCastagnoli = 0x82F63B78;
  std::array<CrcTable, 8> tables = {};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) {
      crc = (crc >> 1) ^ ((crc & 1) != 0 ? kCastagnoli : 0);
    }
    tables[0][i] = crc;
  }
  for (size_t table = 1; table < tables.size(); ++table) {
    for (size_t i = 0; i < 256; ++i) {
      const uint32_t before = tables[table - 1][i];
      tables[table][i] = (before >> 8) ^ tables[0][before & 0xFF];
    }
  }
  return tables;
}();

}  // namespace

uint32_t LogChecksum(std::string_view bytes) {
  uint32_t crc = UINT32_MAX;
  for (; bytes.size() >= 8;
       bytes.remove_prefix(8)) {  // eight at a time: every open reads its logs once more than RocksDB does
    const auto low = ReadLittleEndian<uint32_t>(bytes.data()) ^ crc;
    const auto high = ReadLittleEndian<uint32_t>(bytes.data() + 4);
    crc = 0;
    for (size_t i = 0; i < 4; ++i) {
      crc ^= kCrcTables[7 - i][(low >> (8 * i)) & 0xFF] ^ kCrcTables[3 - i][(high >> (8 * i)) & 0xFF];
    }
  }
  for (const char c : bytes) {
    crc = kCrcTables[0][(crc ^ static_cast<uint8_t>(c)) & 0xFF] ^ (crc >> 8);
  }
  crc = ~crc;
  return ((crc >> 15) | (crc << 17)) + 0xA282EAD8;
}

void AppendLogRecord(std::string_view record, uint64_t* offset, std::string* log) {
  for (bool first = true; first || !record.empty(); first = false) {
    uint64_t left = kBlockBytes - *offset % kBlockBytes;
    if (left < kHeadBytes) {
      log->append(left, '\0');
      *offset += left;
      left = kBlockBytes;
    }
    const std::string_view bytes = record.substr(0, left - kHeadBytes);
    record.remove_prefix(bytes.size());
    const PieceType type = record.empty() ? (first ? kWhole : kLast) : (first ? kFirst : kMiddle);
    std::string checked(1, static_cast<char>(type));
    checked += bytes;
    const uint32_t crc = LogChecksum(checked);
    const auto length = static_cast<uint16_t>(bytes.size());
    log->append(reinterpret_cast<const char*>(&crc), sizeof(crc));  // little-endian, as little_endian.h asserts
    log->append(reinterpret_cast<const char*>(&length), sizeof(length));
    log->append(checked);
    *offset += kHeadBytes + length;
  }
}

LogReader::LogReader(std::unique_ptr<rocksdb::RandomAccessFile> file, std::string name, uint64_t begin)
    : file_(std::move(file)), name_(std::move(name)), offset_(begin), buffer_(kBlockBytes, '\0') {}

Expected<std::string_view> LogReader::Block(uint64_t offset, size_t wanted) {
  if (offset < buffer_offset_ || offset + wanted > buffer_offset_ + buffer_bytes_) {
    rocksdb::Slice read;
    const uint64_t to_end = kBlockBytes - offset % kBlockBytes;
    KLIP_RETURN_IF_ERROR(
        FromRocks(file_->Read(offset, static_cast<size_t>(to_end), &read, buffer_.data()), "reading " + name_));
    if (read.data() != buffer_.data()) {
      std::memmove(buffer_.data(), read.data(), read.size());
    }
    buffer_offset_ = offset;
    buffer_bytes_ = read.size();
  }
  return std::string_view(buffer_).substr(offset - buffer_offset_, buffer_bytes_ - (offset - buffer_offset_));
}

Status LogReader::ReadPiece(uint64_t* offset, uint8_t* type, std::string_view* bytes) {
  *type = kNone;
  if (const uint64_t left = kBlockBytes - *offset % kBlockBytes; left < kHeadBytes) {
    *offset += left;
  }
  KLIP_ASSIGN_OR_RETURN(std::string_view block, Block(*offset, kHeadBytes));
  if (block.size() < kHeadBytes) {
    return Status::Ok();
  }
  const auto crc = ReadLittleEndian<uint32_t>(block.data());
  const auto length = ReadLittleEndian<uint16_t>(block.data() + sizeof(crc));
  const auto found = static_cast<uint8_t>(block[kHeadBytes - 1]);
  const auto bad = [&](const std::string& what) {
    return Status(Code::kCorruption, name_ + ", offset " + std::to_string(*offset) + ": " + what);
  };
  if (found == kNone || found > kLast) {
    return bad("a piece of type " + std::to_string(found));
  }
  if (kHeadBytes + length > kBlockBytes - *offset % kBlockBytes) {
    return bad("a piece of " + std::to_string(length) + " bytes goes beyond its block");
  }
  KLIP_ASSIGN_OR_RETURN(block, Block(*offset, kHeadBytes + length));
  if (block.size() < kHeadBytes + length) {
    return Status::Ok();
  }
  if (LogChecksum(block.substr(kHeadBytes - 1, length + size_t{1})) != crc) {
    return bad("checksum mismatch");
  }
  *type = found;
  *bytes = block.substr(kHeadBytes, length);
  *offset += kHeadBytes + length;
  return Status::Ok();
}

Expected<bool> LogReader::Next(std::string* record) {
  Expected<bool> read = ReadRecord(record);
  if (!read.ok() || !*read) {
    buffer_bytes_ = 0;  // there may be more next time
  }
  return read;
}

Expected<bool> LogReader::IsAtEnd() {
  KLIP_ASSIGN_OR_RETURN(const std::string_view block, Block(offset_, 1));
  return block.empty();
}

Expected<bool> LogReader::SkipZeroes() {
  const uint64_t left = kBlockBytes - offset_ % kBlockBytes;
  const uint64_t offset = left < kHeadBytes ? offset_ + left : offset_;
  KLIP_ASSIGN_OR_RETURN(const std::string_view block, Block(offset, kHeadBytes));
  const std::string_view length_and_type = block.substr(0, kHeadBytes).substr(std::min(block.size(), sizeof(uint32_t)));
  if (length_and_type != std::string_view("\0\0\0", 3)) {
    return false;
  }
  offset_ = offset + kBlockBytes - offset % kBlockBytes;
  return true;
}

namespace {

// Whether the bytes at `offset` may be the head of an intact fragment.
bool MayBePiece(std::string_view bytes, uint64_t offset) {
  const auto type = static_cast<uint8_t>(bytes[kHeadBytes - 1]);
  const auto length = ReadLittleEndian<uint16_t>(bytes.data() + sizeof(uint32_t));
  return type != kNone && type <= kLast && kHeadBytes + length <= kBlockBytes - offset % kBlockBytes;
}

}  // namespace

Expected<bool> LogReader::SkipDamage() {
  uint64_t offset = offset_;
  uint8_t first = kNone;
  std::string_view piece;
  if (!ReadPiece(&offset, &first, &piece).ok() || first == kNone) {
    offset = offset_ + 1;
  }
  for (;; ++offset) {
    if (const uint64_t left = kBlockBytes - offset % kBlockBytes; left < kHeadBytes) {
      offset += left;
    }
    KLIP_ASSIGN_OR_RETURN(const std::string_view block, Block(offset, kHeadBytes));
    if (block.size() < kHeadBytes) {
      return false;
    }
    uint8_t type = kNone;
    std::string_view bytes;
    uint64_t end = offset;
    if (MayBePiece(block, offset)) {
      if (const Status read = ReadPiece(&end, &type, &bytes); !read.ok() && read.code() != Code::kCorruption) {
        return read;
      }
    }
    if (type == kWhole || type == kFirst) {
      offset_ = offset;
      return true;
    }
    if (type != kNone) {
      offset = end - 1;  // of a record whose beginning is lost
    }
  }
}

Expected<bool> LogReader::ReadRecord(std::string* record) {
  record->clear();
  uint64_t offset = offset_;
  for (bool first = true;; first = false) {
    uint8_t type = kNone;
    std::string_view bytes;
    KLIP_RETURN_IF_ERROR(ReadPiece(&offset, &type, &bytes));
    if (type == kNone) {
      return false;
    }
    const bool begins = type == kWhole || type == kFirst;
    if (begins != first || record->size() + bytes.size() > kMaxRecordBytes) {
      return Status(Code::kCorruption, name_ + ", offset " + std::to_string(offset_) +
                                           ": the pieces of a record do not follow each other");
    }
    record->append(bytes);
    if (type == kWhole || type == kLast) {
      record_offset_ = offset_;
      offset_ = offset;
      return true;
    }
  }
}

}  // namespace klip::engine
