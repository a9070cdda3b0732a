// The log of slow calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "server/call.h"
#include "server/log.h"

namespace klip::server {

struct CallCost {
  int64_t us = 0;  // from its arrival to its answer
  size_t request_bytes = 0;
  size_t response_bytes = 0;
};

// Event slow_call: method, table and region (where it has one), user, client's address, time, rows, bytes.
void LogSlowCall(const Log& log, const Call& call, const std::string& peer, const CallCost& cost);

}  // namespace klip::server
