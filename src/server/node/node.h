// Node: shared by the services of one running server.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "coprocessor/coprocessors.h"
#include "engine/store/scrubber.h"
#include "replication/sources.h"
#include "server/node/compactor.h"
#include "server/node/endpoint_registry.h"
#include "server/node/nonces.h"
#include "server/node/procedures.h"
#include "server/node/regions.h"
#include "server/node/replication_sink.h"
#include "server/node/scanner_table.h"
#include "server/rpc/metrics.h"
#include "server/rpc/names.h"
#include "server/rpc/slow_call.h"
#include "table/embedded_connection.h"

namespace klip::server {

// Switches that clients may set and read back, in addition to Admin's. HBase keeps them across restarts, klip until the
// process ends.
struct Switches {
  std::atomic<bool> compaction{true};
};

struct Node {
  explicit Node(std::unique_ptr<table::EmbeddedConnection> open)
      : embedded(std::move(open)),
        regions(embedded.get(), &self),
        compactor(&embedded->admin(), [this] { return NowMs(); }) {}

  int64_t NowMs() const { return store().NowMs(); }
  engine::Store& store() const { return embedded->store(); }
  Admin& admin() const { return embedded->admin(); }
  // Returns before the server has stopped. A second call has no effect: a process that stops twice would wait for itself.
  Status AskToStop() {
    if (stop == nullptr) {
      return {Code::kUnsupported, "this server is part of a process that stops it"};
    }
    if (!asked_to_stop.exchange(true)) {
      stop();
    }
    return Status::Ok();
  }

  std::unique_ptr<table::EmbeddedConnection> embedded;
  ServerName self;               // set before the first call
  std::string cluster_id;        // a UUID
  int64_t max_memory_bytes = 0;  // limit of the process
  std::function<void()> stop;    // ServerOptions::stop; set before the first call
  std::atomic<bool> asked_to_stop = false;
  std::atomic<bool> stopping = false;
  RegionDirectory regions;
  ScannerTable scanners;
  NonceTable nonces;
  EndpointRegistry endpoints;
  coprocessor::Coprocessors* coprocessors = nullptr;  // the users'; null: none. Set before the first call
  ProcedureTable procedures;
  Switches switches;
  Compactor compactor;
  Metrics metrics;
  SlowCalls slow_calls{[this] { return NowMs(); }};
  ReplicationSinkCounts sink;
  std::unique_ptr<replication::Sources> sources;  // set before the first call
  std::unique_ptr<engine::Scrubber> scrubber;     // null: none. Set before the first call
};

}  // namespace klip::server
