// The Thrift, REST and SQL gateways and the console of a command: the requested and the running ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "avatica/gateway.h"
#include "base/tls.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/region_heat.h"
#include "console/gateway.h"
#include "klip/connection.h"
#include "klip/status.h"
#include "net/socket.h"
#include "rest/gateway.h"
#include "thrift/gateway.h"

namespace klip::cli {

// Gateways cannot do more than require a certificate. Errors: kInvalidArgument unless `listen` is loopback, clients need
// a certificate, or --insecure is set.
Status CheckListen(const std::string& listen, bool insecure, const base::TlsFiles& tls);

// Checks ports before a store is opened, so that a server that cannot start creates none.
class PortCheck {
 public:
  // kIoError, with the option that selects another one, if `port` is taken, or was given before. 0 and below: not one port,
  // nothing to check.
  Status Take(const std::string& listen, int32_t port, const std::string& option);

 private:
  std::vector<net::Descriptor> taken_;
};

// A certificate requires its key and vice versa; the clients' CA requires both.
Status CheckTlsFiles(const base::TlsFiles& tls);

// They stop on destruction. Destroy them before the connection.
struct RunningGateways {
  std::unique_ptr<thrift::Gateway> thrift;
  std::unique_ptr<rest::Gateway> rest;
  std::unique_ptr<avatica::Gateway> sql;
  std::unique_ptr<RegionHeat> region_heat;
  std::unique_ptr<console::Gateway> console;
  std::string ready;  // "thrift=HOST:PORT rest=HOST:PORT"
};

struct GatewayPorts {
  static constexpr int32_t kNone = -1;
  int32_t thrift = kNone;  // 0: any free port
  int32_t thrift2 = kNone;
  int32_t rest = kNone;
  int32_t sql = kNone;
  int32_t console = kNone;
  bool console_changes = false;  // the console may change rows and tables
  bool on_cluster = false;       // the console has the heat maps of a cluster
  // TUNING: as Phoenix's query server (phoenix.query.timeoutMs)
  int64_t statement_timeout_ms = 600'000;  // of a statement of SQL; 0: any

  // `in_serve`: the options are --rest-port etc. of klip serve, not --port of klip rest.
  Status CheckFree(const std::string& listen, bool in_serve, PortCheck* check) const;
  Expected<RunningGateways> Start(Connection* connection, const std::string& listen, const base::TlsFiles& tls,
                                  const Console& terminal, net::MemoryBudget* memory,
                                  net::MemoryBudget* statement_memory) const;
};

}  // namespace klip::cli
