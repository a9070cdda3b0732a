// What ZooKeeper knows of a cluster, as HBase's ZKDump writes it.
#pragma once

#include <string>
#include <vector>

#include "hbase/cluster/zookeeper_session.h"
#include "hbase/net/address.h"

namespace klip::client {

// `servers`: the quorum, each of which is asked for its statistics. Errors: as the session's.
Expected<std::string> DumpZooKeeper(ZooKeeperSession* session, const std::vector<Address>& servers,
                                    const std::string& znode, Deadline deadline);

}  // namespace klip::client
