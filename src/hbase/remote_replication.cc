// Replication peers. The master changes them by procedures, none of which takes a nonce.
#include <utility>

#include "hbase/remote_admin.h"
#include "klip/cancel.h"
#include "proto/Replication.pb.h"
#include "rpc/names.h"

namespace klip::client {
namespace {

template <typename Messages>
TableFamilies ToTableFamilies(const Messages& messages) {
  TableFamilies tables;
  for (const hbase::pb::TableCF& message : messages) {
    tables[rpc::TableNameOf(message.table_name())] = {message.families().begin(), message.families().end()};
  }
  return tables;
}

template <typename Messages>
void FillTableFamilies(const TableFamilies& tables, Messages* messages) {
  for (const auto& [table, families] : tables) {
    hbase::pb::TableCF* message = messages->Add();
    rpc::FillTableName(table, message->mutable_table_name());
    for (const std::string& family : families) {
      message->add_families(family);
    }
  }
}

ReplicationPeerConfig ToPeerConfig(const hbase::pb::ReplicationPeer& message) {
  ReplicationPeerConfig config;
  config.cluster_key = message.clusterkey();
  config.endpoint_class = message.replicationendpointimpl();
  for (const hbase::pb::NameStringPair& pair : message.configuration()) {
    config.configuration[pair.name()] = pair.value();
  }
  for (const hbase::pb::BytesBytesPair& pair : message.data()) {
    config.data[pair.first()] = pair.second();
  }
  config.replicate_all = !message.has_replicate_all() || message.replicate_all();
  config.table_families = ToTableFamilies(message.table_cfs());
  config.namespaces = {message.namespaces().begin(), message.namespaces().end()};
  config.exclude_table_families = ToTableFamilies(message.exclude_table_cfs());
  config.exclude_namespaces = {message.exclude_namespaces().begin(), message.exclude_namespaces().end()};
  config.bandwidth = message.bandwidth();
  config.serial = message.serial();
  return config;
}

void FillPeerConfig(const ReplicationPeerConfig& config, hbase::pb::ReplicationPeer* message) {
  if (!config.cluster_key.empty()) {
    message->set_clusterkey(config.cluster_key);
  }
  if (!config.endpoint_class.empty()) {
    message->set_replicationendpointimpl(config.endpoint_class);
  }
  for (const auto& [name, value] : config.configuration) {
    hbase::pb::NameStringPair* pair = message->add_configuration();
    pair->set_name(name);
    pair->set_value(value);
  }
  for (const auto& [first, second] : config.data) {
    hbase::pb::BytesBytesPair* pair = message->add_data();
    pair->set_first(first);
    pair->set_second(second);
  }
  message->set_replicate_all(config.replicate_all);
  FillTableFamilies(config.table_families, message->mutable_table_cfs());
  for (const std::string& one : config.namespaces) {
    message->add_namespaces(one);
  }
  FillTableFamilies(config.exclude_table_families, message->mutable_exclude_table_cfs());
  for (const std::string& one : config.exclude_namespaces) {
    message->add_exclude_namespaces(one);
  }
  message->set_bandwidth(config.bandwidth);
  message->set_serial(config.serial);
}

}  // namespace

template <typename Response, typename Request>
Status RemoteAdmin::ChangePeer(std::string_view method, Request request, std::string_view id) {
  request.set_peer_id(std::string(id));
  Response response;
  const Deadline deadline = cluster_->OperationDeadline();
  KLIP_RETURN_IF_ERROR(cluster_->CallMaster(method, request, &response, deadline));
  return WaitForProcedure(response.proc_id(), deadline);
}

Status RemoteAdmin::AddReplicationPeer(std::string_view id, const ReplicationPeerConfig& config, bool enabled) {
  hbase::pb::AddReplicationPeerRequest request;
  FillPeerConfig(config, request.mutable_peer_config());
  request.mutable_peer_state()->set_state(enabled ? hbase::pb::ReplicationState::ENABLED
                                                  : hbase::pb::ReplicationState::DISABLED);
  return ChangePeer<hbase::pb::AddReplicationPeerResponse>("AddReplicationPeer", std::move(request), id);
}

Status RemoteAdmin::RemoveReplicationPeer(std::string_view id) {
  return ChangePeer<hbase::pb::RemoveReplicationPeerResponse>("RemoveReplicationPeer",
                                                              hbase::pb::RemoveReplicationPeerRequest(), id);
}

Status RemoteAdmin::EnableReplicationPeer(std::string_view id) {
  return ChangePeer<hbase::pb::EnableReplicationPeerResponse>("EnableReplicationPeer",
                                                              hbase::pb::EnableReplicationPeerRequest(), id);
}

Status RemoteAdmin::DisableReplicationPeer(std::string_view id) {
  return ChangePeer<hbase::pb::DisableReplicationPeerResponse>("DisableReplicationPeer",
                                                               hbase::pb::DisableReplicationPeerRequest(), id);
}

Status RemoteAdmin::UpdateReplicationPeerConfig(std::string_view id, const ReplicationPeerConfig& config) {
  hbase::pb::UpdateReplicationPeerConfigRequest request;
  FillPeerConfig(config, request.mutable_peer_config());
  return ChangePeer<hbase::pb::UpdateReplicationPeerConfigResponse>("UpdateReplicationPeerConfig", std::move(request),
                                                                    id);
}

Expected<ReplicationPeerConfig> RemoteAdmin::GetReplicationPeerConfig(std::string_view id) {
  hbase::pb::GetReplicationPeerConfigRequest request;
  request.set_peer_id(std::string(id));
  hbase::pb::GetReplicationPeerConfigResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("GetReplicationPeerConfig", request, &response));
  return ToPeerConfig(response.peer_config());
}

Expected<std::vector<ReplicationPeer>> RemoteAdmin::ListReplicationPeers() {
  hbase::pb::ListReplicationPeersResponse response;
  KLIP_RETURN_IF_ERROR(CallMaster("ListReplicationPeers", hbase::pb::ListReplicationPeersRequest(), &response));
  std::vector<ReplicationPeer> peers;
  for (const hbase::pb::ReplicationPeerDescription& one : response.peer_desc()) {
    peers.push_back({.id = one.id(),
                     .enabled = one.state().state() == hbase::pb::ReplicationState::ENABLED,
                     .config = ToPeerConfig(one.config())});
  }
  return peers;
}

Status RemoteAdmin::DrainPeerModifications() {
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
      return {Code::kTimedOut, std::to_string(response.procedure_size()) + " changes of peers are still under way"};
    }
  }
}

}  // namespace klip::client
