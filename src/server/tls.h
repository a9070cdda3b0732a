// TLS on accepted sockets, by OpenSSL. HBase's clients speak it from the first byte (hbase.client.netty.tls.enabled).
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <sys/types.h>

#include "klip/status.h"

struct ssl_ctx_st;
struct ssl_st;

namespace klip::server {

// Files in PEM form.
struct TlsOptions {
  std::string certificate;  // with the chain that leads to it; empty: no TLS
  std::string key;
  std::string client_ca;         // who signs clients' certificates; empty: clients need none
  bool allow_plaintext = false;  // clients that do not begin with a handshake are served too
};

// One connection. Thread-safe.
class TlsSession {
 public:
  explicit TlsSession(ssl_st* ssl) : ssl_(ssl) {}
  ~TlsSession();
  TlsSession(const TlsSession&) = delete;
  TlsSession& operator=(const TlsSession&) = delete;

  // As recv and send on a non-blocking socket: bytes, 0 at the end, or -1 and errno. They shake hands first.
  ssize_t Receive(char* bytes, size_t size);
  // After EAGAIN the next call must begin with the same bytes, and not be shorter.
  ssize_t Send(const char* bytes, size_t size);
  // Has something to send, and waits for the socket to take it.
  bool waits_to_write() const;

 private:
  ssize_t Outcome(int result);  // REQUIRES: mutex_ is held

  mutable std::mutex mutex_;
  ssl_st* const ssl_;
  bool waits_to_write_ = false;  // guarded by mutex_
};

// Thread-safe.
class TlsContext {
 public:
  // Errors: kInvalidArgument naming the file and what is wrong with it.
  static Expected<std::unique_ptr<TlsContext>> Load(TlsOptions options);

  // Reads files again that have changed. New connections get what was read; with an error they get what they got before.
  // True: there was something to read.
  Expected<bool> Refresh();

  // Null when there is no memory for one.
  std::unique_ptr<TlsSession> NewSession(int socket) const;
  const TlsOptions& options() const { return options_; }

 private:
  using ContextPtr = std::shared_ptr<ssl_ctx_st>;

  explicit TlsContext(TlsOptions options) : options_(std::move(options)) {}
  std::vector<int64_t> Stamps() const;
  static Expected<ContextPtr> Read(const TlsOptions& options);

  const TlsOptions options_;
  mutable std::mutex mutex_;
  ContextPtr context_;           // guarded by mutex_
  std::vector<int64_t> stamps_;  // guarded by mutex_
};

}  // namespace klip::server
