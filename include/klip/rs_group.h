// Groups of region servers: each serves the tables of its group and no others.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace klip {

struct RSGroupInfo {
  std::string name;                  // "default": all that is in no other
  std::vector<std::string> servers;  // "host:port", sorted, whether they live or not
  std::vector<std::string> tables;   // sorted
  std::map<std::string, std::string> configuration;

  bool operator==(const RSGroupInfo&) const = default;
};

}  // namespace klip
