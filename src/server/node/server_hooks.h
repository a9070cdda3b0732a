// Hooks of the master and of the region server around the calls in which HBase calls them, for classes of the
// configuration. coprocessor/master_hooks.h has those for tables and namespaces, which all front ends call.
#pragma once

#include "server/node/node.h"
#include "server/rpc/call.h"

namespace klip::server {

// REQUIRES: all services were added.
void AddServerHooks(Node* node, Services* services);

}  // namespace klip::server
