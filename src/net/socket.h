// TCP sockets as values.
#pragma once

#include <cstdint>
#include <string>

#include "base/descriptor.h"
#include "klip/status.h"

namespace klip::net {

using base::Descriptor;
using base::ErrorText;

// A non-blocking listening socket. `port` 0: any free port; see PortOf. Errors: kIoError naming address and reason.
Expected<Descriptor> Listen(const std::string& host, uint16_t port);
uint16_t PortOf(const Descriptor& socket);
// "127.0.0.1:40612" or "[::1]:40612" of the other end; "" if it is not connected.
std::string PeerOf(const Descriptor& socket);
// The same for this end.
std::string AddressOf(const Descriptor& socket);
// Whether only programs of this machine reach it.
bool IsLoopback(const Descriptor& socket);

// The next connection: non-blocking, without Nagle's delay, with keep-alive probes that detect a dead client. get() is -1
// if none waits.
Descriptor Accept(const Descriptor& listener);

}  // namespace klip::net
