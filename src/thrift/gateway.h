// `klip thrift`: HBase's Thrift interfaces on any connection of klip's.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/read_memory.h"
#include "base/tls.h"
#include "klip/connection.h"
#include "klip/status.h"

namespace klip::thrift {

struct GatewayOptions {
  std::string listen = "127.0.0.1";          // address to listen on
  uint16_t port = 0;                         // of Thrift1 (service Hbase); 0: any free one
  std::optional<uint16_t> port2;             // of Thrift2 (service THBaseService), which needs a port of its own
  base::TlsFiles tls = {};                   // with a certificate: over TLS; with a `ca` clients need one too
  int64_t scanner_idle_ms = 10 * 60 * 1000;  // a scanner that nobody reads for this long is dropped
  // Makes what is asked for memory by each call, while its request comes and its rows are read; null: nobody is.
  std::function<std::unique_ptr<base::ReadMemory>()> memory = nullptr;
  std::function<void(const std::string&)> log = [](const std::string&) {};  // a line for the operator, from any thread
};

class Gateway {
 public:
  // Listens and answers once this returns. The connection must outlive it. Errors: kIoError (address in use, ...);
  // kInvalidArgument naming a file of TLS.
  static Expected<std::unique_ptr<Gateway>> Start(Connection* connection, const GatewayOptions& options);
  virtual ~Gateway() = default;  // stops as Stop does

  virtual uint16_t port() const = 0;
  virtual std::optional<uint16_t> port2() const = 0;

  // Answers the calls that run, takes no more, drops all scanners. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace klip::thrift
