// Server: `klip serve`. Answers HBase's clients over HBase's own protocol, from one store in this process.
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
  // "host" or "host:port" that clients are told to connect to; without it `listen`, or this host's name for 0.0.0.0, and the port that
  // the RPC listens on.
  std::string advertise;
  uint16_t rpc_port = 0;              // 0: any free one
  uint16_t zookeeper_port = 0;        // 0: any free one
  net::TlsOptions tls;                // of the RPC port
  int64_t memory_limit = 0;           // bytes, see memory.h; 0: none
  bool insecure = false;              // let anyone on the network in
  std::optional<uint16_t> http_port;  // of the pages about the server; none: they are not served. 0: any free one
  std::string http_listen = "127.0.0.1";
  // More pages at that port: answers a request, or has no such page. Outlives the server. None: there are no more.
  std::function<std::optional<net::HttpResponse>(const net::HttpRequest&)> more_pages;
  LogFormat log_format = LogFormat::kText;
  // Calls that take as long, or whose answers are as large, are logged, and the last of them kept (hbase.ipc.warn.response.time and
  // .size, hbase.regionserver.slowlog.buffer.enabled).
  int64_t slow_call_ms = 10000;
  int64_t large_response_bytes = 100 << 20;
  // With which all files of the store are read once a day to find damage, see engine/store/scrubber.h; 0: they are not. TUNING: a
  // terabyte in three days, which a disk hardly notices.
  int64_t scrub_bytes_per_second = 4 << 20;
  int64_t scrub_after_ms = 60 * 1000;                 // the start
  coprocessor::Coprocessors* coprocessors = nullptr;  // of the store; null: none. Outlive the server
  // Called when a client asks the server to stop (Admin.shutdown, stopMaster, stopRegionServer), by a thread that answers calls, which
  // Stop waits for. None: refused.
  std::function<void()> stop;
  // For TLS and the RPC's or ZooKeeper's header; connections that are open may be idle for ever, as with HBase. TUNING: Netty's limit
  // for TLS.
  int64_t opening_ms = 10000;
  int64_t scanner_timeout_ms = 60000;  // without a call a scanner ends (hbase.client.scanner.timeout.period)
  size_t max_connections = 10000;
  // Of small cells, of all clients: one has half of it at most, and leaves as much to others as it has. Memory may allow fewer.
  size_t max_scanners = 10000;
};

class Server {
 public:
  // Listens and answers once this returns. Errors: kIoError (address in use, ...), kInvalidArgument (TLS
  // files, `advertise`, an address that strangers reach without `insecure` or certificates that clients must have).
  static Expected<std::unique_ptr<Server>> Start(std::unique_ptr<table::EmbeddedConnection> connection,
                                                 const ServerOptions& options);

  // Stops as Stop does.
  virtual ~Server() = default;

  virtual uint16_t rpc_port() const = 0;
  virtual uint16_t zookeeper_port() const = 0;
  virtual uint16_t http_port() const = 0;  // 0: none
  virtual const base::Address& advertised() const = 0;
  // Of requests and answers, also for gateways beside it. As long as the server.
  virtual net::MemoryBudget* memory() = 0;

  // Answers the calls that run, takes no more, closes the store. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace klip::server
