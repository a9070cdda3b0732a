// What region servers are told one by one, and what the master remembers: procedures, locks, decisions of its balancer.
#include <algorithm>
#include <set>
#include <utility>

#include <google/protobuf/io/coded_stream.h>

#include "hbase/admin/remote_admin.h"
#include "proto/Admin.pb.h"
#include "proto/ClusterStatus.pb.h"
#include "proto/Master.pb.h"
#include "rpc/cluster_messages.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

// "CreateTableStateData", of a google.protobuf.Any.
std::string TypeOfAny(const std::string& any) {
  constexpr uint32_t kTypeUrl = 1 << 3 | 2;
  google::protobuf::io::CodedInputStream in(reinterpret_cast<const uint8_t*>(any.data()), static_cast<int>(any.size()));
  uint32_t size = 0;
  std::string url;
  if (in.ReadTag() != kTypeUrl || !in.ReadVarint32(&size) || size > any.size() ||
      !in.ReadString(&url, static_cast<int>(size))) {
    return "";
  }
  return url.substr(url.find_last_of("./") + 1);
}

std::string_view ProcedureStateName(hbase::pb::ProcedureState state) {
  switch (state) {
    case hbase::pb::INITIALIZING:
      return "INITIALIZING";
    case hbase::pb::RUNNABLE:
      return "RUNNABLE";
    case hbase::pb::WAITING:
      return "WAITING";
    case hbase::pb::WAITING_TIMEOUT:
      return "WAITING_TIMEOUT";
    case hbase::pb::ROLLEDBACK:
      return "ROLLEDBACK";
    case hbase::pb::SUCCESS:
      return "SUCCESS";
    case hbase::pb::FAILED:
      return "FAILED";
  }
  return "";
}

ProcedureInfo ToProcedure(const hbase::pb::Procedure& message) {
  ProcedureInfo info = {.id = static_cast<int64_t>(message.proc_id()),
                        .parent_id = {},
                        .class_name = message.class_name(),
                        .state = std::string(ProcedureStateName(message.state())),
                        .owner = message.owner(),
                        .submitted_ms = static_cast<int64_t>(message.submitted_time()),
                        .last_update_ms = static_cast<int64_t>(message.last_update()),
                        .state_types = {}};
  if (message.has_parent_id()) {
    info.parent_id = static_cast<int64_t>(message.parent_id());
  }
  for (const std::string& any : message.state_message()) {
    info.state_types.push_back(TypeOfAny(any));
  }
  return info;
}

std::string_view ResourceTypeName(hbase::pb::LockedResourceType type) {
  switch (type) {
    case hbase::pb::SERVER:
      return "SERVER";
    case hbase::pb::NAMESPACE:
      return "NAMESPACE";
    case hbase::pb::TABLE:
      return "TABLE";
    case hbase::pb::REGION:
      return "REGION";
    case hbase::pb::PEER:
      return "PEER";
  }
  return "";
}

std::string NameOf(const hbase::pb::RegionInfo& region) {
  const std::string table = rpc::TableNameOf(region.table_name());
  return table == rpc::kMetaTable ? std::string(rpc::kMetaRegion)
                                  : rpc::RegionName(table, region.start_key(), static_cast<int64_t>(region.region_id()),
                                                    region.replica_id());
}

SlowCall ToSlowCall(const hbase::pb::SlowLogPayload& message) {
  return {.start_ms = message.start_time(),
          .processing_ms = message.processing_time(),
          .queue_ms = message.queue_time(),
          .response_bytes = message.response_size(),
          .block_bytes_scanned = message.block_bytes_scanned(),
          .file_read_ms = message.fs_read_time(),
          .client = message.client_address(),
          .server_class = message.server_class(),
          .method = message.method_name(),
          .call = message.call_details(),
          .parameters = message.param(),
          .user = message.user_name(),
          .region = message.region_name(),
          .gets = message.multi_gets(),
          .mutations = message.multi_mutations(),
          .service_calls = message.multi_service_calls()};
}

hbase::pb::SlowLogResponseRequest ToRequest(const SlowCallQuery& query) {
  hbase::pb::SlowLogResponseRequest request;
  if (!query.region.empty()) {
    request.set_region_name(query.region);
  }
  if (!query.table.empty()) {
    request.set_table_name(query.table);
  }
  if (!query.client.empty()) {
    request.set_client_address(query.client);
  }
  if (!query.user.empty()) {
    request.set_user_name(query.user);
  }
  request.set_limit(static_cast<uint32_t>(std::max(query.limit, 0)));
  request.set_filter_by_operator(query.match_all ? hbase::pb::SlowLogResponseRequest::AND
                                                 : hbase::pb::SlowLogResponseRequest::OR);
  request.set_log_type(query.large ? hbase::pb::SlowLogResponseRequest::LARGE_LOG
                                   : hbase::pb::SlowLogResponseRequest::SLOW_LOG);
  return request;
}

}  // namespace

