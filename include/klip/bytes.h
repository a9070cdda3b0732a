// Bytes in row keys: fixed big-endian numbers and HBase's printable form. Rows, qualifiers and values are std::string /
// std::string_view that hold any bytes; they compare as unsigned bytes, which is HBase's order.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "klip/status.h"

namespace klip {

// The n = sizeof(T) bytes of `value`, most significant first. For unsigned T byte order equals number order.
template <typename T>
inline void AppendBigEndian(T value, std::string* out) {
  for (int shift = static_cast<int>(sizeof(T)) * 8 - 8; shift >= 0; shift -= 8) {
    out->push_back(static_cast<char>(static_cast<uint64_t>(value) >> shift));
  }
}

template <typename T>
inline std::string BigEndian(T value) {
  std::string out;
  AppendBigEndian(value, &out);
  return out;
}

// REQUIRES: at least sizeof(T) readable bytes at `data`.
template <typename T>
inline T ReadBigEndian(const char* data) {
  // Written so that it compiles to one instruction, which a loop does not: reading a cell consists of this.
  T value;
  std::memcpy(&value, data, sizeof(T));
  if constexpr (sizeof(T) == 8) {
    return static_cast<T>(__builtin_bswap64(static_cast<uint64_t>(value)));
  } else if constexpr (sizeof(T) == 4) {
    return static_cast<T>(__builtin_bswap32(static_cast<uint32_t>(value)));
  } else if constexpr (sizeof(T) == 2) {
    return static_cast<T>(__builtin_bswap16(static_cast<uint16_t>(value)));
  } else {
    static_assert(sizeof(T) == 1);
    return value;
  }
}

// HBase's Bytes.toStringBinary: printable ASCII unchanged, every other byte and the backslash as \xNN (upper case).
std::string ToStringBinary(std::string_view bytes);

// The inverse of ToStringBinary. Accepts \xNN in either case; any other backslash stands for itself, as in HBase.
std::string FromStringBinary(std::string_view text);

// The smallest byte string above every string that starts with `prefix`; empty if there is none (prefix empty or all
// FF), which as a stop row means "to the end". This is HBase's rule for prefix scans.
std::string PrefixSuccessor(std::string_view prefix);

}  // namespace klip
