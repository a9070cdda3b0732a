// The state of servers and regions, as messages.
#pragma once

#include <set>

#include "proto/ClusterStatus.pb.h"
#include "server/node/node.h"

namespace klip::server {

// `options`: hbase::pb::Option; empty: everything.
Status FillClusterStatus(Node* node, const std::set<int>& options, hbase::pb::ClusterStatus* status);

// The loads of all regions of a table, or of all tables if `table` is empty.
void FillRegionLoads(Node* node, const std::string& table,
                     google::protobuf::RepeatedPtrField<hbase::pb::RegionLoad>* loads);

}  // namespace klip::server
