#include "hbase/net/transport.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace klip::client {
namespace {

class Plain final : public Transport {
 public:
  explicit Plain(int socket) : socket_(socket) {
    const timeval patience = {.tv_sec = 0, .tv_usec = std::chrono::microseconds(kAwaitTime).count()};
    const int flags = ::fcntl(socket_, F_GETFL);
    can_await_ = ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)) == 0 && flags >= 0 &&
                 ::fcntl(socket_, F_SETFL, flags & ~O_NONBLOCK) == 0;
  }

  ssize_t Send(std::string_view bytes) override {
    return ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  ssize_t SendBoth(std::string_view first, std::string_view second) override {
    std::array<iovec, 2> parts = {iovec{const_cast<char*>(first.data()), first.size()},
                                  iovec{const_cast<char*>(second.data()), second.size()}};
    msghdr message = {};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    return ::sendmsg(socket_, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
  }
  ssize_t Receive(char* out, size_t size) override { return ::recv(socket_, out, size, MSG_DONTWAIT); }
  ssize_t Await(char* out, size_t size) override { return ::recv(socket_, out, size, 0); }
  bool can_await() const override { return can_await_; }

 private:
  const int socket_;
  bool can_await_ = false;
};

class Tls final : public Transport {
 public:
  explicit Tls(std::unique_ptr<base::TlsSession> session) : session_(std::move(session)) {}

  ssize_t Send(std::string_view bytes) override {
    const ssize_t sent = session_->Send(bytes.data(), bytes.size());
    if (sent > 0 || (sent < 0 && errno == EAGAIN)) {
      return sent;
    }
    // A server that closes may have sent the reason: in TLS 1.3 it checks our certificate after we start to send.
    char ignored = 0;
    if (session_->Receive(&ignored, 1) >= 0 || errno != EPROTO) {
      errno = EPIPE;
    }
    return -1;
  }

  // A record has at most 16 KB; a large answer has many.
  ssize_t Receive(char* out, size_t size) override {
    size_t have = 0;
    while (have < size) {
      const ssize_t got = session_->Receive(out + have, size - have);
      if (got <= 0) {
        return have > 0 ? static_cast<ssize_t>(have) : got;  // the next call reports it again
      }
      have += static_cast<size_t>(got);
    }
    return static_cast<ssize_t>(have);
  }

  bool holds_input() const override { return session_->holds_input(); }
  std::string ErrorText(int error) const override {
    return error == EPROTO ? "TLS: " + session_->error() : Transport::ErrorText(error);
  }

  Status ShakeHands(int socket, Deadline deadline) {
    while (true) {
      const ssize_t done = session_->ShakeHands();
      if (done == 1) {
        return Status::Ok();
      }
      if (done == 0) {
        return {Code::kIoError, "TLS: the server closed the connection"};
      }
      if (errno != EAGAIN) {
        return {errno == EPROTO ? Code::kDoNotRetry : Code::kIoError, ErrorText(errno)};
      }
      if (!WaitFor(socket, session_->waits_to_write() ? POLLOUT : POLLIN, deadline)) {
        return {Code::kTimedOut, "TLS: no handshake; does the server use TLS?"};
      }
    }
  }

 private:
  const std::unique_ptr<base::TlsSession> session_;
};

}  // namespace

ssize_t Transport::SendBoth(std::string_view first, std::string_view /*second*/) { return Send(first); }

std::unique_ptr<Transport> PlainTransport(int socket) { return std::make_unique<Plain>(socket); }

Expected<std::unique_ptr<Transport>> TlsTransport(const base::TlsContextPtr& context, const std::string& host,
                                                  int socket, Deadline deadline) {
  std::unique_ptr<base::TlsSession> session = base::TlsSession::Make(context, base::TlsSide::kClient, socket, host);
  if (session == nullptr) {
    return Status(Code::kIoError, "TLS: cannot start OpenSSL");
  }
  auto transport = std::make_unique<Tls>(std::move(session));
  KLIP_RETURN_IF_ERROR(transport->ShakeHands(socket, deadline));
  return std::unique_ptr<Transport>(std::move(transport));
}

}  // namespace klip::client
