#include "base/utf8.h"

#include <cstdint>
#include <cstring>

namespace klip::base {

Utf8Character FirstUtf8(std::string_view bytes) {
  if (bytes.empty()) {
    return {};
  }
  const auto first = static_cast<unsigned char>(bytes[0]);
  if (first < 0x80) {
    return {.bytes = 1, .code = first};
  }
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || bytes.size() < size) {
    return {};
  }
  uint32_t code = first & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(bytes[i]);
    if ((next & 0xC0U) != 0x80) {
      return {};
    }
    code = (code << 6U) | (next & 0x3FU);
  }
  const uint32_t least = size == 4 ? 0x10000 : size == 3 ? 0x800 : 0x80;
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  return code >= least && code <= 0x10FFFF && !surrogate ? Utf8Character{.bytes = size, .code = code} : Utf8Character();
}

bool IsUtf8(std::string_view bytes) {
  while (!bytes.empty()) {
    constexpr uint64_t kNotAscii = 0x8080808080808080;
    uint64_t word = 0;
    if (bytes.size() >= sizeof(word)) {
      std::memcpy(&word, bytes.data(), sizeof(word));
      if ((word & kNotAscii) == 0) {
        bytes.remove_prefix(sizeof(word));
        continue;
      }
    }
    const size_t size = FirstUtf8(bytes).bytes;
    if (size == 0) {
      return false;
    }
    bytes.remove_prefix(size);
  }
  return true;
}

}  // namespace klip::base
