// java.util.regex's syntax in PCRE2's.
#pragma once

#include <string>
#include <string_view>

#include "klip/comparator.h"
#include "klip/status.h"

namespace klip::filter {

// The pattern for PCRE2 with the same meaning. What Java's syntax lacks is refused, so that no pattern means something else
// than it does there. `comments`: Java's COMMENTS flag. Errors: kInvalidArgument, naming the place.
Expected<std::string> TranslateJavaRegex(std::string_view pattern, bool comments);

}  // namespace klip::filter
