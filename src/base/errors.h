// The one table of the names of each Code in other interfaces. Front ends use it; none has its own table.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "klip/status.h"

namespace klip::base {

struct ErrorInfo {
  Code code;
  std::string_view name;        // Status::ToString
  std::string_view java_class;  // the exception for HBase's clients
  bool retryable;               // the same call may succeed later
};

const ErrorInfo& InfoFor(Code code);

inline Status Invalid(std::string message) { return Status(Code::kInvalidArgument, std::move(message)); }

}  // namespace klip::base
