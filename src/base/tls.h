// TLS on non-blocking sockets, by OpenSSL: shared by the server and the client of clusters.
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
  std::string ca;   // that signs the other side's certificate
  std::string crl;  // certificates that these have revoked: one current list for each CA in `ca`. Only with a `ca`
};

enum class TlsSide : uint8_t { kServer, kClient };
using TlsContextPtr = std::shared_ptr<ssl_ctx_st>;

// TLS 1.2 or newer. With a `ca`, the other side must present a certificate signed by it; a client without one uses the
// system's. Errors: kInvalidArgument naming the file and what is wrong with it.
Expected<TlsContextPtr> NewTlsContext(TlsSide side, const TlsFiles& files);

// A server's TLS files, read again when they change on disk. Thread-safe.
class ServerTls {
 public:
  using Log = std::function<void(const std::string& line)>;

  // Errors: those of NewTlsContext.
  static Expected<std::unique_ptr<ServerTls>> Load(TlsFiles files);

  // Reads changed files again. After an error, the previous contents stay in use, and it does not retry until the files
  // change once more. True: it has read something.
  Expected<bool> Refresh();

  // The same; reports the result to `log`.
  void RefreshAndLog(const Log& log);

  // For new connections.
  TlsContextPtr context() const;

  // Makes another library's context use this one's files: each handshake refreshes them, and reports the result to `log`.
  // This must outlive the context.
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
  // Null if there is no memory. `host` not empty: the other side's certificate must be for this name or address.
  static std::unique_ptr<TlsSession> Make(const TlsContextPtr& context, TlsSide side, int socket,
                                          const std::string& host = {});
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // As recv and send: bytes, 0 at the end, or -1 and errno. They shake hands first.
  ssize_t Receive(char* bytes, size_t size);
  // After EAGAIN, the next call must start with the same bytes, and not be shorter.
  ssize_t Send(const char* bytes, size_t size);
  // 1: the handshake is complete. Else as above.
  ssize_t ShakeHands();

  // Whether it has bytes to send, and waits for the socket to accept them.
  bool waits_to_write() const;
  // Whether it has received more than it returned.
  bool holds_input() const;
  // Why the last call failed with EPROTO: one side did not accept what the other sent, or its certificate. For example
  // "certificate verify failed: certificate has expired".
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
