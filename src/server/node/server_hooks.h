// Hooks of the master and of the region server around the calls in which HBase calls them, for classes of the configuration. Those
// that every door calls, of tables and namespaces, are in coprocessor/master_hooks.h.
#pragma once

#include "server/node/node.h"
#include "server/rpc/call.h"

namespace klip::server {

// REQUIRES: all services are there.
void AddServerHooks(Node* node, Services* services);

}  // namespace klip::server
