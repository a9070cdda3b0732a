// This process: its host and its memory.
#pragma once

#include <cstdint>
#include <string>

namespace klip::base {

// The machine's name, as `uname -n`.
std::string HostName();

// Resident memory, in bytes.
int64_t ResidentBytes();

// Memory that the process may have: the machine's, or what its control group may have of that.
int64_t UsableBytes();

}  // namespace klip::base
