// For tests of servers: clients that send and receive raw bytes.
#pragma once

#include <cerrno>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "klip/bytes.h"
#include "net/socket.h"

namespace klip::net {

// A blocking socket.
class RawSocket {
 public:
  // `receive_bytes` not 0: approximately how much it accepts before it is read.
  explicit RawSocket(uint16_t port, int receive_bytes = 0) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    if (receive_bytes > 0) {
      ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof(receive_bytes));
    }
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    const timeval patience = {.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  }

  void Send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
      ASSERT_GT(sent, 0);
      bytes.remove_prefix(static_cast<size_t>(sent));
    }
  }

  // Returns fewer when the connection ends.
  std::string Receive(size_t bytes) {
    std::string out(bytes, '\0');
    size_t have = 0;
    while (have < bytes) {
      const ssize_t got = ::recv(socket_.get(), out.data() + have, bytes - have, 0);
      if (got <= 0) {
        break;
      }
      have += static_cast<size_t>(got);
    }
    out.resize(have);
    return out;
  }

  // The contents of a frame with a length; "" at the end.
  std::string ReceiveFrame() {
    const std::string length = Receive(4);
    return length.size() < 4 ? std::string() : Receive(ReadBigEndian<uint32_t>(length.data()));
  }

  int descriptor() const { return socket_.get(); }
  // Waits for the end; a timeout does not count as one.
  bool AtEnd() {
    char byte = 0;
    const ssize_t got = ::recv(socket_.get(), &byte, 1, 0);
    return got == 0 || (got < 0 && errno == ECONNRESET);
  }

 private:
  Descriptor socket_;
};

// A client that has its descriptor before it connects.
class LateClient {
 public:
  void Connect(uint16_t port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ASSERT_EQ(::connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  }
  // The answer to `bytes`; "" if there is none.
  std::string Ask(std::string_view bytes) {
    EXPECT_EQ(::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
    const timeval patience = {.tv_sec = 20, .tv_usec = 0};
    ::setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    char byte = 0;
    return ::recv(socket_.get(), &byte, 1, 0) == 1 ? std::string(1, byte) : std::string();
  }

 private:
  const Descriptor socket_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
};

// During its lifetime, the process gets no descriptors.
class NoDescriptors {
 public:
  NoDescriptors() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(Descriptor(::fcntl(0, F_DUPFD_CLOEXEC, 0)).get());
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  }
  ~NoDescriptors() { EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &before_), 0); }

 private:
  rlimit before_ = {};
};

}  // namespace klip::net
