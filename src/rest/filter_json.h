#pragma once

#include <string>

#include "klip/filter.h"
#include "klip/status.h"

namespace klip::rest {

// A scanner's filter in the format of HBase's REST clients: {"type":"PrefixFilter","value":"<base64>"}, and lists of
// those. Errors: kInvalidArgument naming what is wrong; kUnsupported for types that it lacks (docs/rest.md).
Expected<FilterPtr> FilterFromJson(const std::string& text);

}  // namespace klip::rest
