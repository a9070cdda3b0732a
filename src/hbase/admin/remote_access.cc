// Permissions, which the master's AccessController stores, and visibility labels, through an endpoint of their table.
#include <string>
#include <utility>

#include "hbase/admin/remote_parts.h"
#include "proto/Client.pb.h"
#include "proto/Master.pb.h"
#include "proto/VisibilityLabels.pb.h"
#include "rpc/access_messages.h"

namespace klip::client {
namespace {

// The first error among the service's results for the labels.
Status StatusOf(const hbase::pb::VisibilityLabelsResponse& response) {
  std::string refused;
  for (const hbase::pb::RegionActionResult& result : response.result()) {
    if (result.has_exception()) {
      refused += refused.empty() ? "" : "; ";
      refused += FailureOf(result.exception()).status.message();
    }
  }
  return refused.empty() ? Status() : Status(Code::kDoNotRetry, std::move(refused));
}

hbase::pb::SetAuthsRequest AuthsRequest(std::string_view user, std::span<const std::string> labels) {
  hbase::pb::SetAuthsRequest request;
  request.set_user(user.data(), user.size());
  *request.mutable_auth() = {labels.begin(), labels.end()};
  return request;
}

}  // namespace

Status RemoteSecurityAdmin::Grant(const UserPermission& permission, bool merge) {
  hbase::pb::GrantRequest request;
  KLIP_RETURN_IF_ERROR(rpc::FillPermission(permission, request.mutable_user_permission()));
  request.set_merge_existing_permissions(merge);
  hbase::pb::GrantResponse response;
  return CallMaster("Grant", request, &response);
}

Status RemoteSecurityAdmin::Revoke(const UserPermission& permission) {
  hbase::pb::RevokeRequest request;
  KLIP_RETURN_IF_ERROR(rpc::FillPermission(permission, request.mutable_user_permission()));
  hbase::pb::RevokeResponse response;
  return CallMaster("Revoke", request, &response);
}

Expected<std::vector<UserPermission>> RemoteSecurityAdmin::GetUserPermissions(const UserPermission& with) {
  hbase::pb::UserPermission asked;
  KLIP_RETURN_IF_ERROR(rpc::FillPermission(with, &asked));
  const hbase::pb::Permission& permission = asked.permission();
  hbase::pb::GetUserPermissionsRequest request;
  request.set_type(permission.type());
  if (permission.has_namespace_permission()) {
    request.set_namespace_name(permission.namespace_permission().namespace_name());
  }
  if (permission.has_table_permission()) {
    const hbase::pb::TablePermission& table = permission.table_permission();
    *request.mutable_table_name() = table.table_name();
    if (table.has_family()) {
      request.set_column_family(table.family());
    }
    if (table.has_qualifier()) {
      request.set_column_qualifier(table.qualifier());
    }
  }
  if (!with.user.empty()) {
    request.set_user_name(with.user);
  }
  hbase::pb::GetUserPermissionsResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetUserPermissions", request, &response));
  std::vector<UserPermission> permissions;
  for (const hbase::pb::UserPermission& one : response.user_permission()) {
    permissions.push_back(rpc::ToPermission(one));
  }
  return permissions;
}

template <typename Response, typename Request>
Expected<Response> RemoteLabelAdmin::CallLabels(const std::string& method, const Request& message) {
  const std::string table = "hbase:labels";
  hbase::pb::CoprocessorServiceRequest request;
  hbase::pb::CoprocessorServiceCall* call = request.mutable_call();
  call->set_row("");
  call->set_service_name("VisibilityLabelsService");
  call->set_method_name(method);
  message.SerializeToString(call->mutable_request());
  Reply reply;
  const Status called = cluster_->CallRow(
      {.table = &table, .row = {}, .method = "ExecService", .request = &request, .region = request.mutable_region()},
      &reply);
  if (called.code() == Code::kTableNotFound) {
    return Status(Code::kUnsupported, "DISABLED: Visibility labels feature is not available");
  }
  KLIP_RETURN_IF_ERROR(called);
  hbase::pb::CoprocessorServiceResponse answer;
  KLIP_RETURN_IF_ERROR(reply.Parse(&answer));
  Response response;
  if (!response.ParseFromString(answer.value().value())) {
    return Status(Code::kIoError, "the answer of hbase:labels to " + method + " is damaged");
  }
  return response;
}

Status RemoteLabelAdmin::AddLabels(std::span<const std::string> labels) {
  hbase::pb::VisibilityLabelsRequest request;
  for (const std::string& label : labels) {
    request.add_vislabel()->set_label(label);
  }
  KLIP_ASSIGN_OR_RETURN(const auto response, CallLabels<hbase::pb::VisibilityLabelsResponse>("addLabels", request));
  return StatusOf(response);
}

Expected<std::vector<std::string>> RemoteLabelAdmin::ListLabels(std::string_view regex) {
  hbase::pb::ListLabelsRequest request;
  if (!regex.empty()) {
    request.set_regex(regex.data(), regex.size());
  }
  KLIP_ASSIGN_OR_RETURN(const auto response, CallLabels<hbase::pb::ListLabelsResponse>("listLabels", request));
  return std::vector<std::string>(response.label().begin(), response.label().end());
}

Status RemoteLabelAdmin::SetAuths(std::string_view user, std::span<const std::string> labels) {
  KLIP_ASSIGN_OR_RETURN(const auto response,
                        CallLabels<hbase::pb::VisibilityLabelsResponse>("setAuths", AuthsRequest(user, labels)));
  return StatusOf(response);
}

Status RemoteLabelAdmin::ClearAuths(std::string_view user, std::span<const std::string> labels) {
  KLIP_ASSIGN_OR_RETURN(const auto response,
                        CallLabels<hbase::pb::VisibilityLabelsResponse>("clearAuths", AuthsRequest(user, labels)));
  return StatusOf(response);
}

Expected<std::vector<std::string>> RemoteLabelAdmin::GetAuths(std::string_view user) {
  hbase::pb::GetAuthsRequest request;
  request.set_user(user.data(), user.size());
  KLIP_ASSIGN_OR_RETURN(const auto response, CallLabels<hbase::pb::GetAuthsResponse>("getAuths", request));
  return std::vector<std::string>(response.auth().begin(), response.auth().end());
}

}  // namespace klip::client
