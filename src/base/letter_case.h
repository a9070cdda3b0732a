// Upper and lower case of text in UTF-8, by Unicode's simple mappings in the C library, whatever the program's locale is.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace klip::base {

enum class LetterCase : uint8_t { kUpper, kLower };

// Turkish and Azeri have two letters i.
enum class Language : uint8_t { kOther, kTurkish };

// As Java's String.toUpperCase for single letters: ß becomes SS. Malformed bytes become U+FFFD.
std::string InCase(std::string_view text, LetterCase letter_case, Language language = Language::kOther);

}  // namespace klip::base
