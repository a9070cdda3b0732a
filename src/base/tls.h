// TLS on sockets that do not block, by OpenSSL: what the server and the client of clusters have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

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
  std::string
      crl;  // which of these it has revoked; one list for each CA in `ca`, none of which may be out of date. With a `ca` only
};

enum class TlsSide : uint8_t { kServer, kClient };
using TlsContextPtr = std::shared_ptr<ssl_ctx_st>;

// TLS 1.2 or newer. With a `ca` the other side must show a certificate that it signed; a client without one asks the system's.
// Errors: kInvalidArgument naming the file and what is wrong with it.
Expected<TlsContextPtr> NewTlsContext(TlsSide side, const TlsFiles& files);

// What a server needs for TLS, read again when its files change on disk. Thread-safe.
class ServerTls {
 public:
  using Log = std::function<void(const std::string& line)>;

  // Errors: those of NewTlsContext.
  static Expected<std::unique_ptr<ServerTls>> Load(TlsFiles files);

  // Reads files again that have changed. With an error what was read before stays in use, and is not tried again until the
  // files change once more. True: there was something to read.
  Expected<bool> Refresh();

  // The same; `log` is told what comes of it.
  void RefreshAndLog(const Log& log);

  // For new connections.
  TlsContextPtr context() const;

  // Lets a context that another library makes its connections from use what this one has: each handshake refreshes, and `log`
  // is told what comes of it. This must outlive the context.
  void Govern(ssl_ctx_st* context, Log log);

 private:
  explicit ServerTls(TlsFiles files) : files_(std::move(files)) {}
  std::vector<int64_t> Stamps() const;

  const TlsFiles files_;
  Log log_;  // set before there are connections
  mutable std::mutex mutex_;
  TlsContextPtr context_;        // guarded by mutex_
  std::vector<int64_t> stamps_;  // guarded by mutex_
};

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
