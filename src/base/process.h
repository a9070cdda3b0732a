// This process: its host and its memory.
#pragma once

#include <cstdint>
#include <string>

namespace klip::base {

// The machine's name, as `uname -n`.
std::string HostName();

// Resident memory, in bytes.
int64_t ResidentBytes();

// What the control group of the process, and those that it is in, may have; the largest number: no limit. The file systems are given
// for tests: where groups are, and which one is the process's.
int64_t GroupBytes(const std::string& root, const std::string& membership);

// Memory that the process may have: the machine's, or what its control group may have of that.
int64_t UsableBytes();

}  // namespace klip::base
