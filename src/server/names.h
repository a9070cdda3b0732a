// HBase's names of servers, tables and regions, under which the server's code knows them.
#pragma once

#include "rpc/cluster_messages.h"
#include "rpc/names.h"

namespace klip::server {

using rpc::EncodedRegionName;
using rpc::FillServerName;
using rpc::FillTableName;
using rpc::kDefaultNamespace;
using rpc::kMetaEncodedName;
using rpc::kMetaRegion;
using rpc::kMetaTable;
using rpc::NamespaceOf;
using rpc::RegionName;
using rpc::ReplicaSuffix;
using rpc::TableNameOf;

}  // namespace klip::server
