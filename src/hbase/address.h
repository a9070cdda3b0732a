// Addresses of servers, and the URIs that name a cluster.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"

namespace klip::client {

struct Address {
  std::string host;
  uint16_t port = 0;

  auto operator<=>(const Address&) const = default;
  std::string ToString() const { return host + ":" + std::to_string(port); }
};

// "host:port"; an IPv6 host in brackets. `default_port` 0: a port must be given. Errors: kInvalidArgument.
Expected<Address> ParseAddress(std::string_view text, uint16_t default_port);

// What the "?name=value&..." of a URI says, by name.
using UriOptions = std::map<std::string, std::string, std::less<>>;

// hbase+rpc://host:port[,host:port...][?options]    masters or region servers to ask (default port 16000)
// hbase+zk://host:port[,...][/znode][?options]      the ZooKeeper quorum (default port 2181, znode /hbase)
// A value is written as in any URI: %26 is '&'.
struct ClusterUri {
  bool zookeeper = false;
  std::vector<Address> servers;
  std::string znode = "/hbase";
  UriOptions options;
};
// Errors: kInvalidArgument.
Expected<ClusterUri> ParseClusterUri(std::string_view uri);

}  // namespace klip::client
