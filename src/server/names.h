// The name of this server, and HBase's names of tables and regions (rpc/names.h).
#pragma once

#include <cstdint>
#include <string>

#include "rpc/names.h"

namespace klip::server {

using rpc::EncodedRegionName;
using rpc::FillTableName;
using rpc::kDefaultNamespace;
using rpc::kMetaEncodedName;
using rpc::kMetaRegion;
using rpc::kMetaTable;
using rpc::NamespaceOf;
using rpc::RegionName;
using rpc::TableNameOf;

// One address of this process as clients see it.
struct ServerName {
  std::string host;
  uint16_t port = 0;
  int64_t start_code = 0;  // milliseconds since 1970 when the server started

  std::string ToString() const;  // "host,port,startcode"
};
void FillServerName(const ServerName& server, hbase::pb::ServerName* name);

}  // namespace klip::server
