// This process: its host and its memory.
#pragma once

#include <cstdint>
#include <string>

namespace klip::base {

// The machine's name, as `uname -n`.
std::string HostName();

// Resident memory, in bytes.
int64_t ResidentBytes();

}  // namespace klip::base
