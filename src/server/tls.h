// TLS on accepted sockets. HBase's clients speak it from the first byte (hbase.client.netty.tls.enabled).
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/tls.h"

namespace klip::server {

// Files in PEM form.
struct TlsOptions {
  std::string certificate;  // with the chain that leads to it; empty: no TLS
  std::string key;
  std::string client_ca;         // who signs clients' certificates; empty: clients need none
  bool allow_plaintext = false;  // clients that do not begin with a handshake are served too
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
  std::unique_ptr<base::TlsSession> NewSession(int socket) const;
  const TlsOptions& options() const { return options_; }

 private:
  explicit TlsContext(TlsOptions options) : options_(std::move(options)) {}
  std::vector<int64_t> Stamps() const;
  Expected<base::TlsContextPtr> Read() const;

  const TlsOptions options_;
  mutable std::mutex mutex_;
  base::TlsContextPtr context_;  // guarded by mutex_
  std::vector<int64_t> stamps_;  // guarded by mutex_
};

}  // namespace klip::server
