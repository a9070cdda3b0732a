// Parses all JSON that comes from outside: of clients of REST and the console, of programs of the C interface, of files that are
// imported. Numbers keep their digits.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "klip/filter.h"
#include "klip/status.h"

namespace klip::base {

// Members are in a map: a client's object may have millions, and ordered_json would compare each with all before it.
using Json = nlohmann::json;

// The depth of nested lists and objects. Only filters are nested: each level of those is an object in a list, and the
// last may have a comparator.
inline constexpr int kMaxJsonDepth = 2 * kMaxFilterDepth + 2;

// The number of lists, objects and their elements. Each takes 20 to 140 bytes of memory, however short its text. A body
// of cells has more than eight bytes per value, so none has as many.
inline constexpr size_t kMaxJsonValues = 8 << 20;

// A number that is not a 64-bit integer, such as 1.50, 1E5 or one of 30 digits, becomes a binary value with its literal
// text: read numbers with IsNumber and ScalarText only. Errors: kInvalidArgument, with `what` first and the byte, if it is
// not JSON, nested too deep, has too many values, or has two members of the same name in an object.
Expected<Json> ParseJson(std::string_view text, std::string_view what);

bool IsNumber(const Json& value);

// A text as it is; numbers, booleans and null as they were written. Errors: kInvalidArgument with the member's name for a
// list or an object.
Expected<std::string> ScalarText(const Json& value, std::string_view name);

}  // namespace klip::base
