// RpcProtocol: HBase's RPC on one connection, from the opening bytes to answered calls.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "net/channel.h"
#include "server/rpc/call.h"
#include "server/rpc/log.h"
#include "server/rpc/memory.h"
#include "server/rpc/metrics.h"
#include "server/rpc/slow_call.h"

namespace klip::server {

// Shared by all connections. Outlives them.
struct RpcSetup {
  const Services* services = nullptr;
  const std::string* cluster_id = nullptr;
  const std::atomic<bool>* stopping = nullptr;
  Metrics* metrics = nullptr;
  const Log* log = nullptr;
  net::MemoryBudget* memory = nullptr;
  SlowCalls* slow_calls = nullptr;
  int64_t slow_call_us = 0;         // slower calls are logged and kept
  size_t large_response_bytes = 0;  // so are those with larger answers
};

// `setup` outlives the protocol.
std::unique_ptr<net::Protocol> NewRpcProtocol(const RpcSetup* setup);

}  // namespace klip::server
