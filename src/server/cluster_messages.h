// What servers and regions are doing, as messages.
#pragma once

#include <set>

#include "proto/ClusterStatus.pb.h"
#include "server/node.h"

namespace klip::server {

// `options`: hbase::pb::Option; empty: everything.
void FillClusterStatus(Node* node, const std::set<int>& options, hbase::pb::ClusterStatus* status);

void FillRegionLoad(const TableRegions& table, const ServedRegion& region, int64_t size_bytes,
                    hbase::pb::RegionLoad* load);

// The loads of all regions of a table, or of all tables when `table` is empty.
void FillRegionLoads(Node* node, const std::string& table,
                     google::protobuf::RepeatedPtrField<hbase::pb::RegionLoad>* loads);

}  // namespace klip::server
