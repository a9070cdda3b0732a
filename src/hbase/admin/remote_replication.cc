// Replication peers. The master changes them in procedures, which take no nonces.
#include <utility>

#include "hbase/admin/remote_parts.h"
#include "klip/cancel.h"
#include "proto/Replication.pb.h"
#include "rpc/replication_messages.h"

namespace klip::client {

template <typename Response, typename Request>
Status RemoteReplicationAdmin::ChangePeer(std::string_view method, Request request, std::string_view id) {
  request.set_peer_id(std::string(id));
  Response response;
  const Deadline deadline = cluster_->OperationDeadline();
  KLIP_RETURN_IF_ERROR(cluster_->CallMaster(method, request, &response, deadline));
  return WaitForProcedure(response.proc_id(), deadline);
}

Status RemoteReplicationAdmin::AddReplicationPeer(std::string_view id, const ReplicationPeerConfig& config,
                                                  bool enabled) {
  hbase::pb::AddReplicationPeerRequest request;
  rpc::FillPeerConfig(config, request.mutable_peer_config());
  request.mutable_peer_state()->set_state(enabled ? hbase::pb::ReplicationState::ENABLED
                                                  : hbase::pb::ReplicationState::DISABLED);
  return ChangePeer<hbase::pb::AddReplicationPeerResponse>("AddReplicationPeer", std::move(request), id);
}

Status RemoteReplicationAdmin::RemoveReplicationPeer(std::string_view id) {
  return ChangePeer<hbase::pb::RemoveReplicationPeerResponse>("RemoveReplicationPeer",
                                                              hbase::pb::RemoveReplicationPeerRequest(), id);
}

Status RemoteReplicationAdmin::EnableReplicationPeer(std::string_view id) {
  return ChangePeer<hbase::pb::EnableReplicationPeerResponse>("EnableReplicationPeer",
                                                              hbase::pb::EnableReplicationPeerRequest(), id);
}

Status RemoteReplicationAdmin::DisableReplicationPeer(std::string_view id) {
  return ChangePeer<hbase::pb::DisableReplicationPeerResponse>("DisableReplicationPeer",
                                                               hbase::pb::DisableReplicationPeerRequest(), id);
}

Status RemoteReplicationAdmin::UpdateReplicationPeerConfig(std::string_view id, const ReplicationPeerConfig& config) {
  hbase::pb::UpdateReplicationPeerConfigRequest request;
  rpc::FillPeerConfig(config, request.mutable_peer_config());
  return ChangePeer<hbase::pb::UpdateReplicationPeerConfigResponse>("UpdateReplicationPeerConfig", std::move(request),
                                                                    id);
}

Expected<ReplicationPeerConfig> RemoteReplicationAdmin::GetReplicationPeerConfig(std::string_view id) {
  hbase::pb::GetReplicationPeerConfigRequest request;
  request.set_peer_id(std::string(id));
  hbase::pb::GetReplicationPeerConfigResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetReplicationPeerConfig", request, &response));
  return rpc::ToPeerConfig(response.peer_config());
}

Expected<std::vector<ReplicationPeer>> RemoteReplicationAdmin::ListReplicationPeers() {
  hbase::pb::ListReplicationPeersResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("ListReplicationPeers", hbase::pb::ListReplicationPeersRequest(), &response));
  std::vector<ReplicationPeer> peers;
  for (const hbase::pb::ReplicationPeerDescription& one : response.peer_desc()) {
    peers.push_back({.id = one.id(),
                     .enabled = one.state().state() == hbase::pb::ReplicationState::ENABLED,
                     .config = rpc::ToPeerConfig(one.config())});
  }
  return peers;
}

Status RemoteReplicationAdmin::DrainPeerModifications() {
  constexpr std::chrono::milliseconds kPause{100};
  const Deadline deadline = cluster_->OperationDeadline();
  while (true) {
    hbase::pb::GetReplicationPeerModificationProceduresResponse response;
    KLIP_RETURN_IF_ERROR(cluster_->CallMaster("GetReplicationPeerModificationProcedures",
                                              hbase::pb::GetReplicationPeerModificationProceduresRequest(), &response,
                                              deadline));
    if (response.procedure().empty()) {
      return Status::Ok();
    }
    if (!cluster_->Sleep(kPause, deadline)) {
      KLIP_RETURN_IF_ERROR(CancelToken::Current().status());
      return {Code::kTimedOut, std::to_string(response.procedure_size()) + " changes of peers are still running"};
    }
  }
}

}  // namespace klip::client
