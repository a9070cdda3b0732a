// JSON from clients. All of it is parsed here, whoever wants it.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "klip/filter.h"
#include "klip/status.h"

namespace klip::rest {

// Its members are in a map: a client's object may have millions, and ordered_json would compare each with all before it.
using Json = nlohmann::json;

// Lists and objects in each other. What is read is flat but for filters: each level of those is an object in a list, and the
// last may have a comparator.
inline constexpr int kMaxJsonDepth = 2 * kMaxFilterDepth + 2;

// Lists, objects and what is in them. Each takes 20 to 140 bytes, however short its text. A body of cells has more than eight bytes for
// each, so that none has as many.
inline constexpr size_t kMaxJsonValues = 8 << 20;

// Errors: kInvalidArgument when it is no JSON, nested too deep, or has too many values; `what` is how its text begins.
Expected<Json> ParseJson(std::string_view text, std::string_view what);

// A text as it is; numbers, booleans and null as they are written. Errors: kInvalidArgument with the member's name for a list or
// an object.
Expected<std::string> TextOf(const Json& value, std::string_view name);

}  // namespace klip::rest
