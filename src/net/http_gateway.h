// Shared by klip's gateways over HTTP: REST, and SQL for Avatica's clients.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "base/tls.h"
#include "net/http_server.h"

namespace klip::net {

struct HttpGatewayOptions {
  std::string listen = "127.0.0.1";  // address to listen on
  uint16_t port = 0;                 // 0: any free port
  base::TlsFiles tls = {};           // with a certificate: HTTPS; with a `ca` clients need one too
  MemoryBudget* memory = nullptr;    // for requests and answers; null: only each of them is limited
  // For gateways that run statements of SQL: what these hold, and for how long they may run.
  MemoryBudget* statement_memory = nullptr;                                 // null: only each of them is limited
  int64_t statement_timeout_ms = 0;                                         // 0: any
  std::function<void(const std::string&)> log = [](const std::string&) {};  // a line for the operator, from any thread
};

class HttpGateway {
 public:
  // --- Limits ---
  static constexpr size_t kMaxBodyBytes = 64 << 20;
  static constexpr int kThreads = 32;  // requests that run at once; others wait
  static constexpr size_t kMaxConnections = 1000;
  static constexpr int kDrainMs = 3000;  // how long Stop waits for running requests

  virtual ~HttpGateway() = default;  // stops as Stop does

  virtual uint16_t port() const = 0;

  // Accepts no more requests, and drops what clients hold open. Idempotent.
  virtual void Stop() = 0;

 protected:
  // A server with these limits. Errors: those of HttpServer::Start.
  static Expected<std::unique_ptr<HttpServer>> StartServer(const HttpGatewayOptions& options, HttpHandler handler) {
    const base::TlsFiles& tls = options.tls;
    return HttpServer::Start(
        {.listen = options.listen,
         .port = options.port,
         .tls = {.certificate = tls.certificate, .key = tls.key, .client_ca = tls.ca, .client_crl = tls.crl},
         .threads = kThreads,
         .max_connections = kMaxConnections,
         .limits = {.body_bytes = kMaxBodyBytes},
         .memory = options.memory,
         .log = options.log},
        std::move(handler));
  }
};

}  // namespace klip::net
