// Numbers as in RocksDB's log.
#pragma once

#include <bit>
#include <cstring>

namespace klip::engine {

// REQUIRES: at least sizeof(T) readable bytes at `data`.
template <typename T>
inline T ReadLittleEndian(const char* data) {
  static_assert(std::endian::native == std::endian::little, "the other order is not written");
  T value = 0;
  std::memcpy(&value, data, sizeof(value));
  return value;
}

}  // namespace klip::engine
