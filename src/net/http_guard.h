// HttpGuard: rejects requests that another site's web page made a browser send.
#pragma once

#include <string>

#include "net/http_message.h"

namespace klip::net {

// The reason to reject the request; "" to accept it.
// - An `Origin` other than the server itself: a page of another site sent it.
// - `loopback` (the request came over this machine's loopback) and a `Host` that is not a name of this machine: another
//   site's name was made to resolve to it (DNS rebinding).
std::string WhyForeign(const HttpRequest& request, bool loopback);

}  // namespace klip::net
