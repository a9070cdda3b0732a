// The contents that a store may have after a crash, according to the log of its writers (crash_load.h).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "crash/crash_state.h"

namespace klip::crash {

// Per item the values that are allowed.
struct Allowed {
  std::map<std::string, std::vector<std::string>> values;
  size_t acknowledged = 0;
  std::string error;  // that the writer met
};

// `before` is what the store held when the writers began. A line without newline was not written whole, and does not count.
Allowed AfterLog(const Items& before, const std::string& output);

// Empty when the store holds what it may; else a line for each item that it should hold, or should not.
std::string Compare(const Items& before, const Items& found, const Allowed& allowed);

}  // namespace klip::crash
