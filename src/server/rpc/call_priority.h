// Which calls are urgent: those that HBase would hand to its priority handlers, or to its master's.
#pragma once

#include "rpc/message.h"
#include "server/rpc/call.h"

namespace klip::server {

// Whether HBase's master has the service, as another process: no scan keeps it busy, whatever priority its calls have.
bool IsOfMaster(std::string_view service);

// `method` is the request's, of `service`.
bool IsUrgent(std::string_view service, const Method& method, const rpc::Request& request);

}  // namespace klip::server
