#include <charconv>

#include "base/utf8.h"
#include "console/api.h"
#include "klip/bytes.h"

namespace klip::console {
namespace {

// The length of the first character; 0: it is malformed or a control character.
size_t CharacterBytes(std::string_view bytes) {
  const base::Utf8Character first = base::FirstUtf8(bytes);
  const char32_t code = first.code;
  const bool turns_text = (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                          (code >= 0x2066 && code <= 0x2069);  // they change how other characters are displayed
  return first.control() || turns_text ? 0 : first.bytes;
}

bool IsText(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const size_t size = CharacterBytes(bytes.substr(at));
    if (size == 0) {
      return false;
    }
    at += size;
  }
  return true;
}

}  // namespace

std::string Shown(std::string_view bytes) { return IsText(bytes) ? std::string(bytes) : ToStringBinary(bytes); }

std::string Text(const Parameters& parameters, std::string_view name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? std::string() : found->second;
}

Expected<int64_t> Number(const Parameters& parameters, std::string_view name, int64_t otherwise, int64_t least,
                         int64_t most) {
  const std::string text = Text(parameters, name);
  if (text.empty()) {
    return otherwise;
  }
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most) {
    return Status(Code::kInvalidArgument, std::string(name) + " must be a number from " + std::to_string(least) +
                                              " to " + std::to_string(most));
  }
  return number;
}

Json ToJson(const Explain& explain) { return Json::parse(explain.ToJson(), nullptr, /*allow_exceptions=*/false); }

}  // namespace klip::console
