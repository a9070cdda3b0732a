// HttpProtocol: HTTP/1.1 on a Channel. Requests of a connection are answered in their order, one at a time; a few more are read
// meanwhile. A client that is slow to send a request, or to take an answer, is cut by the deadline that its channel has.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "net/channel.h"
#include "net/http_message.h"
#include "net/http_parser.h"
#include "net/memory.h"

namespace klip::net {

// What the connections of a server share. It outlives them.
struct HttpService {
  HttpHandler handler;
  HttpLimits limits = {};
  MemoryBudget* memory = nullptr;        // of requests while they are answered, and of answers; null: there is no bound
  int64_t max_bodies_bytes = 512 << 20;  // of requests that are being received or answered; more are refused with 503
  std::function<bool(std::string_view target)> urgent = [](std::string_view) { return false; };  // see Task::urgent
  std::atomic<int64_t> bodies_bytes = 0;
};

std::unique_ptr<Protocol> NewHttpProtocol(HttpService* service);

}  // namespace klip::net
