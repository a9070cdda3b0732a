#pragma once

#include <string_view>

namespace klip::arrow {

// Whether the bytes are well-formed UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF. Readers of Arrow rely on it.
bool IsUtf8(std::string_view bytes);

}  // namespace klip::arrow
