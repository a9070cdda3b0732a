// The URIs of clusters.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "klip/status.h"

namespace klip::client {

using base::Address;
using base::ParseAddress;

// The "?name=value&..." part of a URI, by name.
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
