// The server's status pages: /metrics for Prometheus, /health for health checks, / for people.
#pragma once

#include <string_view>

#include "net/http_message.h"
#include "net/reactor.h"
#include "server/node/node.h"
#include "server/rpc/call.h"

namespace klip::server {

inline constexpr std::string_view kHealthPath = "/health";
inline constexpr std::string_view kMetricsPath = "/metrics";

// Whether the request is answered even while queries of the console occupy all threads, for programs that watch the server.
bool IsUrgentPage(std::string_view target);

net::HttpResponse StatusPage(const net::HttpRequest& request, Node* node, const Services& services,
                             const net::Reactor& reactor);

}  // namespace klip::server
