// Groups of region servers: RSGroupAdminService, an endpoint that the master has if it is configured.
#include <algorithm>
#include <utility>

#include "hbase/admin/remote_parts.h"
#include "proto/Client.pb.h"
#include "proto/Master.pb.h"
#include "proto/RSGroupAdmin.pb.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

RSGroupInfo ToGroup(const hbase::pb::RSGroupInfo& message) {
  RSGroupInfo group;
  group.name = message.name();
  for (const hbase::pb::ServerName& server : message.servers()) {
    group.servers.push_back(Address{server.host_name(), static_cast<uint16_t>(server.port())}.ToString());
  }
  for (const hbase::pb::TableName& table : message.tables()) {
    group.tables.push_back(rpc::TableNameOf(table));
  }
  std::ranges::sort(group.servers);
  std::ranges::sort(group.tables);
  for (const hbase::pb::NameStringPair& pair : message.configuration()) {
    group.configuration[pair.name()] = pair.value();
  }
  return group;
}

template <typename Response>
std::optional<RSGroupInfo> GroupOf(const Response& response) {
  return response.has_r_s_group_info() ? std::optional(ToGroup(response.r_s_group_info())) : std::nullopt;
}

Status FillServer(std::string_view text, hbase::pb::ServerName* message) {
  KLIP_ASSIGN_OR_RETURN(const Address address, ParseAddress(text, 0));
  message->set_host_name(address.host);
  message->set_port(address.port);
  return Status::Ok();
}

template <typename Messages>
Status FillServers(std::span<const std::string> servers, Messages* messages) {
  for (const std::string& server : servers) {
    KLIP_RETURN_IF_ERROR(FillServer(server, messages->Add()));
  }
  return Status::Ok();
}

template <typename Messages>
void FillTables(std::span<const std::string> tables, Messages* messages) {
  for (const std::string& table : tables) {
    rpc::FillTableName(table, messages->Add());
  }
}

}  // namespace

template <typename Response, typename Request>
Expected<Response> RemoteRSGroupAdmin::CallGroups(const std::string& method, const Request& message) {
  hbase::pb::CoprocessorServiceRequest request;
  request.mutable_region()->set_type(hbase::pb::RegionSpecifier::REGION_NAME);
  request.mutable_region()->set_value("");
  hbase::pb::CoprocessorServiceCall* call = request.mutable_call();
  call->set_row("");
  call->set_service_name("RSGroupAdminService");
  call->set_method_name(method);
  message.SerializeToString(call->mutable_request());
  hbase::pb::CoprocessorServiceResponse answer;
  KLIP_RETURN_IF_ERROR(CallMaster("ExecMasterService", request, &answer));
  Response response;
  if (!response.ParseFromString(answer.value().value())) {
    return Status(Code::kIoError, "the master's answer to " + method + " is damaged");
  }
  return response;
}

Expected<std::vector<RSGroupInfo>> RemoteRSGroupAdmin::ListRSGroups() {
  KLIP_ASSIGN_OR_RETURN(const auto response, CallGroups<hbase::pb::ListRSGroupInfosResponse>(
                                                 "ListRSGroupInfos", hbase::pb::ListRSGroupInfosRequest()));
  std::vector<RSGroupInfo> groups;
  for (const hbase::pb::RSGroupInfo& group : response.r_s_group_info()) {
    groups.push_back(ToGroup(group));
  }
  std::ranges::sort(groups, {}, &RSGroupInfo::name);
  return groups;
}

Expected<std::optional<RSGroupInfo>> RemoteRSGroupAdmin::GetRSGroup(std::string_view name) {
  hbase::pb::GetRSGroupInfoRequest request;
  request.set_r_s_group_name(std::string(name));
  KLIP_ASSIGN_OR_RETURN(const auto response, CallGroups<hbase::pb::GetRSGroupInfoResponse>("GetRSGroupInfo", request));
  return GroupOf(response);
}

Expected<std::optional<RSGroupInfo>> RemoteRSGroupAdmin::GetRSGroupOfServer(std::string_view server) {
  hbase::pb::GetRSGroupInfoOfServerRequest request;
  KLIP_RETURN_IF_ERROR(FillServer(server, request.mutable_server()));
  KLIP_ASSIGN_OR_RETURN(const auto response,
                        CallGroups<hbase::pb::GetRSGroupInfoOfServerResponse>("GetRSGroupInfoOfServer", request));
  return GroupOf(response);
}

