#include "base/letter_case.h"

#include <algorithm>
#include <clocale>  // locale_t is POSIX's
#include <cwctype>

#include "base/utf8.h"

namespace klip::base {
namespace {

// Appends the character as UTF-8.
void AppendUtf8(char32_t c, std::string* out) {
  if (c < 0x80) {
    *out += static_cast<char>(c);
    return;
  }
  int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr unsigned kStarts[] = {0, 0xC0, 0xE0, 0xF0};
  *out += static_cast<char>(kStarts[more] | (c >> (6 * more)));
  for (int i = more - 1; i >= 0; i--) {
    *out += static_cast<char>(0x80 | ((c >> (6 * i)) & 0x3F));
  }
}

// Removes a character from the front. A malformed byte: U+FFFD.
char32_t TakeUtf8(std::string_view* text) {
  const Utf8Character first = FirstUtf8(*text);
  text->remove_prefix(std::max<size_t>(first.bytes, 1));
  return first.bytes == 0 ? U'\uFFFD' : first.code;
}

// Unicode's letters, independent of the program's locale.
locale_t Letters() {
  static const locale_t kLetters = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return kLetters;
}

char32_t ToCase(char32_t c, bool upper, Language language) {
  if (language == Language::kTurkish && c == (upper ? U'i' : U'I')) {
    return upper ? U'\u0130' : U'\u0131';
  }
  if (Letters() == nullptr || c < 0x80) {
    bool letter = upper ? c >= 'a' && c <= 'z' : c >= 'A' && c <= 'Z';
    return letter ? c ^ 0x20 : c;
  }
  return upper ? towupper_l(c, Letters()) : towlower_l(c, Letters());
}

}  // namespace

std::string InCase(std::string_view text, LetterCase letter_case, Language language) {
  const bool upper = letter_case == LetterCase::kUpper;
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    char32_t c = TakeUtf8(&text);
    if (upper && c == U'\u00DF') {
      result += "SS";
    } else {
      AppendUtf8(ToCase(c, upper, language), &result);
    }
  }
  return result;
}

}  // namespace klip::base
