#pragma once

#include <cstdint>
#include <string>

namespace klip::thrift {

// Where a gateway can be reached: what it tells clients that ask where regions are.
struct ServerAddress {
  std::string host;
  int32_t port = 0;
};

}  // namespace klip::thrift
