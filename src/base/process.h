// This process: its host, its memory and its open files.
#pragma once

#include <cstddef>
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

// How many descriptors the process may have (the soft limit).
size_t DescriptorLimit();

// Raises that limit to the hard one, and returns it. Shells and containers start programs with some thousand descriptors, fewer than a large
// store has files. Only for main() and for servers: a library does not know whether its program calls select(), which fails with larger
// descriptors, so it keeps fewer files open instead (Database::Open).
size_t RaiseDescriptorLimit();

}  // namespace klip::base
