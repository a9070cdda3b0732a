// ZooKeeperProtocol: as much of ZooKeeper's client protocol as HBase's clients use to find the cluster: reading a few nodes.
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

// The nodes there are, and what is in them: HBase's, below "/hbase" and what distributions call it (zookeeper.znode.parent).
// Thread-safe.
class ZooKeeperTree {
 public:
  // `tables` outlives the tree.
  ZooKeeperTree(const ServerName& self, const std::string& cluster_id, RegionDirectory* tables);

  // What is in the node; nullopt: there is none.
  std::optional<std::string> Find(std::string_view path) const;
  // REQUIRES: Find(path) is something.
  std::vector<std::string> Children(std::string_view path) const;

 private:
  // As clients of HBase 1 look it up; later ones read hbase:meta.
  std::string TableState(bool enabled) const;

  const ServerName self_;
  RegionDirectory* const tables_;
  std::map<std::string, std::string, std::less<>> nodes_;  // by their path below the base; without those of tables
};

// `tree` outlives the protocol.
std::unique_ptr<net::Protocol> NewZooKeeperProtocol(const ZooKeeperTree* tree);

}  // namespace klip::server
