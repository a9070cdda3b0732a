// Replication peers: the clusters, or other endpoints, that a cluster ships its edits to.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "klip/status.h"

namespace klip {

// Families by table; no families: the whole table.
using TableFamilies = std::map<std::string, std::set<std::string>>;

// Applies to families whose REPLICATION_SCOPE is 1.
struct ReplicationPeerConfig {
  std::string cluster_key = {};     // "zk1,zk2:2181:/hbase"; for klip serve's peers also "hbase+rpc://..."
  std::string endpoint_class = {};  // a Java class; empty: HBase's own, for another HBase
  std::map<std::string, std::string> configuration = {};  // of the peer and its endpoint
  std::map<std::string, std::string> data = {};           // bytes to bytes, for the endpoint
  bool replicate_all = true;  // all user tables except the excluded ones; false: only those named
  TableFamilies table_families = {};
  std::set<std::string> namespaces = {};
  TableFamilies exclude_table_families = {};
  std::set<std::string> exclude_namespaces = {};
  int64_t bandwidth = 0;  // bytes per second per server; 0: no limit
  bool serial = false;    // in the order of the writes, even if regions move or split

  bool operator==(const ReplicationPeerConfig&) const = default;
};

struct ReplicationPeer {
  std::string id;
  bool enabled = true;
  ReplicationPeerConfig config;
};

// Replication peers: docs/replication.md. A store in a directory keeps the log for peers that `klip serve` added, and accepts no new
// peers (kUnsupported). Thread-safe; lives as long as its Admin.
// Errors of all: kDoNotRetry if the peer is missing (or already exists), or its configuration is refused; kIoError if
// MasterSwitch::kPeerModification is off.
class ReplicationAdmin {
 public:
  virtual ~ReplicationAdmin() = default;

  virtual Status AddReplicationPeer(std::string_view id, const ReplicationPeerConfig& config, bool enabled = true) = 0;
  virtual Status RemoveReplicationPeer(std::string_view id) = 0;
  virtual Status EnableReplicationPeer(std::string_view id) = 0;
  virtual Status DisableReplicationPeer(std::string_view id) = 0;
  virtual Expected<ReplicationPeerConfig> GetReplicationPeerConfig(std::string_view id) = 0;
  virtual Status UpdateReplicationPeerConfig(std::string_view id, const ReplicationPeerConfig& config) = 0;
  virtual Expected<std::vector<ReplicationPeer>> ListReplicationPeers() = 0;
  // Waits until all pending changes of peers are complete. Call it after kPeerModification was switched off.
  virtual Status DrainPeerModifications() = 0;
};

}  // namespace klip
