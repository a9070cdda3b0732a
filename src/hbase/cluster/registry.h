// Registry: where a cluster's meta region and master are, the two addresses that everything else is found from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hbase/net/channel.h"
#include "hbase/net/socket.h"

namespace klip::client {

constexpr size_t kMaxReplicas = 64;  // of a region; others are not looked at

// Thread-safe. Asks anew at each call. Errors: kIoError, kTimedOut.
class Registry {
 public:
  virtual ~Registry() = default;

  // Of the meta region's replicas, the primary first; an empty host: on no server for now. Without `replicas` the primary alone.
  virtual Expected<std::vector<Address>> MetaServers(bool replicas, Deadline deadline) = 0;
  virtual Expected<Address> ActiveMaster(Deadline deadline) = 0;
  // ClusterAdmin::DumpZooKeeper.
  virtual Expected<std::string> Dump(Deadline deadline) = 0;
};

// HBase's RpcConnectionRegistry: any master or region server tells.
std::unique_ptr<Registry> MakeRpcRegistry(std::vector<Address> servers, ChannelPool* channels);

// HBase's ZKConnectionRegistry; `znode` is HBase's own, e.g. "/hbase".
std::unique_ptr<Registry> MakeZooKeeperRegistry(const std::vector<Address>& quorum, std::string znode);

}  // namespace klip::client
