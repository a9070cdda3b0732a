// Transport: the bytes of a connection, protected or not.
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

// Callers of Await check deadlines in between.
inline constexpr std::chrono::milliseconds kAwaitTime{100};

// One thread may send while another receives.
class Transport {
 public:
  virtual ~Transport() = default;

  // As send and recv on a non-blocking socket: bytes, 0 at the end, or -1 and errno. After EAGAIN, the next Send must
  // start with the same bytes, and not be shorter.
  virtual ssize_t Send(std::string_view bytes) = 0;
  // The same for bytes in two places, neither empty; it may accept only the first ones.
  virtual ssize_t SendBoth(std::string_view first, std::string_view second);
  virtual ssize_t Receive(char* out, size_t size) = 0;
  // If can_await: the same, but waits for input up to kAwaitTime, which saves a call of poll.
  virtual ssize_t Await(char* out, size_t size) { return Receive(out, size); }
  virtual bool can_await() const { return false; }

  // Whether Receive has bytes even if the socket has none.
  virtual bool holds_input() const { return false; }
  // The meaning of errno after Send or Receive.
  virtual std::string ErrorText(int error) const { return base::ErrorText(error); }
};

// For the plain socket, which outlives it, and becomes a blocking one.
std::unique_ptr<Transport> PlainTransport(int socket);

// Shakes hands as a client. `host` empty: accepts any name in the server's certificate. Errors: kDoNotRetry (a
// certificate is rejected, or the server uses another protocol), kIoError, kTimedOut.
Expected<std::unique_ptr<Transport>> TlsTransport(const base::TlsContextPtr& context, const std::string& host,
                                                  int socket, Deadline deadline);

}  // namespace klip::client
