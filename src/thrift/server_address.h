#pragma once

#include <cstdint>
#include <string>

namespace klip::thrift {

// The gateway's address, for clients that ask where regions are.
struct ServerAddress {
  std::string host;
  int32_t port = 0;
};

}  // namespace klip::thrift
