// `klip console`: the console on any connection of klip's, over HTTP.
#pragma once

#include <memory>

#include "console/region_counts.h"
#include "klip/connection.h"
#include "klip/status.h"
#include "net/http_gateway.h"

namespace klip::console {

using Gateway = net::HttpGateway;
using GatewayOptions = net::HttpGatewayOptions;

// Listens and answers once this returns. `allow_changes`, `counts`: as for Service. The connection must outlive the gateway. Errors: kIoError (address in use, ...);
// kInvalidArgument naming a file of TLS.
Expected<std::unique_ptr<Gateway>> StartGateway(Connection* connection, const GatewayOptions& options = {},
                                                bool allow_changes = false, RegionCounts* counts = nullptr);

}  // namespace klip::console
