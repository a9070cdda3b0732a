// SQL for the drivers of Phoenix's query server: Avatica's protobuf messages over HTTP.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "base/tls.h"
#include "klip/connection.h"
#include "klip/status.h"

namespace klip::avatica {

// --- Limits ---
inline constexpr size_t kMaxRequestBytes = 64 << 20;
inline constexpr int kThreads = 32;  // requests that run at once; more wait

struct GatewayOptions {
  std::string listen = "127.0.0.1";  // address to listen on
  uint16_t port = 0;                 // 0: any free one
  base::TlsFiles tls = {};           // with a certificate: HTTPS; with a `ca` clients need one too
  std::function<void(const std::string&)> log = [](const std::string&) {};  // a line for the operator, from any thread
};

class Gateway {
 public:
  // Listens and answers once this returns. The connection must outlive it. Errors: kIoError (address in use, ...);
  // kInvalidArgument naming a file of TLS.
  static Expected<std::unique_ptr<Gateway>> Start(Connection* connection, const GatewayOptions& options);
  virtual ~Gateway() = default;  // stops as Stop does

  virtual uint16_t port() const = 0;

  // Takes no more requests, ends the statements that run, and closes all sessions. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace klip::avatica
