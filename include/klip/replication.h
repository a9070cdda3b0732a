// Replication peers: the clusters, or other endpoints, that a cluster ships its edits to.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

namespace klip {

// Families by table; none named: all of the table's.
using TableFamilies = std::map<std::string, std::set<std::string>>;

// Of families whose REPLICATION_SCOPE is 1.
struct ReplicationPeerConfig {
  std::string cluster_key = {};     // "zk1,zk2:2181:/hbase"; of klip serve's peers also "hbase+rpc://..."
  std::string endpoint_class = {};  // in Java; empty: HBase's own, into another HBase
  std::map<std::string, std::string> configuration = {};  // of the peer and its endpoint
  std::map<std::string, std::string> data = {};           // bytes to bytes, for the endpoint
  bool replicate_all = true;  // all user tables but the excluded ones; else only those named
  TableFamilies table_families = {};
  std::set<std::string> namespaces = {};
  TableFamilies exclude_table_families = {};
  std::set<std::string> exclude_namespaces = {};
  int64_t bandwidth = 0;  // bytes a second of each server; 0: no limit
  bool serial = false;    // in the order of the writes, whatever regions do

  bool operator==(const ReplicationPeerConfig&) const = default;
};

struct ReplicationPeer {
  std::string id;
  bool enabled = true;
  ReplicationPeerConfig config;
};

}  // namespace klip
