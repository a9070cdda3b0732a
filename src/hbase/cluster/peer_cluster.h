// PeerCluster: a cluster, or klip serve, that edits are replicated to.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hbase/net/address.h"
#include "hbase/net/failure.h"
#include "klip/status.h"
#include "proto/Admin.pb.h"

namespace klip::client {

class Cluster;

// HBase's "quorum:port:/znode" ("zk1,zk2:2182:2181:/hbase": a server may have a port of its own), or a URI as klip's clients take it.
// Errors: kInvalidArgument.
Expected<ClusterUri> ParseClusterKey(std::string_view key);

// Calls obey the thread's CancelToken.
class PeerCluster {
 public:
  // Asks nobody yet. Errors: kInvalidArgument: the key.
  static Expected<std::unique_ptr<PeerCluster>> Open(std::string_view cluster_key);
  ~PeerCluster();

  struct State {
    std::string cluster_id;  // a UUID
    std::vector<Address> servers;
  };
  // By its master. Errors: kTimedOut when nobody answers within `patience_ms`.
  Expected<State> Ask(int64_t patience_ms);

  // One call, without further tries, of one server's AdminService. `cells`: of the request's entries, KeyValueCodecWithTags.
  Failure Replicate(const Address& server, const hbase::pb::ReplicateWALEntryRequest& request, std::string_view cells);

 private:
  explicit PeerCluster(std::unique_ptr<Cluster> cluster);

  std::unique_ptr<Cluster> cluster_;
};

}  // namespace klip::client
