// The one table that says what each Code is called elsewhere. Front ends read it; none keeps a table of its own.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "klip/status.h"

namespace klip::base {

struct ErrorInfo {
  Code code;
  std::string_view name;        // Status::ToString
  std::string_view java_class;  // what an HBase client is told
  bool retryable;               // the same call may succeed later
};

const ErrorInfo& InfoFor(Code code);

inline Status Invalid(std::string message) { return Status(Code::kInvalidArgument, std::move(message)); }

}  // namespace klip::base
