// HBase's names of servers, tables and regions, for the server's code.
#pragma once

#include "base/names.h"
#include "rpc/cluster_messages.h"
#include "rpc/names.h"

namespace klip::server {

using rpc::EncodedRegionName;
using rpc::FillServerName;
using rpc::FillTableName;
using rpc::kMetaEncodedName;
using rpc::kMetaRegion;
using rpc::kMetaTable;
using rpc::RegionName;
using rpc::ReplicaSuffix;
using rpc::TableNameOf;

// By its full or encoded name.
inline bool IsMetaRegion(std::string_view name) { return name == kMetaRegion || name == kMetaEncodedName; }

// The name of the server as a master. It differs from the region server's: tools that count servers subtract the master
// if it is one of them, but HBase's is not.
inline ServerName MasterName(ServerName server) {
  --server.start_code;
  return server;
}

}  // namespace klip::server
