// ZooKeeper's data about a cluster, in the format of HBase's ZKDump.
#pragma once

#include <string>
#include <vector>

#include "hbase/cluster/zookeeper_session.h"
#include "hbase/net/address.h"

namespace klip::client {

// `servers`: the quorum; each is asked for its statistics. Errors: those of the session.
Expected<std::string> DumpZooKeeper(ZooKeeperSession* session, const std::vector<Address>& servers,
                                    const std::string& znode, Deadline deadline);

}  // namespace klip::client
