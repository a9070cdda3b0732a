#include "hbase/net/socket.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <memory>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

namespace klip::client {
namespace {

using base::Descriptor;

// The error of a started connection attempt; 0: it is connected.
int FinishConnect(int socket, Deadline deadline) {
  if (!WaitFor(socket, POLLOUT, deadline)) {
    return ETIMEDOUT;
  }
  int error = 0;
  socklen_t bytes = sizeof(error);
  return ::getsockopt(socket, SOL_SOCKET, SO_ERROR, &error, &bytes) == 0 ? error : errno;
}

}  // namespace

int MillisUntil(Deadline deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, std::numeric_limits<int>::max()));
}

bool WaitFor(int socket, short events, Deadline deadline) {
  pollfd ready = {.fd = socket, .events = events, .revents = 0};
  int count = 0;
  do {
    count = ::poll(&ready, 1, MillisUntil(deadline));
  } while (count < 0 && errno == EINTR);
  return count != 0;
}

Expected<Descriptor> Connect(const Address& address, Deadline deadline) {
  addrinfo hints = {};
  hints.ai_flags = AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failed = ::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
      failed != 0) {
    return Status(Code::kIoError, "cannot find " + address.ToString() + ": " + ::gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, &::freeaddrinfo);
  int error = 0;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Descriptor socket(::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol));
    if (socket.get() < 0) {
      error = errno;
      continue;
    }
    error = ::connect(socket.get(), at->ai_addr, at->ai_addrlen) == 0 ? 0 : errno;
    if (error == EINPROGRESS) {
      error = FinishConnect(socket.get(), deadline);
    }
    if (error == 0) {
      const int on = 1;
      ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
      ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
      return socket;
    }
  }
  const bool maybe_klip = error == ECONNREFUSED && address.port == kMasterPort;
  return Status(error == ETIMEDOUT ? Code::kTimedOut : Code::kIoError,
                "cannot connect to " + address.ToString() + ": " + base::ErrorText(error) +
                    (maybe_klip ? "; klip serve listens on port 16020" : ""));
}

}  // namespace klip::client
