// RpcProtocol: HBase's RPC on one connection, from the opening bytes to answered calls.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "server/call.h"
#include "server/channel.h"

namespace klip::server {

// What all connections share. Outlives them.
struct RpcSetup {
  const Services* services = nullptr;
  const std::string* cluster_id = nullptr;
  const std::atomic<bool>* stopping = nullptr;
};

// `setup` outlives the protocol.
std::unique_ptr<Protocol> NewRpcProtocol(const RpcSetup* setup);

}  // namespace klip::server
