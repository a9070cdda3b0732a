// Servers' names and metrics to messages.
#pragma once

#include <vector>

#include "klip/cluster_metrics.h"
#include "proto/Admin.pb.h"
#include "proto/ClusterStatus.pb.h"
#include "proto/TooSlowLog.pb.h"

namespace klip::rpc {

ServerName ToServerName(const hbase::pb::ServerName& message);
// Sorted.
std::vector<ServerName> ToServerNames(const google::protobuf::RepeatedPtrField<hbase::pb::ServerName>& messages);
void FillServerName(const ServerName& server, hbase::pb::ServerName* message);

RegionMetrics ToRegionMetrics(const hbase::pb::RegionLoad& message);
void FillRegionLoad(const RegionMetrics& region, hbase::pb::RegionLoad* message);

void FillReplicationSource(const ReplicationSource& source, hbase::pb::ReplicationLoadSource* message);

ClusterMetrics ToClusterMetrics(const hbase::pb::ClusterStatus& message);

SlowCall ToSlowCall(const hbase::pb::SlowLogPayload& message);
hbase::pb::SlowLogResponseRequest ToSlowLogRequest(const SlowCallQuery& query);

}  // namespace klip::rpc
