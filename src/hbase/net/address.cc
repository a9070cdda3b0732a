#include "hbase/net/address.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace klip::client {
namespace {

constexpr uint16_t kZooKeeperPort = 2181;

Status Bad(std::string_view text, std::string_view why) {
  return {Code::kInvalidArgument, "'" + std::string(text) + "': " + std::string(why)};
}

Status BadFormat(std::string_view expected, std::string_view found) {
  return {Code::kInvalidArgument, "expected " + std::string(expected) + ", found '" + std::string(found) + "'"};
}

// Decodes %41 to 'A'.
Expected<std::string> Decode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    uint8_t byte = 0;
    const std::string_view digits = text.substr(i + 1, 2);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
    if (error != std::errc() || digits.size() < 2 || end != digits.data() + 2) {
      return Bad(text, "% must be followed by two hexadecimal digits");
    }
    out += static_cast<char>(byte);
    i += 2;
  }
  return out;
}

Expected<UriOptions> ParseOptions(std::string_view query) {
  UriOptions options;
  while (!query.empty()) {
    const std::string_view option = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), option.size() + 1));
    const size_t equals = option.find('=');
    if (equals == std::string_view::npos) {
      return BadFormat("name=value", option);
    }
    KLIP_ASSIGN_OR_RETURN(std::string value, Decode(option.substr(equals + 1)));
    if (!options.emplace(option.substr(0, equals), std::move(value)).second) {
      return Bad(option, "the option occurs twice");
    }
  }
  return options;
}

}  // namespace

Expected<ClusterUri> ParseClusterUri(std::string_view uri) {
  constexpr std::string_view kRpc = "hbase+rpc://";
  constexpr std::string_view kZk = "hbase+zk://";
  ClusterUri cluster;
  cluster.zookeeper = uri.starts_with(kZk);
  if (!cluster.zookeeper && !uri.starts_with(kRpc)) {
    return BadFormat("hbase+rpc://host:port[,host:port...] or hbase+zk://host:port[,...][/znode]", uri);
  }
  std::string_view rest = uri.substr(cluster.zookeeper ? kZk.size() : kRpc.size());
  if (const size_t query = rest.find('?'); query != std::string_view::npos) {
    KLIP_ASSIGN_OR_RETURN(cluster.options, ParseOptions(rest.substr(query + 1)));
    rest = rest.substr(0, query);
  }
  if (const size_t slash = rest.find('/'); slash != std::string_view::npos) {
    const std::string_view path = rest.substr(slash);
    rest = rest.substr(0, slash);
    if (path.size() > 1 && (!cluster.zookeeper || path.ends_with('/') || path.find("//") != std::string_view::npos)) {
      return Bad(uri, cluster.zookeeper ? "the znode is not a path" : "unexpected text after the servers");
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
