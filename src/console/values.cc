#include <charconv>

#include "console/api.h"
#include "klip/bytes.h"

namespace klip::console {
namespace {

// Bytes of the UTF-8 character at `at`; 0: it is none, or a control character.
size_t CharacterBytes(std::string_view bytes, size_t at) {
  const auto first = static_cast<unsigned char>(bytes[at]);
  if (first < 0x80) {
    return first >= 0x20 && first != 0x7F ? 1 : 0;
  }
  const size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || bytes.size() - at < size) {
    return 0;
  }
  uint32_t code = first & (0xFFU >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    const auto next = static_cast<unsigned char>(bytes[at + i]);
    if ((next & 0xC0U) != 0x80) {
      return 0;
    }
    code = (code << 6U) | (next & 0x3FU);
  }
  const uint32_t least = size == 4 ? 0x10000 : size == 3 ? 0x800 : 0xA0;  // below A0: control characters
  const bool surrogate = code >= 0xD800 && code < 0xE000;
  const bool turns_text = (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
                          (code >= 0x2066 && code <= 0x2069);  // shows other characters elsewhere than they are
  return code >= least && code <= 0x10FFFF && !surrogate && !turns_text ? size : 0;
}

bool IsText(std::string_view bytes) {
  for (size_t at = 0; at < bytes.size();) {
    const size_t size = CharacterBytes(bytes, at);
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
    return Status(Code::kInvalidArgument, std::string(name) + " has to be a number from " + std::to_string(least) +
                                              " to " + std::to_string(most));
  }
  return number;
}

Json ToJson(const Explain& explain) { return Json::parse(explain.ToJson(), nullptr, /*allow_exceptions=*/false); }

}  // namespace klip::console
