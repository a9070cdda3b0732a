// RemoteServerAdmin: calls to individual region servers.
#include <algorithm>
#include <set>
#include <utility>

#include "hbase/admin/remote_parts.h"
#include "proto/Admin.pb.h"
#include "proto/ClusterStatus.pb.h"
#include "proto/Master.pb.h"
#include "rpc/cluster_messages.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

std::string NameOf(const hbase::pb::RegionInfo& region) {
  const std::string table = rpc::TableNameOf(region.table_name());
  return table == rpc::kMetaTable ? std::string(rpc::kMetaRegion)
                                  : rpc::RegionName(table, region.start_key(), static_cast<int64_t>(region.region_id()),
                                                    region.replica_id());
}

}  // namespace

Expected<std::map<ServerName, bool>> RemoteServerAdmin::SetCompactions(std::span<const ServerName> servers, bool on) {
  hbase::pb::CompactionSwitchRequest request;
  request.set_enabled(on);
  std::map<ServerName, bool> before;
  KLIP_RETURN_IF_ERROR(AskServers<hbase::pb::CompactionSwitchResponse>(
      servers, "CompactionSwitch", request,
      [&](const ServerName& server, const auto& response) { before[server] = response.prev_state(); }));
  return before;
}

Status RemoteServerAdmin::CompactServer(const ServerName& server, bool major) {
  const Deadline deadline = cluster_->OperationDeadline();
  const Address address = {server.host, server.port};
  hbase::pb::GetOnlineRegionResponse online;
  KLIP_RETURN_IF_ERROR(cluster_->StartAdmin(address, "GetOnlineRegion", hbase::pb::GetOnlineRegionRequest(), deadline)
                           ->WaitFor(&online));
  std::vector<CallPtr> calls;
  for (const hbase::pb::RegionInfo& region : online.region_info()) {
    if (region.replica_id() > 0) {
      continue;  // reads the files of the region
    }
    hbase::pb::CompactRegionRequest compact;
    compact.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
    compact.mutable_region()->set_value(NameOf(region));
    compact.set_major(major);
    calls.push_back(cluster_->StartAdmin(address, "CompactRegion", compact, deadline));
  }
  for (const CallPtr& call : calls) {
    hbase::pb::CompactRegionResponse compacted;
    KLIP_RETURN_IF_ERROR(call->WaitFor(&compacted));
  }
  return Status::Ok();
}

Status RemoteServerAdmin::ClearCompactionQueues(const ServerName& server, std::span<const std::string> queues) {
  hbase::pb::ClearCompactionQueuesRequest request;
  for (const std::string& queue : queues) {
    request.add_queue_name(queue);
  }
  return AskServers<hbase::pb::ClearCompactionQueuesResponse>({&server, 1}, "ClearCompactionQueues", request,
                                                              [](const ServerName&, const auto&) {});
}

Expected<std::vector<SlowCall>> RemoteServerAdmin::GetSlowCalls(const SlowCallQuery& query) {
  std::vector<SlowCall> found;
  KLIP_RETURN_IF_ERROR(AskServers<hbase::pb::SlowLogResponses>(
      query.servers, query.large ? "GetLargeLogResponses" : "GetSlowLogResponses", rpc::ToSlowLogRequest(query),
      [&](const ServerName&, const auto& response) {
        for (const hbase::pb::SlowLogPayload& one : response.slow_log_payloads()) {
          found.push_back(rpc::ToSlowCall(one));
        }
      }));
  return found;
}

Status RemoteServerAdmin::RollWal(const ServerName& server) {
  return AskServers<hbase::pb::RollWALWriterResponse>({&server, 1}, "RollWALWriter", hbase::pb::RollWALWriterRequest(),
                                                      [](const ServerName&, const auto&) {});
}

Status RemoteServerAdmin::StopServer(const ServerName& server) {
  hbase::pb::StopServerRequest request;
  request.set_reason("Called by admin client of klip");
  return AskServers<hbase::pb::StopServerResponse>({&server, 1}, "StopServer", request,
                                                   [](const ServerName&, const auto&) {});
}

Expected<std::map<ServerName, bool>> RemoteServerAdmin::ClearSlowCalls(std::span<const ServerName> servers) {
  std::map<ServerName, bool> cleared;
  KLIP_RETURN_IF_ERROR(AskServers<hbase::pb::ClearSlowLogResponses>(
      servers, "ClearSlowLogsResponses", hbase::pb::ClearSlowLogResponseRequest(),
      [&](const ServerName& server, const auto& response) { cleared[server] = response.is_cleaned(); }));
  return cleared;
}

Status RemoteServerAdmin::UpdateConfiguration(std::span<const ServerName> servers) {
  std::vector<ServerName> all;
  if (servers.empty()) {
    hbase::pb::GetClusterStatusRequest request;
    for (const hbase::pb::Option option : {hbase::pb::SERVERS_NAME, hbase::pb::MASTER, hbase::pb::BACKUP_MASTERS}) {
      request.add_options(option);
    }
    hbase::pb::GetClusterStatusResponse response;
    KLIP_RETURN_IF_ERROR(CallMaster("GetClusterStatus", request, &response));
    const hbase::pb::ClusterStatus& status = response.cluster_status();
    std::set<ServerName> once;  // klip is its own master
    for (const auto* part : {&status.servers_name(), &status.backup_masters()}) {
      const std::vector<ServerName> names = rpc::ToServerNames(*part);
      once.insert(names.begin(), names.end());
    }
    if (status.has_master()) {
      once.insert(rpc::ToServerName(status.master()));
    }
    all.assign(once.begin(), once.end());
    servers = all;
  }
  return AskServers<hbase::pb::UpdateConfigurationResponse>(
      servers, "UpdateConfiguration", hbase::pb::UpdateConfigurationRequest(), [](const ServerName&, const auto&) {});
}

}  // namespace klip::client
