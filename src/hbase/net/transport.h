// Transport: a connection's bytes, whatever protects them on their way.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/tls.h"
#include "hbase/net/socket.h"

namespace klip::client {

// Whoever awaits looks at deadlines in between.
inline constexpr std::chrono::milliseconds kAwaitTime{100};

// One thread may send while another receives.
class Transport {
 public:
  virtual ~Transport() = default;

  // As send and recv on a non-blocking socket: bytes, 0 at the end, or -1 and errno.
  // After EAGAIN the next Send must begin with the same bytes, and not be shorter.
  virtual ssize_t Send(std::string_view bytes) = 0;
  // The same of bytes that lie in two places, neither empty; it may take but the first ones.
  virtual ssize_t SendBoth(std::string_view first, std::string_view second);
  virtual ssize_t Receive(char* out, size_t size) = 0;
  // Where can_await: the same, but waits for input up to kAwaitTime, a system call less than to poll before.
  virtual ssize_t Await(char* out, size_t size) { return Receive(out, size); }
  virtual bool can_await() const { return false; }

  // Receive has something to give though the socket may have nothing.
  virtual bool holds_input() const { return false; }
  // What errno means after Send or Receive.
  virtual std::string ErrorText(int error) const { return base::ErrorText(error); }
};

// Of the socket as it is, which outlives it, and which it makes a blocking one.
std::unique_ptr<Transport> PlainTransport(int socket);

// Shakes hands, as a client. `host` empty: any name in the server's certificate will do.
// Errors: kDoNotRetry (a certificate is not accepted, or the server speaks something else), kIoError, kTimedOut.
Expected<std::unique_ptr<Transport>> TlsTransport(const base::TlsContextPtr& context, const std::string& host,
                                                  int socket, Deadline deadline);

}  // namespace klip::client
