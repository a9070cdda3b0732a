// TCP sockets as values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "klip/status.h"

namespace klip::server {

// An open file descriptor, closed on destruction.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor();

  int get() const noexcept { return fd_; }

 private:
  int fd_ = -1;
};

// A non-blocking listening socket. `port` 0: any free one; see PortOf. Errors: kIoError naming address and reason.
Expected<Descriptor> Listen(const std::string& host, uint16_t port);
uint16_t PortOf(const Descriptor& socket);
// "127.0.0.1:40612" or "[::1]:40612" of the other end; "" when there is none.
std::string PeerOf(const Descriptor& socket);
// Only programs of this machine reach it.
bool IsLoopback(const Descriptor& socket);

// The next connection, non-blocking and without Nagle's delay; get() is -1 when none waits.
Descriptor Accept(const Descriptor& listener);

// "No such file or directory".
std::string ErrorText(int error);

}  // namespace klip::server
