// TLS on accepted sockets. HBase's clients speak it from the first byte (hbase.client.netty.tls.enabled).
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "base/tls.h"

namespace klip::net {

// Files in PEM form.
struct TlsOptions {
  std::string certificate;  // with the chain that leads to it; empty: no TLS
  std::string key;
  std::string client_ca;         // that signs clients' certificates; empty: clients need none
  std::string client_crl;        // certificates that it has revoked; empty: none
  bool allow_plaintext = false;  // also serves clients that do not start with a handshake
};

// Thread-safe.
class TlsContext {
 public:
  // Errors: kInvalidArgument naming the file and what is wrong with it.
  static Expected<std::unique_ptr<TlsContext>> Load(TlsOptions options);

  // See base::ServerTls.
  Expected<bool> Refresh() { return tls_->Refresh(); }
  void RefreshAndLog(const base::ServerTls::Log& log) { tls_->RefreshAndLog(log); }

  // Null if there is no memory.
  std::unique_ptr<base::TlsSession> NewSession(int socket) const;
  const TlsOptions& options() const { return options_; }

 private:
  TlsContext(TlsOptions options, std::unique_ptr<base::ServerTls> tls)
      : options_(std::move(options)), tls_(std::move(tls)) {}

  const TlsOptions options_;
  const std::unique_ptr<base::ServerTls> tls_;
};

}  // namespace klip::net
