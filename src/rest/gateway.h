// `klip rest`: HBase's REST resources on any connection of klip's, over HTTP.
#pragma once

#include <cstdint>
#include <memory>

#include "klip/connection.h"
#include "klip/status.h"
#include "net/http_gateway.h"
#include "rest/scanners.h"

namespace klip::rest {

using Gateway = net::HttpGateway;
using GatewayOptions = net::HttpGatewayOptions;

// Listens and answers once this returns. The connection must outlive the gateway. A scanner that is not read for
// `scanner_idle_ms` is dropped. Errors: kIoError (address in use, ...); kInvalidArgument naming a file of TLS.
Expected<std::unique_ptr<Gateway>> StartGateway(Connection* connection, const GatewayOptions& options = {},
                                                int64_t scanner_idle_ms = kScannerIdleMs);

}  // namespace klip::rest
