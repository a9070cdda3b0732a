// HttpServer: an HTTP/1.1 server on threads of its own. Slow clients cost no thread, and cannot shut others out: a request has to
// be there, and an answer taken, in a time that grows with its size; when as many connections are open as may be, a new one takes
// the place of one that waits for its client.
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
  uint16_t port = 0;                 // 0: any free one
  TlsOptions tls = {};               // files that change are used from the next connection on
  int threads = 8;                   // requests that are answered at once; more wait
  size_t max_connections = 1000;
  HttpLimits limits = {};
  MemoryBudget* memory = nullptr;  // of requests and answers; null: there is no bound. Outlives the server
  // Requests that are answered though all threads are busy. To be answered soon.
  std::function<bool(std::string_view target)> urgent = [](std::string_view) { return false; };
  std::function<void(const std::string& line)> log = [](const std::string&) {};  // for the operator, from any thread
};

class HttpServer {
 public:
  // Listens and answers once this returns. Errors: kIoError (address in use, ...); kInvalidArgument naming a file of TLS.
  static Expected<std::unique_ptr<HttpServer>> Start(const HttpServerOptions& options, HttpHandler handler);
  virtual ~HttpServer() = default;  // stops as Stop does

  virtual uint16_t port() const = 0;

  // Takes no more requests; those that run are answered, for at most `drain_ms`. Idempotent.
  virtual void Stop(int drain_ms) = 0;
};

}  // namespace klip::net
