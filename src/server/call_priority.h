// Which calls are urgent: those that HBase would hand to its priority handlers, or to its master's.
#pragma once

#include "rpc/message.h"
#include "server/call.h"

namespace klip::server {

// `method` is the request's, of `service`.
bool IsUrgent(std::string_view service, const Method& method, const rpc::Request& request);

}  // namespace klip::server
