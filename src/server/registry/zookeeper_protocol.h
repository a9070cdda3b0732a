// ZooKeeperProtocol: the part of ZooKeeper's client protocol with which HBase's clients find the cluster: reading a few
// nodes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/channel.h"
#include "server/node/regions.h"
#include "server/rpc/names.h"

namespace klip::server {

// The nodes and their contents: HBase's, below "/hbase" and the names that distributions use (zookeeper.znode.parent).
// Thread-safe.
class ZooKeeperTree {
 public:
  // `tables` outlives the tree.
  ZooKeeperTree(const ServerName& self, const std::string& cluster_id, RegionDirectory* tables);

  // The contents of the node; nullopt: no such node.
  std::optional<std::string> Find(std::string_view path) const;
  // REQUIRES: Find(path) returns contents.
  std::vector<std::string> Children(std::string_view path) const;

 private:
  // For clients of HBase 1; later ones read hbase:meta.
  std::string TableState(bool enabled) const;

  const ServerName self_;
  RegionDirectory* const tables_;
  std::map<std::string, std::string, std::less<>> nodes_;  // by their path below the base; without those of tables
};

// `tree` outlives the protocol.
std::unique_ptr<net::Protocol> NewZooKeeperProtocol(const ZooKeeperTree* tree);

}  // namespace klip::server
