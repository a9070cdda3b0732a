#include "hbase/address.h"

#include <charconv>

namespace klip::client {
namespace {

constexpr uint16_t kMasterPort = 16000;
constexpr uint16_t kZooKeeperPort = 2181;

Status Bad(std::string_view text, std::string_view why) {
  return {Code::kInvalidArgument, "'" + std::string(text) + "': " + std::string(why)};
}

}  // namespace

Expected<Address> ParseAddress(std::string_view text, uint16_t default_port) {
  const size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string_view::npos) {
    return Bad(text, "a '[' without ']'");
  }
  const size_t colon = text.find(':', bracket);
  Address address;
  address.host = bracket > 0 ? text.substr(1, bracket - 1) : text.substr(0, colon);
  address.port = default_port;
  if (colon != std::string_view::npos) {
    const std::string_view port = text.substr(colon + 1);
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (error != std::errc() || end != port.data() + port.size()) {
      return Bad(text, "the port is no number up to 65535");
    }
  }
  if (address.host.empty() || address.port == 0) {
    return Bad(text, "host:port is expected");
  }
  return address;
}

Expected<ClusterUri> ParseClusterUri(std::string_view uri) {
  constexpr std::string_view kRpc = "hbase+rpc://";
  constexpr std::string_view kZk = "hbase+zk://";
  ClusterUri cluster;
  cluster.zookeeper = uri.starts_with(kZk);
  if (!cluster.zookeeper && !uri.starts_with(kRpc)) {
    return Bad(uri, "hbase+rpc://host:port[,host:port...] or hbase+zk://host:port[,...][/znode] is expected");
  }
  std::string_view rest = uri.substr(cluster.zookeeper ? kZk.size() : kRpc.size());
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view path = rest.substr(slash);
    rest = rest.substr(0, slash);
    if (path.size() > 1 && (!cluster.zookeeper || path.ends_with('/') || path.find("//") != std::string_view::npos)) {
      return Bad(uri, cluster.zookeeper ? "the znode is no path" : "nothing goes behind the servers");
    }
    if (path.size() > 1) {
      cluster.znode = path;
    }
  }
  while (true) {
    const size_t comma = rest.find(',');
    Expected<Address> server = ParseAddress(rest.substr(0, comma), cluster.zookeeper ? kZooKeeperPort : kMasterPort);
    if (!server.ok()) {
      return Bad(uri, server.status().message());
    }
    cluster.servers.push_back(*std::move(server));
    if (comma == std::string_view::npos) {
      return cluster;
    }
    rest.remove_prefix(comma + 1);
  }
}

}  // namespace klip::client
