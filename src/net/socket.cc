#include "net/socket.h"

#include <cerrno>
#include <memory>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace klip::net {

Expected<Descriptor> Listen(const std::string& host, uint16_t port) {
  const std::string where = host + ":" + std::to_string(port);
  addrinfo hints = {};
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (const int failed = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found); failed != 0) {
    return Status(Code::kIoError, "cannot listen on " + where + ": " + ::gai_strerror(failed));
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, &::freeaddrinfo);
  int error = 0;
  for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
    Descriptor socket(::socket(at->ai_family, at->ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC, at->ai_protocol));
    const int on = 1;
    if (socket.get() >= 0 && ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) == 0 &&
        ::bind(socket.get(), at->ai_addr, at->ai_addrlen) == 0 && ::listen(socket.get(), SOMAXCONN) == 0) {
      return socket;
    }
    error = errno;
  }
  return Status(Code::kIoError, "cannot listen on " + where + ": " + ErrorText(error));
}

uint16_t PortOf(const Descriptor& socket) {
  sockaddr_storage address = {};
  socklen_t bytes = sizeof(address);
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0) {
    return 0;
  }
  return ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6*>(&address)->sin6_port
                                             : reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

namespace {

std::string NameOf(const sockaddr_storage& address, socklen_t bytes) {
  char host[NI_MAXHOST];
  char port[NI_MAXSERV];
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address), bytes, host, sizeof(host), port, sizeof(port),
                    NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return {};
  }
  const std::string name = address.ss_family == AF_INET6 ? "[" + std::string(host) + "]" : host;
  return name + ":" + port;
}

}  // namespace

std::string PeerOf(const Descriptor& socket) {
  sockaddr_storage address = {};
  socklen_t bytes = sizeof(address);
  return ::getpeername(socket.get(), reinterpret_cast<sockaddr*>(&address), &bytes) == 0 ? NameOf(address, bytes) : "";
}

std::string AddressOf(const Descriptor& socket) {
  sockaddr_storage address = {};
  socklen_t bytes = sizeof(address);
  return ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &bytes) == 0 ? NameOf(address, bytes) : "";
}

bool IsLoopback(const Descriptor& socket) {
  sockaddr_storage address = {};
  socklen_t bytes = sizeof(address);
  if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &bytes) != 0) {
    return false;
  }
  if (address.ss_family == AF_INET6) {
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<sockaddr_in6*>(&address)->sin6_addr) != 0;
  }
  constexpr uint32_t kLoopbackNet = 127;
  return ntohl(reinterpret_cast<sockaddr_in*>(&address)->sin_addr.s_addr) >> 24U == kLoopbackNet;
}

Descriptor Accept(const Descriptor& listener) {
  Descriptor socket(::accept4(listener.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC));
  if (socket.get() >= 0) {
    const int on = 1;
    ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
    ::setsockopt(socket.get(), SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
  }
  return socket;
}

}  // namespace klip::net
