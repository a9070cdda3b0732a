// The URIs of clusters.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/address.h"
#include "klip/status.h"

namespace klip::client {

using base::Address;
using base::ParseAddress;

inline constexpr uint16_t kMasterPort = 16000;  // of HBase's masters; klip serve has 16020 by default

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
