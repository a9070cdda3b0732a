#include "rest/json.h"

#include <nlohmann/json.hpp>

#include "base/errors.h"

namespace klip::rest {
namespace {

// The parser needs no stack, but what copies or prints a value does, and of a text that is nothing but brackets it would make
// seventy times as many bytes first. So far as the text is JSON, this sees the same brackets as the parser.
bool IsTooDeep(std::string_view text) {
  int depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          i += text[i] == '\\' ? 1 : 0;
        }
        break;
      case '[':
      case '{':
        if (++depth > kMaxJsonDepth) {
          return true;
        }
        break;
      case ']':
      case '}':
        --depth;
        break;
    }
  }
  return false;
}

}  // namespace

Expected<Json> ParseJson(std::string_view text, std::string_view what) {
  if (IsTooDeep(text)) {
    return base::Invalid(std::string(what) + " is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels");
  }
  Json parsed = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (parsed.is_discarded()) {
    return base::Invalid(std::string(what) + " is not JSON");
  }
  return parsed;
}

Expected<std::string> TextOf(const Json& value, std::string_view name) {
  if (value.is_structured()) {
    return base::Invalid(std::string(name.substr(0, 80)) + " is a list or an object");
  }
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace klip::rest
