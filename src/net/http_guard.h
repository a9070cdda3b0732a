// HttpGuard: tells requests of the server's own clients from those that a web page of somebody else made a browser send.
#pragma once

#include <string>

#include "net/http_message.h"

namespace klip::net {

// Why the request is not answered; "" when it is.
// - An `Origin` other than the server itself: a page of another site sent it.
// - `loopback`, which says that the request came over this machine's loopback, and a `Host` that is no name of this machine: a
//   name of another site was made to point here (DNS rebinding).
std::string WhyForeign(const HttpRequest& request, bool loopback);

}  // namespace klip::net
