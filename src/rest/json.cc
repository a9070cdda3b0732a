#include "rest/json.h"

#include <nlohmann/json.hpp>

#include "base/errors.h"

namespace klip::rest {
namespace {

// The parser is not recursive, but code that copies or prints a value is, and for a text of brackets or commas it would
// first allocate many times its size. As far as the text is JSON, this sees the same values as the parser. Returns which
// limit the text exceeds; "" if it may be parsed.
std::string Excess(std::string_view text) {
  int depth = 0;
  size_t values = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
      case '"':
        for (++i; i < text.size() && text[i] != '"'; ++i) {
          i += text[i] == '\\' ? 1 : 0;
        }
        break;
      case '[':
      case '{':
        ++values;  // the first in it
        if (++depth > kMaxJsonDepth) {
          return "is nested deeper than " + std::to_string(kMaxJsonDepth) + " levels";
        }
        break;
      case ']':
      case '}':
        --depth;
        break;
      case ',':
        ++values;
        break;
    }
  }
  return values > kMaxJsonValues ? "has more than " + std::to_string(kMaxJsonValues) + " values" : "";
}

}  // namespace

Expected<Json> ParseJson(std::string_view text, std::string_view what) {
  if (const std::string excess = Excess(text); !excess.empty()) {
    return base::Invalid(std::string(what) + " " + excess);
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
