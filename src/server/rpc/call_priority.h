// Which calls are urgent: those for HBase's priority handlers, or for its master's.
#pragma once

#include "rpc/message.h"
#include "server/rpc/call.h"

namespace klip::server {

// Whether the service belongs to HBase's master, which is another process there: scans cannot delay it, whatever its
// calls' priority.
bool IsOfMaster(std::string_view service);

// `method` is the request's, of `service`.
bool IsUrgent(std::string_view service, const Method& method, const rpc::Request& request);

}  // namespace klip::server
