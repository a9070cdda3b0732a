// PeerCluster: a cluster, or klip serve, that receives replicated edits.
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

// HBase's "quorum:port:/znode" ("zk1,zk2:2182:2181:/hbase": a server may have its own port), or a URI of klip's clients.
// Errors: kInvalidArgument.
Expected<ClusterUri> ParseClusterKey(std::string_view key);

// Calls obey the thread's CancelToken.
class PeerCluster {
 public:
  // Does not connect yet. Errors: kInvalidArgument: the key.
  static Expected<std::unique_ptr<PeerCluster>> Open(std::string_view cluster_key);
  ~PeerCluster();

  struct State {
    std::string cluster_id;  // a UUID
    std::vector<Address> servers;
  };
  // Asks the peer's master. Errors: kTimedOut if there is no answer within `patience_ms`.
  Expected<State> Ask(int64_t patience_ms);

  // One call to a server's AdminService, without retries. `cells`: of the request's entries, in KeyValueCodecWithTags.
  Failure Replicate(const Address& server, const hbase::pb::ReplicateWALEntryRequest& request, std::string_view cells);

 private:
  explicit PeerCluster(std::unique_ptr<Cluster> cluster);

  std::unique_ptr<Cluster> cluster_;
};

}  // namespace klip::client
