// Parses all JSON from clients.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "klip/filter.h"
#include "klip/status.h"

namespace klip::rest {

// Members are in a map: a client's object may have millions, and ordered_json would compare each with all before it.
using Json = nlohmann::json;

// The depth of nested lists and objects. Only filters are nested: each level of those is an object in a list, and the
// last may have a comparator.
inline constexpr int kMaxJsonDepth = 2 * kMaxFilterDepth + 2;

// The number of lists, objects and their elements. Each takes 20 to 140 bytes of memory, however short its text. A body
// of cells has more than eight bytes per value, so none has as many.
inline constexpr size_t kMaxJsonValues = 8 << 20;

// Errors: kInvalidArgument if it is not JSON, nested too deep, or has too many values; `what` starts the text.
Expected<Json> ParseJson(std::string_view text, std::string_view what);

// A text as it is; numbers, booleans and null as written. Errors: kInvalidArgument with the member's name for a list or
// an object.
Expected<std::string> TextOf(const Json& value, std::string_view name);

}  // namespace klip::rest
