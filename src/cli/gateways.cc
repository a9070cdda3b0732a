#include "cli/gateways.h"

#include <memory>
#include <utility>

#include "server/rpc/memory.h"

namespace klip::cli {

Status CheckListen(const std::string& listen, bool insecure, const base::TlsFiles& tls) {
  if (insecure || !tls.ca.empty() || listen == "localhost" || listen == "::1" || listen.starts_with("127.")) {
    return Status::Ok();
  }
  return Status(
      Code::kInvalidArgument,
      "clients that can reach " + listen +
          " could read and write everything: listen on loopback, require certificates with --tls-client-ca, or give "
          "--insecure if only your clients can reach it");
}

Status CheckTlsFiles(const base::TlsFiles& tls) {
  if (tls.certificate.empty() != tls.key.empty() || (tls.certificate.empty() && !tls.ca.empty())) {
    return Status(Code::kInvalidArgument, "tls-cert and tls-key need each other, and tls-client-ca needs both");
  }
  if (tls.ca.empty() && !tls.crl.empty()) {
    return Status(Code::kInvalidArgument, "tls-crl needs tls-client-ca: it revokes certificates of that authority");
  }
  return Status::Ok();
}

Status PortCheck::Take(const std::string& listen, int32_t port, const std::string& option) {
  if (port <= 0) {
    return Status::Ok();
  }
  Expected<net::Descriptor> taken = net::Listen(listen, static_cast<uint16_t>(port));
  if (!taken.ok()) {
    return {taken.status().code(), taken.status().message() + "; " + option + " selects another port, 0 any free port"};
  }
  taken_.push_back(*std::move(taken));
  return Status::Ok();
}

Status GatewayPorts::CheckFree(const std::string& listen, bool in_serve, PortCheck* check) const {
  KLIP_RETURN_IF_ERROR(check->Take(listen, thrift, in_serve ? "--thrift-port" : "--port"));
  KLIP_RETURN_IF_ERROR(check->Take(listen, thrift2, in_serve ? "--thrift2-port" : "--port2"));
  KLIP_RETURN_IF_ERROR(check->Take(listen, rest, in_serve ? "--rest-port" : "--port"));
  KLIP_RETURN_IF_ERROR(check->Take(listen, sql, "--sql-port"));
  return check->Take(listen, console, in_serve ? "--console-port" : "--port");
}

Expected<RunningGateways> GatewayPorts::Start(Connection* connection, const std::string& listen,
                                              const base::TlsFiles& tls, const Console& terminal,
                                              net::MemoryBudget* memory, net::MemoryBudget* statement_memory) const {
  RunningGateways running;
  auto ready = [&](const char* name, uint16_t port) {
    running.ready += (running.ready.empty() ? "" : " ") + std::string(name) + "=" + listen + ":" + std::to_string(port);
  };
  const auto log = [terminal](const std::string& line) { terminal.PrintError(line); };
  if (thrift == kNone && thrift2 != kNone) {
    return Status(Code::kInvalidArgument, "--thrift2-port needs --thrift-port");
  }
  if (thrift != kNone) {
    klip::thrift::GatewayOptions options{.listen = listen, .port = static_cast<uint16_t>(thrift), .tls = tls};
    if (thrift2 != kNone) {
      options.port2 = static_cast<uint16_t>(thrift2);
    }
    options.log = log;
    options.memory = [memory] { return server::NewCallMemory(memory); };
    KLIP_ASSIGN_OR_RETURN(running.thrift, klip::thrift::Gateway::Start(connection, options));
    ready("thrift", running.thrift->port());
    if (running.thrift->port2()) {
      ready("thrift2", *running.thrift->port2());
    }
  }
  const auto http = [&](int32_t port) {
    return klip::rest::GatewayOptions{.listen = listen,
                                      .port = static_cast<uint16_t>(port),
                                      .tls = tls,
                                      .memory = memory,
                                      .statement_memory = statement_memory,
                                      .statement_timeout_ms = statement_timeout_ms,
                                      .log = log};
  };
  if (rest != kNone) {
    KLIP_ASSIGN_OR_RETURN(running.rest, klip::rest::StartGateway(connection, http(rest)));
    ready("rest", running.rest->port());
  }
  if (sql != kNone) {
    KLIP_ASSIGN_OR_RETURN(running.sql, avatica::StartGateway(connection, http(sql)));
    ready("sql", running.sql->port());
  }
  if (console != kNone) {
    running.region_heat = on_cluster ? std::make_unique<RegionHeat>(connection) : nullptr;
    KLIP_ASSIGN_OR_RETURN(running.console, klip::console::StartGateway(connection, http(console), console_changes,
                                                                       running.region_heat.get()));
    if (on_cluster) {
      running.region_heat->Start();
    }
    ready("console", running.console->port());
  }
  return running;
}

}  // namespace klip::cli
