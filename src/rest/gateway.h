// `klip rest`: HBase's REST resources on any connection of klip's, over HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/tls.h"
#include "klip/connection.h"
#include "klip/status.h"
#include "rest/scanners.h"

namespace klip::rest {

// --- Limits ---
inline constexpr size_t kMaxBodyBytes = 64 << 20;
inline constexpr int kThreads = 32;  // requests that run at once; more wait
inline constexpr size_t kMaxConnections = 1000;

struct GatewayOptions {
  std::string listen = "127.0.0.1";          // address to listen on
  uint16_t port = 0;                         // 0: any free one
  base::TlsFiles tls = {};                   // with a certificate: HTTPS; with a `ca` clients need one too
  int64_t scanner_idle_ms = kScannerIdleMs;  // a scanner that nobody reads for this long is dropped
  std::function<void(const std::string&)> log = [](const std::string&) {};  // a line for the operator, from any thread
};

class Gateway {
 public:
  // Listens and answers once this returns. The connection must outlive it. Errors: kIoError (address in use, ...);
  // kInvalidArgument naming a file of TLS.
  static Expected<std::unique_ptr<Gateway>> Start(Connection* connection, const GatewayOptions& options);
  virtual ~Gateway() = default;  // stops as Stop does

  virtual uint16_t port() const = 0;

  // Answers the requests that run, takes no more, drops all scanners. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace klip::rest
