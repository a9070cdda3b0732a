#pragma once

#include <cstddef>
#include <string_view>

namespace klip::base {

struct Utf8Character {
  size_t bytes = 0;  // 0: not a well-formed character
  char32_t code = 0;

  // Control characters, which are invisible but may affect the text around them: U+0000 to U+001F, U+007F to
  // U+009F.
  bool control() const { return code < 0x20 || (code >= 0x7F && code < 0xA0); }
};

// The first character. Well-formed: no overlong form, no surrogate, nothing above U+10FFFF.
Utf8Character FirstUtf8(std::string_view bytes);

// Whether the bytes are well-formed characters.
bool IsUtf8(std::string_view bytes);

}  // namespace klip::base
