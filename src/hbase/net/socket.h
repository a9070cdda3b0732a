// TCP connections that block at most until their deadline.
#pragma once

#include <chrono>

#include "base/descriptor.h"
#include "hbase/net/address.h"
#include "klip/status.h"

namespace klip::client {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// How often waiting functions check their CancelToken.
constexpr std::chrono::milliseconds kCancelTurn{100};

// Milliseconds until then, rounded up, for poll(); 0: it has passed.
int MillisUntil(Deadline deadline);

// Waits until the socket is ready for `events` of poll(); false: the deadline has passed.
bool WaitFor(int socket, short events, Deadline deadline);

// A non-blocking socket without Nagle's delay. Tries each address of the host's name. Errors: kIoError, kTimedOut, naming
// the address.
Expected<base::Descriptor> Connect(const Address& address, Deadline deadline);

}  // namespace klip::client
