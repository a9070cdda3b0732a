// This process: its host and its memory.
#pragma once

#include <cstdint>
#include <string>

namespace klip::base {

// The machine's name, as `uname -n`.
std::string HostName();

// Resident memory, in bytes.
int64_t ResidentBytes();

// The memory limit of the process's control group and its parents; the largest number: no limit. The parameters are for
// tests: where groups are mounted, and the file that names the process's group.
int64_t GroupBytes(const std::string& root, const std::string& membership);

// Memory available to the process: the machine's, or its control group's limit.
int64_t UsableBytes();

}  // namespace klip::base
