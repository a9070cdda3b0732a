// HttpProtocol: HTTP/1.1 on a Channel. Requests of a connection are answered in order, one at a time; a few more are read
// meanwhile. A client that is slow to send a request, or to accept an answer, is cut off at the deadline of its channel.
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

// Shared by the connections of a server. It outlives them.
struct HttpService {
  HttpHandler handler;
  HttpLimits limits = {};
  MemoryBudget* memory = nullptr;        // for requests while they are answered, and answers; null: unlimited
  int64_t max_bodies_bytes = 512 << 20;  // limit for requests being received or answered; others are refused with 503
  std::function<bool(std::string_view target)> urgent = [](std::string_view) { return false; };  // see Task::urgent
  std::atomic<int64_t> bodies_bytes = 0;
};

std::unique_ptr<Protocol> NewHttpProtocol(HttpService* service);

}  // namespace klip::net
