#include "base/process.h"

#include <algorithm>
#include <array>
#include <fstream>

#include <unistd.h>

namespace klip::base {

std::string HostName() {
  std::array<char, 256> name = {};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

int64_t ResidentBytes() {
  int64_t pages = 0;
  int64_t resident_pages = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident_pages;
  return resident_pages * ::sysconf(_SC_PAGESIZE);
}

int64_t UsableBytes() {
  const int64_t machine = ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE);
  int64_t group = 0;
  std::ifstream limit("/sys/fs/cgroup/memory.max");  // a number, "max", or not there
  return limit >> group ? std::min(group, machine) : machine;
}

}  // namespace klip::base
