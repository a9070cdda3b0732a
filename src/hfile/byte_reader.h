// ByteReader: removes numbers and runs of bytes from the front of a block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "klip/bytes.h"

namespace klip::hfile {

// Each function returns false if it does not find what it should read; the position is then undefined.
class ByteReader {
 public:
  ByteReader() = default;
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  bool empty() const { return at_ == bytes_.size(); }
  size_t offset() const { return at_; }

  bool Take(size_t count, std::string_view* out) {
    if (count > bytes_.size() - at_) {
      return false;
    }
    *out = bytes_.substr(at_, count);
    at_ += count;
    return true;
  }

  // Big-endian.
  template <typename T>
  bool TakeNumber(T* out) {
    std::string_view bytes;
    if (!Take(sizeof(T), &bytes)) {
      return false;
    }
    *out = ReadBigEndian<T>(bytes.data());
    return true;
  }

  // Seven bits a byte, the lowest first.
  bool TakeVarint(uint32_t* out) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 35; shift += 7) {
      uint8_t byte = 0;
      if (!TakeNumber(&byte)) {
        return false;
      }
      value |= uint64_t{byte & 0x7FU} << shift;
      if (byte < 0x80) {
        *out = static_cast<uint32_t>(value);
        return value <= UINT32_MAX;
      }
    }
    return false;
  }

  // Hadoop's WritableUtils.writeVLong: one byte from -112 on, else a byte with sign and length.
  bool TakeHadoopNumber(int64_t* out) {
    int8_t first = 0;
    if (!TakeNumber(&first)) {
      return false;
    }
    if (first >= -112) {
      *out = first;  // NOLINT(bugprone-signed-char-misuse): the sign is meant
      return true;
    }
    const bool negative = first < -120;
    std::string_view bytes;
    if (!Take(static_cast<size_t>((negative ? -120 : -112) - first), &bytes)) {
      return false;
    }
    uint64_t value = 0;
    for (const char byte : bytes) {
      value = value << 8 | static_cast<unsigned char>(byte);
    }
    *out = static_cast<int64_t>(negative ? ~value : value);
    return true;
  }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
};

}  // namespace klip::hfile
