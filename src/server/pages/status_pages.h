// The pages about the server: /metrics for Prometheus, /health for whoever restarts servers, / for people.
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
