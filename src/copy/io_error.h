// The Status of a failed system call.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>

#include "klip/status.h"

namespace klip::copy {

// Call it before errno changes.
inline Status IoError(std::string_view what, const std::string& path) {
  return {Code::kIoError, std::string(what) + " '" + path + "': " + std::strerror(errno)};
}

}  // namespace klip::copy
