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
  uint16_t port = 0;                         // of Thrift1 (service Hbase); 0: any free port
  std::optional<uint16_t> port2;             // for Thrift2 (service THBaseService), which needs its own port
  base::TlsFiles tls = {};                   // with a certificate: TLS; with a `ca` clients need one too
  int64_t scanner_idle_ms = 10 * 60 * 1000;  // a scanner that is not read for so long is dropped
  // Creates the object that grants memory to a call while its request arrives and its rows are read; null: no limit.
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

  // Finishes running calls, accepts no more, drops all scanners. Idempotent.
  virtual void Stop() = 0;
};

}  // namespace klip::thrift
