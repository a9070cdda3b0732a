#include "server/names.h"

namespace klip::server {

std::string ServerName::ToString() const {
  return host + "," + std::to_string(port) + "," + std::to_string(start_code);
}

void FillServerName(const ServerName& server, hbase::pb::ServerName* name) {
  name->set_host_name(server.host);
  name->set_port(server.port);
  name->set_start_code(static_cast<uint64_t>(server.start_code));
}

}  // namespace klip::server
