// Registry: the locations of a cluster's meta region and master, from which all others follow.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hbase/net/channel.h"
#include "hbase/net/socket.h"

namespace klip::client {

constexpr size_t kMaxReplicas = 64;  // of a region; others are ignored

// Thread-safe. Asks at each call. Errors: kIoError, kTimedOut.
class Registry {
 public:
  virtual ~Registry() = default;

  // The servers of the meta region's replicas, the primary first; empty host: none at the moment. Without `replicas`,
  // only the primary's.
  virtual Expected<std::vector<Address>> MetaServers(bool replicas, Deadline deadline) = 0;
  virtual Expected<Address> ActiveMaster(Deadline deadline) = 0;
  // ClusterAdmin::DumpZooKeeper.
  virtual Expected<std::string> Dump(Deadline deadline) = 0;
};

// HBase's RpcConnectionRegistry: any master or region server answers.
std::unique_ptr<Registry> MakeRpcRegistry(std::vector<Address> servers, ChannelPool* channels);

// HBase's ZKConnectionRegistry; `znode` is HBase's, for example "/hbase".
std::unique_ptr<Registry> MakeZooKeeperRegistry(const std::vector<Address>& quorum, std::string znode);

}  // namespace klip::client