Expected<std::vector<ServerName>> RemoteAdmin::LiveServers() {
  hbase::pb::GetClusterStatusRequest request;
  request.add_options(hbase::pb::SERVERS_NAME);
  hbase::pb::GetClusterStatusResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetClusterStatus", request, &response));
  return rpc::ToServerNames(response.cluster_status().servers_name());
}

template <typename Response, typename Take>
Status RemoteAdmin::AskServers(std::span<const ServerName> servers, std::string_view method,
                               const google::protobuf::MessageLite& request, Take take) {
  std::vector<ServerName> live;
  if (servers.empty()) {
    KLIP_ASSIGN_OR_RETURN(live, LiveServers());
    servers = live;
  }
  const Deadline deadline = cluster_->OperationDeadline();
  std::vector<std::pair<ServerName, CallPtr>> calls;
  for (const ServerName& server : servers) {
    calls.emplace_back(server, cluster_->StartAdmin({server.host, server.port}, method, request, deadline));
  }
  for (const auto& [server, call] : calls) {
    Response response;
    KLIP_RETURN_IF_ERROR(call->WaitFor(&response));
    take(server, response);
  }
  return Status::Ok();
}

Expected<std::vector<ProcedureInfo>> RemoteAdmin::ListProcedures() {
  hbase::pb::GetProceduresResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetProcedures", hbase::pb::GetProceduresRequest(), &response));
  std::vector<ProcedureInfo> procedures;
  for (const hbase::pb::Procedure& procedure : response.procedure()) {
    procedures.push_back(ToProcedure(procedure));
  }
  return procedures;
}

Expected<std::vector<ProcedureLock>> RemoteAdmin::ListLocks() {
  hbase::pb::GetLocksResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetLocks", hbase::pb::GetLocksRequest(), &response));
  std::vector<ProcedureLock> locks;
  for (const hbase::pb::LockedResource& message : response.lock()) {
    ProcedureLock& lock = locks.emplace_back();
    lock.resource_type = ResourceTypeName(message.resource_type());
    lock.resource_name = message.resource_name();
    lock.exclusive = message.lock_type() == hbase::pb::EXCLUSIVE;
    if (message.has_exclusive_lock_owner_procedure()) {
      lock.owner = ToProcedure(message.exclusive_lock_owner_procedure());
    }
    lock.shared_count = message.shared_lock_count();
    for (const hbase::pb::Procedure& waiting : message.waitingprocedures()) {
      lock.waiting.push_back(ToProcedure(waiting));
    }
  }
  return locks;
}

Expected<std::map<ServerName, bool>> RemoteAdmin::SetCompactions(std::span<const ServerName> servers, bool on) {
  hbase::pb::CompactionSwitchRequest request;
  request.set_enabled(on);
  std::map<ServerName, bool> before;
  KLIP_RETURN_IF_ERROR(AskServers<hbase::pb::CompactionSwitchResponse>(
      servers, "CompactionSwitch", request,
      [&](const ServerName& server, const auto& response) { before[server] = response.prev_state(); }));
  return before;
}

