// The server's status pages: /metrics for Prometheus, /health for health checks, / for people.
#pragma once

#include <string_view>

#include "net/http_message.h"
#include "net/reactor.h"
#include "server/node/node.h"
#include "server/rpc/call.h"

namespace klip::server {

inline constexpr std::string_view kHealthPath = "/health";

net::HttpResponse StatusPage(const net::HttpRequest& request, Node* node, const Services& services,
                             const net::Reactor& reactor);

}  // namespace klip::server
