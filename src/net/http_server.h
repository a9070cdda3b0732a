// HttpServer: an HTTP/1.1 server with its own threads. Slow clients occupy no thread, and cannot lock others out: a
// request must arrive, and an answer be accepted, in a time that grows with its size. If the limit of connections is
// reached, a new one replaces one that waits for its client.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "klip/status.h"
#include "net/http_message.h"
#include "net/http_parser.h"
#include "net/memory.h"
#include "net/tls.h"

namespace klip::net {

struct HttpServerOptions {
  std::string listen = "127.0.0.1";  // address to listen on
  uint16_t port = 0;                 // 0: any free port
  TlsOptions tls = {};               // changed files are used from the next connection on
  int threads =
      8;  // requests answered at once; others wait until one is answered, or none was for a moment: see Reactor::AddThreads
  size_t max_connections = 1000;
  HttpLimits limits = {};
  MemoryBudget* memory = nullptr;  // for requests and answers; null: unlimited. Outlives the server
  // Requests that are answered even if all threads are busy. Their answers must be quick.
  std::function<bool(std::string_view target)> urgent = [](std::string_view) { return false; };
  std::function<void(const std::string& line)> log = [](const std::string&) {};  // for the operator, from any thread
};

class HttpServer {
 public:
  // Listens and answers once this returns. Errors: kIoError (address in use, ...); kInvalidArgument naming a file of TLS.
  static Expected<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options, HttpHandler handler);
  virtual ~HttpServer() = default;  // stops as Stop does

  virtual uint16_t port() const = 0;

  // Accepts no more requests; waits for running ones for at most `drain_ms`. Idempotent.
  virtual void Stop(int drain_ms) = 0;
};

}  // namespace klip::net
