#include "arrow/utf8.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace klip::arrow {
namespace {

// Bytes of the well-formed character that begins at `at`; 0: none begins there. Table 3-7 of the Unicode standard.
size_t CharacterAt(std::string_view bytes, size_t at) {
  const auto byte = [&](size_t i) -> unsigned {
    return at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U;
  };
  const auto follows = [&](size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  if (first < 0x80) {
    return 1;
  }
  if (first >= 0xC2 && first <= 0xDF) {
    return follows(1) ? 2 : 0;
  }
  if (first >= 0xE0 && first <= 0xEF) {
    const unsigned low = first == 0xE0 ? 0xA0 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : 0xBF;
    return byte(1) >= low && byte(1) <= high && follows(2) ? 3 : 0;
  }
  if (first >= 0xF0 && first <= 0xF4) {
    const unsigned low = first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xF4 ? 0x8F : 0xBF;
    return byte(1) >= low && byte(1) <= high && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool IsUtf8(std::string_view bytes) {
  size_t at = 0;
  while (at < bytes.size()) {
    constexpr uint64_t kNotAscii = 0x8080808080808080;
    uint64_t word = 0;
    if (bytes.size() - at >= sizeof(word)) {
      std::memcpy(&word, bytes.data() + at, sizeof(word));
      if ((word & kNotAscii) == 0) {
        at += sizeof(word);
        continue;
      }
    }
    const size_t size = CharacterAt(bytes, at);
    if (size == 0) {
      return false;
    }
    at += size;
  }
  return true;
}

}  // namespace klip::arrow
