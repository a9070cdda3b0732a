// SQL for the drivers of Phoenix's query server: Avatica's protobuf messages over HTTP.
#pragma once

#include <memory>

#include "klip/connection.h"
#include "klip/status.h"
#include "net/http_gateway.h"

namespace klip::avatica {

using Gateway = net::HttpGateway;
using GatewayOptions = net::HttpGatewayOptions;

// Listens and answers once this returns. The connection must outlive the gateway; stopping the gateway ends running
// statements. Errors: kIoError (address in use, ...); kInvalidArgument naming a file of TLS.
Expected<std::unique_ptr<Gateway>> StartGateway(Connection* connection, const GatewayOptions& options = {});

}  // namespace klip::avatica