Expected<std::optional<RSGroupInfo>> RemoteRSGroupAdmin::GetRSGroupOfTable(std::string_view table) {
  hbase::pb::GetRSGroupInfoOfTableRequest request;
  rpc::FillTableName(table, request.mutable_table_name());
  KLIP_ASSIGN_OR_RETURN(const auto response,
                        CallGroups<hbase::pb::GetRSGroupInfoOfTableResponse>("GetRSGroupInfoOfTable", request));
  return GroupOf(response);
}

Status RemoteRSGroupAdmin::AddRSGroup(std::string_view name) {
  hbase::pb::AddRSGroupRequest request;
  request.set_r_s_group_name(std::string(name));
  return CallGroups<hbase::pb::AddRSGroupResponse>("AddRSGroup", request).status();
}

Status RemoteRSGroupAdmin::RemoveRSGroup(std::string_view name) {
  hbase::pb::RemoveRSGroupRequest request;
  request.set_r_s_group_name(std::string(name));
  return CallGroups<hbase::pb::RemoveRSGroupResponse>("RemoveRSGroup", request).status();
}

Status RemoteRSGroupAdmin::RenameRSGroup(std::string_view name, std::string_view new_name) {
  hbase::pb::RenameRSGroupRequest request;
  request.set_old_rsgroup_name(std::string(name));
  request.set_new_rsgroup_name(std::string(new_name));
  return CallGroups<hbase::pb::RenameRSGroupResponse>("RenameRSGroup", request).status();
}

Status RemoteRSGroupAdmin::UpdateRSGroupConfig(std::string_view name,
                                               const std::map<std::string, std::string>& configuration) {
  hbase::pb::UpdateRSGroupConfigRequest request;
  request.set_group_name(std::string(name));
  for (const auto& [key, value] : configuration) {
    hbase::pb::NameStringPair* pair = request.add_configuration();
    pair->set_name(key);
    pair->set_value(value);
  }
  return CallGroups<hbase::pb::UpdateRSGroupConfigResponse>("UpdateRSGroupConfig", request).status();
}

Expected<BalanceResult> RemoteRSGroupAdmin::BalanceRSGroup(std::string_view name, const BalanceOptions& options) {
  hbase::pb::BalanceRSGroupRequest request;
  request.set_r_s_group_name(std::string(name));
  request.set_ignore_rit(options.ignore_regions_in_transition);
  request.set_dry_run(options.dry_run);
  KLIP_ASSIGN_OR_RETURN(const auto response, CallGroups<hbase::pb::BalanceRSGroupResponse>("BalanceRSGroup", request));
  return BalanceResult{.ran = response.balanceran(),
                       .moves_planned = static_cast<int32_t>(response.moves_calculated()),
                       .moves_made = static_cast<int32_t>(response.moves_executed())};
}

Status RemoteRSGroupAdmin::MoveToRSGroup(std::string_view name, std::span<const std::string> servers,
                                         std::span<const std::string> tables) {
  if (tables.empty()) {
    hbase::pb::MoveServersRequest request;
    request.set_target_group(std::string(name));
    KLIP_RETURN_IF_ERROR(FillServers(servers, request.mutable_servers()));
    return CallGroups<hbase::pb::MoveServersResponse>("MoveServers", request).status();
  }
  if (servers.empty()) {
    hbase::pb::MoveTablesRequest request;
    request.set_target_group(std::string(name));
    FillTables(tables, request.mutable_table_name());
    return CallGroups<hbase::pb::MoveTablesResponse>("MoveTables", request).status();
  }
  hbase::pb::MoveServersAndTablesRequest request;
  request.set_target_group(std::string(name));
  KLIP_RETURN_IF_ERROR(FillServers(servers, request.mutable_servers()));
  FillTables(tables, request.mutable_table_name());
  return CallGroups<hbase::pb::MoveServersAndTablesResponse>("MoveServersAndTables", request).status();
}

Status RemoteRSGroupAdmin::RemoveServersFromRSGroup(std::span<const std::string> servers) {
  hbase::pb::RemoveServersRequest request;
  KLIP_RETURN_IF_ERROR(FillServers(servers, request.mutable_servers()));
  return CallGroups<hbase::pb::RemoveServersResponse>("RemoveServers", request).status();
}

}  // namespace klip::client
