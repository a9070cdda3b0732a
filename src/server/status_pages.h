// The pages about the server: /metrics for Prometheus, /health for whoever restarts servers, / for people.
#pragma once

#include <string_view>

#include "server/call.h"
#include "server/http_protocol.h"
#include "server/node.h"
#include "server/reactor.h"

namespace klip::server {

HttpPage StatusPage(std::string_view path, Node* node, const Services& services, const Reactor& reactor);

}  // namespace klip::server
