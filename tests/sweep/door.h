// The ways into a klip serve that klip's own client does not take: REST, Thrift, and a cluster that replicates.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "klip/connection.h"
#include "klip/status.h"
#include "sweep/operation.h"

namespace klip::sweep {

constexpr int64_t kClientMs = 4'000;  // how long a client tries an operation of a server that fails

struct Ports {
  uint16_t rpc = 0;
  uint16_t gateway = 0;  // 0: there is none
};

// Answers until it is destroyed.
class Gateway {
 public:
  virtual ~Gateway() = default;
  virtual uint16_t port() const = 0;
};

// On the server's connection, which outlives it. Null: this way needs none. Errors: those of the gateway.
Expected<std::unique_ptr<Gateway>> StartGateway(Way way, Connection* connection);

// Runs a line of an operation. Returns the answer; "error ..." if it was refused or nobody answered.
using RunLine = std::function<std::string(const std::string&)>;
// Null: the lines are op lines.
RunLine ClientOf(Way way, const Ports& ports);

}  // namespace klip::sweep
