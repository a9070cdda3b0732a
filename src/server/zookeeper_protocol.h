// ZooKeeperProtocol: as much of ZooKeeper's client protocol as HBase's clients use to find the cluster: reading a few nodes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "server/channel.h"
#include "server/names.h"

namespace klip::server {

// The nodes there are, and what is in them. Immutable once the server runs.
class ZooKeeperTree {
 public:
  // Nodes of HBase under "/hbase".
  ZooKeeperTree(const ServerName& self, const std::string& cluster_id);

  const std::string* Find(std::string_view path) const;
  std::vector<std::string> Children(std::string_view path) const;

 private:
  void Add(std::string path, std::string data) { nodes_[std::move(path)] = std::move(data); }

  std::map<std::string, std::string, std::less<>> nodes_;
};

// `tree` outlives the protocol.
std::unique_ptr<Protocol> NewZooKeeperProtocol(const ZooKeeperTree* tree);

}  // namespace klip::server
