// UPPER and LOWER.
#include <clocale>  // locale_t is POSIX's
#include <cwctype>
#include <string>

#include "sql/types/codec.h"
#include "sql/types/function_table.h"

namespace klip::sql {
namespace {

enum class Language : uint8_t { kOther, kTurkish };  // Turkish and Azeri have two letters i

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

// Removes a character from the front. Malformed bytes: 0xFFFD.
char32_t TakeUtf8(std::string_view* text) {
  auto first = static_cast<unsigned char>(text->front());
  text->remove_prefix(1);
  size_t more = first < 0xC0 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3;
  if (first >= 0x80 && (more == 0 || text->size() < more)) {
    return 0xFFFD;
  }
  char32_t c = more == 0 ? first : first & (0x3FU >> more);
  for (size_t i = 0; i < more; i++) {
    c = (c << 6) | (static_cast<unsigned char>((*text)[i]) & 0x3F);
  }
  text->remove_prefix(more);
  return c;
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

std::string InCase(std::string_view text, bool upper, Language language) {
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

// For "tr", "tr_TR", "az-Latn".
Expected<Language> ParseLanguage(std::string_view locale) {
  std::string_view code = locale.substr(0, locale.find_first_of("_-"));
  return code == "tr" || code == "az" ? Language::kTurkish : Language::kOther;
}

template <bool kUpper>
Expected<std::unique_ptr<BoundFunction>> BindCase(ArgumentTypes arguments) {
  DataType type = arguments[0].type;
  if (type.type == Type::kNull) {
    type.type = Type::kVarchar;
  }
  CompiledArgument<Language> language;
  if (arguments.size() > 1) {
    KLIP_ASSIGN_OR_RETURN(language, CompiledArgument<Language>::Of(arguments, 1, ParseLanguage));
  }
  return MakeBoundFunction(
      type,
      [type = type.type, language](std::span<const Value> values, const FunctionContext&) -> Expected<Value> {
        Language of = Language::kOther;
        if (values[0].is_null()) {
          return Value();
        }
        if (values.size() > 1 && !values[1].is_null()) {
          KLIP_ASSIGN_OR_RETURN(std::shared_ptr<const Language> known, language.For(values[1]));
          of = *known;
        }
        return Value(type, InCase(values[0].text(), kUpper, of));
      },
      Nulls::kPassed);
}

}  // namespace

std::span<const FunctionEntry> CaseFunctions() {
  static const std::vector<Type> kText = {Type::kVarchar};
  static const std::vector<FunctionEntry> kTable = {
      {"UPPER", 1, {kText, kText}, nullptr, nullptr, BindCase<true>},
      {"LOWER", 1, {kText, kText}, nullptr, nullptr, BindCase<false>},
  };
  return kTable;
}

}  // namespace klip::sql
