// HBase's names of servers, tables and regions, under which the server's code knows them.
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

// By its name, or by what HBase encodes it to.
inline bool IsMetaRegion(std::string_view name) { return name == kMetaRegion || name == kMetaEncodedName; }

// Of the server as a master. Tools that count servers take the master off, if it is one of those with regions: HBase's is not.
inline ServerName MasterName(ServerName server) {
  --server.start_code;
  return server;
}

}  // namespace klip::server
