// Address: where a server listens.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "klip/status.h"

namespace klip::base {

struct Address {
  std::string host;
  uint16_t port = 0;

  auto operator<=>(const Address&) const = default;
  // In the format of ParseAddress.
  std::string ToString() const;
};

// "host:port"; an IPv6 host in brackets. `default_port` 0: a port must be given. Errors: kInvalidArgument.
Expected<Address> ParseAddress(std::string_view text, uint16_t default_port);

}  // namespace klip::base
