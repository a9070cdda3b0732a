// Translates java.util.regex's syntax to PCRE2's.
#pragma once

#include <string>
#include <string_view>

#include "klip/comparator.h"
#include "klip/status.h"

namespace klip::filter {

// The pattern for PCRE2 with the same meaning. Rejects syntax that Java lacks, so that every pattern means the same as in
// Java. `comments`: Java's COMMENTS flag. Errors: kInvalidArgument, naming the place.
Expected<std::string> TranslateJavaRegex(std::string_view pattern, bool comments);

}  // namespace klip::filter
