// TCP connections that never block longer than their deadline.
#pragma once

#include <chrono>

#include "base/descriptor.h"
#include "hbase/net/address.h"
#include "klip/status.h"

namespace klip::client {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;

// How often what waits looks at its CancelToken.
constexpr std::chrono::milliseconds kCancelTurn{100};

// Milliseconds until then, rounded up, for poll(); 0: it is past.
int MillisUntil(Deadline deadline);

// Until the socket is ready for `events` of poll(); false: the deadline is past.
bool WaitFor(int socket, short events, Deadline deadline);

// A non-blocking socket without Nagle's delay. Tries each address that the host's name has.
// Errors: kIoError, kTimedOut, naming the address.
Expected<base::Descriptor> Connect(const Address& address, Deadline deadline);

}  // namespace klip::client
