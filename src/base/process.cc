#include "base/process.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>

#include <sys/resource.h>
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

int64_t GroupBytes(const std::string& root, const std::string& membership) {
  std::string path;
  std::ifstream groups(membership);
  for (std::string line; std::getline(groups, line);) {
    if (line.starts_with("0::/")) {
      path = line.substr(3);
    }
  }
  int64_t least = std::numeric_limits<int64_t>::max();
  for (;; path.resize(path.rfind('/'))) {
    int64_t bytes = 0;
    std::ifstream limit(root + path + "/memory.max");  // a number, "max", or missing
    if (limit >> bytes) {
      least = std::min(least, bytes);
    }
    if (path.empty()) {
      return least;
    }
  }
}

int64_t UsableBytes() {
  const int64_t machine = ::sysconf(_SC_PHYS_PAGES) * ::sysconf(_SC_PAGESIZE);
  return std::min(machine, GroupBytes("/sys/fs/cgroup", "/proc/self/cgroup"));
}

size_t DescriptorLimit() {
  rlimit limit = {};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

size_t RaiseDescriptorLimit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
    limit.rlim_cur = limit.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &limit);
  }
  return DescriptorLimit();
}

}  // namespace klip::base
