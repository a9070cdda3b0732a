// TLS on sockets that do not block, by OpenSSL: what the server and the client of clusters have in common.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

#include <sys/types.h>

#include "klip/status.h"

struct ssl_ctx_st;
struct ssl_st;

namespace klip::base {

// In PEM form; empty: none.
struct TlsFiles {
  std::string certificate;  // with the chain that leads to it
  std::string key;
  std::string ca;  // who signs the other side's certificate
};

enum class TlsSide : uint8_t { kServer, kClient };
using TlsContextPtr = std::shared_ptr<ssl_ctx_st>;

// TLS 1.2 or newer. With a `ca` the other side must show a certificate that it signed; a client without one asks the system's.
// Errors: kInvalidArgument naming the file and what is wrong with it.
Expected<TlsContextPtr> NewTlsContext(TlsSide side, const TlsFiles& files);

// One connection. Thread-safe.
class TlsSession {
 public:
  // Null when there is no memory for one. `host` not empty: the other side's certificate must be for it, a name or an address.
  static std::unique_ptr<TlsSession> Make(const TlsContextPtr& context, TlsSide side, int socket,
                                          const std::string& host = {});
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // As recv and send: bytes, 0 at the end, or -1 and errno. They shake hands first.
  ssize_t Receive(char* bytes, size_t size);
  // After EAGAIN the next call must begin with the same bytes, and not be shorter.
  ssize_t Send(const char* bytes, size_t size);
  // 1: both sides have shaken hands. Else as above.
  ssize_t ShakeHands();

  // Has something to send, and waits for the socket to take it.
  bool waits_to_write() const;
  // Has received more than it gave.
  bool holds_input() const;
  // Why the last call failed with EPROTO: what the other side said, or is, is not acceptable to one of the two.
  // E.g. "certificate verify failed: certificate has expired".
  std::string error() const;

 private:
  explicit TlsSession(ssl_st* ssl) : ssl_(ssl) {}
  ssize_t Outcome(int result);  // REQUIRES: mutex_ is held

  mutable std::mutex mutex_;
  ssl_st* const ssl_;
  bool waits_to_write_ = false;  // guarded by mutex_, as is error_
  std::string error_;
};

}  // namespace klip::base
