// MasterService: replication peers.
#include <string>
#include <utility>

#include "engine/store/peers.h"
#include "klip/filter.h"
#include "proto/Master.pb.h"
#include "proto/Replication.pb.h"
#include "rpc/replication_messages.h"
#include "server/master/master_service.h"

namespace klip::server {
namespace {

using namespace hbase::pb;  // NOLINT(google-build-using-namespace): a list of its messages

// The store names a class of HBase that has no Code.
rpc::Error ToError(const Status& status) {
  constexpr std::string_view kPackage = "org.apache.hadoop.hbase.";
  constexpr std::string_view kNotFound = "ReplicationPeerNotFoundException";
  const std::string_view text = status.message();
  const size_t colon = text.find(": ");
  if (colon != std::string_view::npos && text.substr(0, colon) == std::string(kPackage).append(kNotFound)) {
    return rpc::Error::Hbase(kNotFound, std::string(text.substr(colon + 2)), true);
  }
  return status;
}

// Changes a peer, as a procedure: as in HBase, clients get its error when they poll it.
template <typename Request, typename Response, typename Change>
void AddChange(Node* node, MethodTable* methods, const char* name, Change change) {
  methods->Add<Request, Response>(
      name, [node, change](const Request& request, Response* response, Call*) -> rpc::Error {
        const Expected<bool> allowed = node->admin().cluster().IsSwitchOn(MasterSwitch::kPeerModification);
        if (!allowed.ok() || !*allowed) {
          return Status(Code::kIoError, "Replication peer modification disabled");
        }
        const uint64_t id = node->procedures.Begin(/*group=*/0, /*nonce=*/0, node->NowMs()).id;
        const Status changed = change(node->admin().replication(), request);
        if (changed.ok()) {
          node->sources->Refresh();
        }
        node->procedures.Finish(id, ToError(changed));
        response->set_proc_id(id);
        return {};
      });
}

rpc::Error ListPeers(Node* node, const ListReplicationPeersRequest& request, ListReplicationPeersResponse* response) {
  Expected<std::vector<klip::ReplicationPeer>> peers = node->admin().replication().ListReplicationPeers();
  if (!peers.ok()) {
    return peers.status();
  }
  Expected<ComparatorPtr> pattern = ComparatorPtr();
  if (request.has_regex() && !request.regex().empty()) {
    pattern = RegexStringComparator({.pattern = "^(?:" + request.regex() + ")$"});
    KLIP_RPC_RETURN_IF_ERROR(pattern.status());
  }
  for (const klip::ReplicationPeer& peer : *peers) {
    if (*pattern != nullptr && (*pattern)->CompareTo(peer.id) != 0) {
      continue;
    }
    ReplicationPeerDescription* description = response->add_peer_desc();
    description->set_id(peer.id);
    description->mutable_state()->set_state(peer.enabled ? ReplicationState::ENABLED : ReplicationState::DISABLED);
    rpc::FillPeerConfig(peer.config, description->mutable_config());
  }
  return {};
}

rpc::Error GetPeerState(Node* node, const GetReplicationPeerStateRequest& request,
                        GetReplicationPeerStateResponse* response) {
  const Expected<klip::ReplicationPeer> peer = node->store().peers().Find(request.peer_id());
  if (!peer.ok()) {
    return ToError(peer.status());
  }
  response->set_is_enabled(peer->enabled);
  return {};
}

rpc::Error GetPeerConfig(Node* node, const GetReplicationPeerConfigRequest& request,
                         GetReplicationPeerConfigResponse* response) {
  const Expected<ReplicationPeerConfig> config =
      node->admin().replication().GetReplicationPeerConfig(request.peer_id());
  if (!config.ok()) {
    return ToError(config.status());
  }
  response->set_peer_id(request.peer_id());
  rpc::FillPeerConfig(*config, response->mutable_peer_config());
  return {};
}

}  // namespace

void AddPeerMethods(Node* node, MethodTable* methods) {
  AddChange<AddReplicationPeerRequest, AddReplicationPeerResponse>(
      node, methods, "AddReplicationPeer", [](ReplicationAdmin& admin, const AddReplicationPeerRequest& request) {
        return admin.AddReplicationPeer(request.peer_id(), rpc::ToPeerConfig(request.peer_config()),
                                        request.peer_state().state() == ReplicationState::ENABLED);
      });
  AddChange<RemoveReplicationPeerRequest, RemoveReplicationPeerResponse>(
      node, methods, "RemoveReplicationPeer",
      [](ReplicationAdmin& admin, const auto& request) { return admin.RemoveReplicationPeer(request.peer_id()); });
  AddChange<EnableReplicationPeerRequest, EnableReplicationPeerResponse>(
      node, methods, "EnableReplicationPeer",
      [](ReplicationAdmin& admin, const auto& request) { return admin.EnableReplicationPeer(request.peer_id()); });
  AddChange<DisableReplicationPeerRequest, DisableReplicationPeerResponse>(
      node, methods, "DisableReplicationPeer",
      [](ReplicationAdmin& admin, const auto& request) { return admin.DisableReplicationPeer(request.peer_id()); });
  AddChange<UpdateReplicationPeerConfigRequest, UpdateReplicationPeerConfigResponse>(
      node, methods, "UpdateReplicationPeerConfig", [](ReplicationAdmin& admin, const auto& request) {
        return admin.UpdateReplicationPeerConfig(request.peer_id(), rpc::ToPeerConfig(request.peer_config()));
      });
  methods->Add<ListReplicationPeersRequest, ListReplicationPeersResponse>(
      "ListReplicationPeers",
      [node](const auto& request, auto* response, Call*) { return ListPeers(node, request, response); });
  methods->Add<GetReplicationPeerStateRequest, GetReplicationPeerStateResponse>(
      "IsReplicationPeerEnabled",
      [node](const auto& request, auto* response, Call*) { return GetPeerState(node, request, response); });
  methods->Add<GetReplicationPeerConfigRequest, GetReplicationPeerConfigResponse>(
      "GetReplicationPeerConfig",
      [node](const auto& request, auto* response, Call*) { return GetPeerConfig(node, request, response); });
  methods->Add<ReplicationPeerModificationSwitchRequest, ReplicationPeerModificationSwitchResponse>(
      "ReplicationPeerModificationSwitch",
      [node](const auto& request, ReplicationPeerModificationSwitchResponse* response, Call*) -> rpc::Error {
        const Expected<bool> before = node->admin().cluster().SetSwitch(MasterSwitch::kPeerModification, request.on());
        response->set_previous_value(before.ok() && *before);
        return before.status();
      });
  methods->Add<IsReplicationPeerModificationEnabledRequest, IsReplicationPeerModificationEnabledResponse>(
      "IsReplicationPeerModificationEnabled",
      [node](const auto&, IsReplicationPeerModificationEnabledResponse* response, Call*) -> rpc::Error {
        const Expected<bool> on = node->admin().cluster().IsSwitchOn(MasterSwitch::kPeerModification);
        response->set_enabled(on.ok() && *on);
        return on.status();
      });
  // A change is complete when its call returns.
  methods->Add<GetReplicationPeerModificationProceduresRequest, GetReplicationPeerModificationProceduresResponse>(
      "GetReplicationPeerModificationProcedures", [](const auto&, auto*, Call*) -> rpc::Error { return {}; });
}

}  // namespace klip::server
