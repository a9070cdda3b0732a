#include "cli/gateways.h"

namespace klip::cli {

Status CheckListen(const std::string& listen, bool insecure) {
  if (insecure || listen == "localhost" || listen == "::1" || listen.starts_with("127.")) {
    return Status::Ok();
  }
  return Status(Code::kInvalidArgument,
                "anyone who reaches " + listen +
                    " could read and write: listen on loopback, or say --insecure if nobody but your "
                    "clients reaches it");
}

Expected<RunningGateways> GatewayPorts::Start(Connection* connection, const std::string& listen,
                                              const Console& console) const {
  RunningGateways running;
  auto ready = [&](const char* name, uint16_t port) {
    running.ready += (running.ready.empty() ? "" : " ") + std::string(name) + "=" + listen + ":" + std::to_string(port);
  };
  if (thrift == kNone && thrift2 != kNone) {
    return Status(Code::kInvalidArgument, "Thrift2's port goes with Thrift1's");
  }
  if (thrift != kNone) {
    klip::thrift::GatewayOptions options{.listen = listen, .port = static_cast<uint16_t>(thrift)};
    if (thrift2 != kNone) {
      options.port2 = static_cast<uint16_t>(thrift2);
    }
    options.log = [err = console.err](const std::string& line) { fmt::print(err, "klip: {}\n", line); };
    KLIP_ASSIGN_OR_RETURN(running.thrift, klip::thrift::Gateway::Start(connection, options));
    ready("thrift", running.thrift->port());
    if (running.thrift->port2()) {
      ready("thrift2", *running.thrift->port2());
    }
  }
  if (rest != kNone) {
    KLIP_ASSIGN_OR_RETURN(
        running.rest, klip::rest::Gateway::Start(connection, {.listen = listen, .port = static_cast<uint16_t>(rest)}));
    ready("rest", running.rest->port());
  }
  return running;
}

}  // namespace klip::cli
