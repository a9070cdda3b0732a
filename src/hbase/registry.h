// Registry: where a cluster's meta region and master are, the two addresses that everything else is found from.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hbase/channel.h"
#include "hbase/socket.h"

namespace klip::client {

// Thread-safe. Asks anew at each call. Errors: kIoError, kTimedOut.
class Registry {
 public:
  virtual ~Registry() = default;

  virtual Expected<Address> MetaServer(Deadline deadline) = 0;
  virtual Expected<Address> ActiveMaster(Deadline deadline) = 0;
  // Admin::DumpZooKeeper.
  virtual Expected<std::string> Dump(Deadline deadline) = 0;
};

// HBase's RpcConnectionRegistry: any master or region server tells.
std::unique_ptr<Registry> MakeRpcRegistry(std::vector<Address> servers, ChannelPool* channels);

// HBase's ZKConnectionRegistry; `znode` is HBase's own, e.g. "/hbase".
std::unique_ptr<Registry> MakeZooKeeperRegistry(const std::vector<Address>& quorum, std::string znode);

}  // namespace klip::client