Status RemoteAdmin::CompactServer(const ServerName& server, bool major) {
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

Status RemoteAdmin::ClearCompactionQueues(const ServerName& server, std::span<const std::string> queues) {
  hbase::pb::ClearCompactionQueuesRequest request;
  for (const std::string& queue : queues) {
    request.add_queue_name(queue);
  }
  return AskServers<hbase::pb::ClearCompactionQueuesResponse>({&server, 1}, "ClearCompactionQueues", request,
                                                              [](const ServerName&, const auto&) {});
}

Expected<CacheEviction> RemoteAdmin::ClearBlockCache(std::string_view table) {
  std::vector<RegionPtr> regions;
  KLIP_RETURN_IF_ERROR(ListRegions(table, &regions));
  std::map<Address, hbase::pb::ClearRegionBlockCacheRequest> requests;
  for (const RegionPtr& region : regions) {
    if (!region->server.host.empty()) {
      FillRegion(*region, requests[region->server].add_region());
    }
  }
  const Deadline deadline = cluster_->OperationDeadline();
  std::vector<CallPtr> calls;
  for (const auto& [server, request] : requests) {
    calls.push_back(cluster_->StartAdmin(server, "ClearRegionBlockCache", request, deadline));
  }
  CacheEviction evicted;
  for (const CallPtr& call : calls) {
    hbase::pb::ClearRegionBlockCacheResponse response;
    KLIP_RETURN_IF_ERROR(call->WaitFor(&response));
    evicted.blocks += response.stats().evicted_blocks();
    evicted.bytes += response.stats().bytes_evicted();
    evicted.max_cache_bytes += response.stats().max_cache_size();
  }
  return evicted;
}

Expected<std::vector<SlowCall>> RemoteAdmin::GetSlowCalls(const SlowCallQuery& query) {
  std::vector<SlowCall> found;
  KLIP_RETURN_IF_ERROR(AskServers<hbase::pb::SlowLogResponses>(
      query.servers, query.large ? "GetLargeLogResponses" : "GetSlowLogResponses", ToRequest(query),
      [&](const ServerName&, const auto& response) {
        for (const hbase::pb::SlowLogPayload& one : response.slow_log_payloads()) {
          found.push_back(ToSlowCall(one));
        }
      }));
  return found;
}

Status RemoteAdmin::RollWal(const ServerName& server) {
  return AskServers<hbase::pb::RollWALWriterResponse>({&server, 1}, "RollWALWriter", hbase::pb::RollWALWriterRequest(),
                                                      [](const ServerName&, const auto&) {});
}

Status RemoteAdmin::StopServer(const ServerName& server) {
  hbase::pb::StopServerRequest request;
  request.set_reason("Called by admin client of klip");
  return AskServers<hbase::pb::StopServerResponse>({&server, 1}, "StopServer", request,
                                                   [](const ServerName&, const auto&) {});
}

Expected<std::map<ServerName, bool>> RemoteAdmin::ClearSlowCalls(std::span<const ServerName> servers) {
  std::map<ServerName, bool> cleared;
  KLIP_RETURN_IF_ERROR(AskServers<hbase::pb::ClearSlowLogResponses>(
      servers, "ClearSlowLogsResponses", hbase::pb::ClearSlowLogResponseRequest(),
      [&](const ServerName& server, const auto& response) { cleared[server] = response.is_cleaned(); }));
  return cleared;
}

template <typename Response, typename Request>
Expected<Response> RemoteAdmin::GetLogEntries(const std::string& message, int32_t limit) {
  Request wanted;
  if (limit > 0) {
    wanted.set_limit(static_cast<uint32_t>(limit));
  }
  hbase::pb::LogRequest request;
  // The master makes an object of this class.
  request.set_log_class_name("org.apache.hadoop.hbase.shaded.protobuf.generated.MasterProtos$" + message);
  wanted.SerializeToString(request.mutable_log_message());
  hbase::pb::LogEntry entry;
  KLIP_RETURN_IF_ERROR(CallMaster("GetLogEntries", request, &entry));
  Response response;
  if (!response.ParseFromString(entry.log_message())) {
    return Status(Code::kIoError, "the master's answer to " + message + " is damaged");
  }
  return response;
}

Expected<std::vector<BalancerDecision>> RemoteAdmin::GetBalancerDecisions(int32_t limit) {
  KLIP_ASSIGN_OR_RETURN(const auto response,
                        (GetLogEntries<hbase::pb::BalancerDecisionsResponse, hbase::pb::BalancerDecisionsRequest>(
                            "BalancerDecisionsRequest", limit)));
  std::vector<BalancerDecision> decisions;
  for (const hbase::pb::BalancerDecision& one : response.balancer_decision()) {
    decisions.push_back({.initial_function_costs = one.initial_function_costs(),
                         .final_function_costs = one.final_function_costs(),
                         .initial_cost = one.init_total_cost(),
                         .final_cost = one.computed_total_cost(),
                         .steps = static_cast<int64_t>(one.computed_steps()),
                         .region_plans = {one.region_plans().begin(), one.region_plans().end()}});
  }
  return decisions;
}

Expected<std::vector<BalancerRejection>> RemoteAdmin::GetBalancerRejections(int32_t limit) {
  KLIP_ASSIGN_OR_RETURN(const auto response,
                        (GetLogEntries<hbase::pb::BalancerRejectionsResponse, hbase::pb::BalancerRejectionsRequest>(
                            "BalancerRejectionsRequest", limit)));
  std::vector<BalancerRejection> rejections;
  for (const hbase::pb::BalancerRejection& one : response.balancer_rejection()) {
    rejections.push_back(
        {.reason = one.reason(), .function_costs = {one.cost_func_info().begin(), one.cost_func_info().end()}});
  }
  return rejections;
}

Status RemoteAdmin::UpdateConfiguration(std::span<const ServerName> servers) {
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
