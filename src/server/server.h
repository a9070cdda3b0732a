// Server: `klip serve`. Serves HBase's clients with HBase's protocol, from one store in this process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/address.h"
#include "coprocessor/coprocessors.h"
#include "klip/status.h"
#include "net/http_message.h"
#include "net/memory.h"
#include "net/tls.h"
#include "server/rpc/log.h"
#include "server/rpc/memory.h"
#include "table/embedded_connection.h"

namespace klip::server {

struct ServerOptions {
  std::string listen = "127.0.0.1";  // address to listen on
  // "host" or "host:port" that clients should connect to. Defaults: `listen`, or this host's name for 0.0.0.0; and
  // the port that the RPC listens on.
  std::string advertise;
  uint16_t rpc_port = 0;              // 0: any free port
  uint16_t zookeeper_port = 0;        // 0: any free port
  net::TlsOptions tls;                // for the RPC port
  int64_t memory_limit = 0;           // bytes, see memory.h; 0: none
  bool insecure = false;              // allows unauthenticated clients on other machines
  std::optional<uint16_t> http_port;  // for the status pages; nullopt: they are not served. 0: any free port
  std::string http_listen = "127.0.0.1";
  // Adds pages to that port: answers a request, or returns nullopt for other paths. Outlives the server. Null: none.
  std::function<std::optional<net::HttpResponse>(const net::HttpRequest&)> more_pages;
  LogFormat log_format = LogFormat::kText;
  // Slower calls, or those with larger answers, are logged, and the last of them kept (hbase.ipc.warn.response.time and
  // .size, hbase.regionserver.slowlog.buffer.enabled).
  int64_t slow_call_ms = 10000;
  int64_t large_response_bytes = 100 << 20;
  // The speed at which all files of the store are read once a day to find damage, see engine/store/scrubber.h; 0: never.
  // TUNING: a terabyte in three days hardly loads a disk.
  int64_t scrub_bytes_per_second = 4 << 20;
  int64_t scrub_after_ms = 60 * 1000;                 // after the start
  coprocessor::Coprocessors* coprocessors = nullptr;  // of the store; null: none. Must outlive the server
  // Called when a client asks the server to stop (Admin.shutdown, stopMaster, stopRegionServer), by a thread that answers
  // calls, for which Stop waits. Null: such calls fail.
  std::function<void()> stop;
  // For TLS and the RPC's or ZooKeeper's header. After that, as in HBase, open connections may be idle forever. TUNING:
  // Netty's limit for TLS.
  int64_t opening_ms = 10000;
  // a scanner ends after this time without a call (hbase.client.scanner.timeout.period)
  int64_t scanner_timeout_ms = 60000;
  size_t max_connections = 10000;
  // For small cells, of all clients together: one client gets at most half, and always leaves as many to others as it
  // has. Memory may allow fewer.
  size_t max_scanners = 10000;
};

class Server {
 public:
  // Listens and answers once this returns. Errors: kIoError (address in use, ...), kInvalidArgument (TLS files,
  // `advertise`, an address that other machines reach without `insecure` or required client certificates).
  static Expected<std::unique_ptr<Server>> Start(std::unique_ptr<table::EmbeddedConnection> connection,
                                                 const ServerOptions& options);

  // Calls Stop.
  virtual ~Server() = default;

  virtual uint16_t rpc_port() const = 0;
  virtual uint16_t zookeeper_port() const = 0;
  virtual uint16_t http_port() const = 0;  // 0: none
  virtual const base::Address& advertised() const = 0;
  // The budget of requests and answers, also for gateways beside it. Valid as long as the server.
  virtual net::MemoryBudget* memory() = 0;

  // Finishes running calls, accepts no more, closes the store. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace klip::server
