#pragma once

#include <string>

#include "klip/filter.h"
#include "klip/status.h"

namespace klip::rest {

// A scanner's filter as HBase's REST clients write it: {"type":"PrefixFilter","value":"<base64>"}, and lists of those. Errors:
// kInvalidArgument naming what is wrong; kUnsupported for the types that are not there (docs/rest.md).
Expected<FilterPtr> FilterFromJson(const std::string& text);

}  // namespace klip::rest
