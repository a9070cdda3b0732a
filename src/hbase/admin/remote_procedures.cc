// RemoteClusterAdmin: what the master has in memory: procedures, locks, and the decisions of its balancer.
#include <utility>

#include <google/protobuf/io/coded_stream.h>

#include "hbase/admin/remote_parts.h"
#include "proto/Master.pb.h"
#include "rpc/cluster_messages.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

// "CreateTableStateData", from a google.protobuf.Any.
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

}  // namespace

Expected<std::vector<ProcedureInfo>> RemoteClusterAdmin::ListProcedures() {
  hbase::pb::GetProceduresResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetProcedures", hbase::pb::GetProceduresRequest(), &response));
  std::vector<ProcedureInfo> procedures;
  for (const hbase::pb::Procedure& procedure : response.procedure()) {
    procedures.push_back(ToProcedure(procedure));
  }
  return procedures;
}

Expected<std::vector<ProcedureLock>> RemoteClusterAdmin::ListLocks() {
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

template <typename Response, typename Request>
Expected<Response> RemoteClusterAdmin::GetLogEntries(const std::string& message, int32_t limit) {
  Request wanted;
  if (limit > 0) {
    wanted.set_limit(static_cast<uint32_t>(limit));
  }
  hbase::pb::LogRequest request;
  // The master instantiates this class.
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

Expected<std::vector<BalancerDecision>> RemoteClusterAdmin::GetBalancerDecisions(int32_t limit) {
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

Expected<std::vector<BalancerRejection>> RemoteClusterAdmin::GetBalancerRejections(int32_t limit) {
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

}  // namespace klip::client
