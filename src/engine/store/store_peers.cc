// Peers of replication: who they are and where they stand in the log, and which log files are kept for them.
#include <algorithm>
#include <utility>

#include "engine/layout/rocksdb_status.h"
#include "engine/store/catalog.h"
#include "engine/store/store_rep.h"

namespace klip::engine {
namespace {

Status NoSuchPeer(std::string_view id) {
  return {Code::kDoNotRetry, "org.apache.hadoop.hbase.ReplicationPeerNotFoundException: " + std::string(id)};
}

}  // namespace

Status Store::Rep::ReadPeers() {
  const std::lock_guard lock(peers_mutex);
  KLIP_ASSIGN_OR_RETURN(peers, ReadPeerRecords(env, options.path));
  return DropPassedLogs();
}

Status Store::Rep::SavePeers(PeerRecords next) {
  const std::string directory = options.path + "/" + kReplicationDirectory;
  KLIP_RETURN_IF_ERROR(FromRocks(env->CreateDirIfMissing(directory), "creating " + directory));
  KLIP_RETURN_IF_ERROR(SaveFile(directory, kPeersName, Seal(PeersToJson(next))));
  peers = std::move(next);
  database->logs->Keep(!peers.empty());
  return DropPassedLogs();
}

Status Store::Rep::DropPassedLogs() {
  uint64_t needed = UINT64_MAX;
  for (const auto& [id, record] : peers) {
    needed = std::min(needed, record.position.log);
  }
  return DropKeptLogs(env, options.path, needed);
}

Status Store::AddPeer(const ReplicationPeer& peer) {
  const std::lock_guard lock(rep_->peers_mutex);
  if (rep_->peers.contains(peer.id)) {
    return {Code::kDoNotRetry, "Replication peer " + peer.id + " already exists"};
  }
  const std::string directory = rep_->options.path + "/" + kReplicationDirectory;
  KLIP_RETURN_IF_ERROR(FromRocks(rep_->env->CreateDirIfMissing(directory), "creating " + directory));
  rep_->database->logs->Keep(true);
  // From here on: what is written once the caller knows of the peer comes behind this, in this file or a later one.
  LogPosition position = {.sequence = rep_->db->GetLatestSequenceNumber()};
  KLIP_ASSIGN_OR_RETURN(const std::vector<uint64_t> logs, LogNumbers(rep_->env, rep_->options.path));
  position.log = logs.empty() ? 0 : logs.back();
  PeerRecords next = rep_->peers;
  next[peer.id] = {peer, position};
  const Status saved = rep_->SavePeers(std::move(next));
  if (!saved.ok()) {
    rep_->database->logs->Keep(!rep_->peers.empty());
  }
  return saved;
}

Status Store::Rep::ChangePeer(std::string_view id, const std::function<Status(PeerRecord*)>& change) {
  const std::lock_guard lock(peers_mutex);
  PeerRecords next = peers;
  const auto at = next.find(id);
  if (at == next.end()) {
    return NoSuchPeer(id);
  }
  KLIP_RETURN_IF_ERROR(change(&at->second));
  return SavePeers(std::move(next));
}

Status Store::RemovePeer(std::string_view id) {
  const std::lock_guard lock(rep_->peers_mutex);
  PeerRecords next = rep_->peers;
  const auto at = next.find(id);
  if (at == next.end()) {
    return NoSuchPeer(id);
  }
  next.erase(at);
  return rep_->SavePeers(std::move(next));
}

Status Store::SetPeerEnabled(std::string_view id, bool enabled) {
  return rep_->ChangePeer(id, [&](PeerRecord* record) {
    if (record->peer.enabled == enabled) {
      return Status(Code::kDoNotRetry,
                    "Replication peer " + std::string(id) + " has already been " + (enabled ? "enabled" : "disabled"));
    }
    record->peer.enabled = enabled;
    return Status::Ok();
  });
}

Status Store::UpdatePeer(std::string_view id, const ReplicationPeerConfig& config) {
  return rep_->ChangePeer(id, [&](PeerRecord* record) {
    record->peer.config = config;
    return Status::Ok();
  });
}

std::vector<ReplicationPeer> Store::Peers() const {
  const std::lock_guard lock(rep_->peers_mutex);
  std::vector<ReplicationPeer> peers;
  for (const auto& [id, record] : rep_->peers) {
    peers.push_back(record.peer);
  }
  return peers;
}

Expected<ReplicationPeer> Store::Peer(std::string_view id) const {
  const std::lock_guard lock(rep_->peers_mutex);
  const auto at = rep_->peers.find(id);
  if (at == rep_->peers.end()) {
    return NoSuchPeer(id);
  }
  return at->second.peer;
}

Expected<LogPosition> Store::PeerPosition(std::string_view id) const {
  const std::lock_guard lock(rep_->peers_mutex);
  const auto at = rep_->peers.find(id);
  if (at == rep_->peers.end()) {
    return NoSuchPeer(id);
  }
  return at->second.position;
}

Status Store::SetPeerPosition(std::string_view id, const LogPosition& position) {
  return rep_->ChangePeer(id, [&](PeerRecord* record) {
    record->position = position;
    return Status::Ok();
  });
}

std::map<uint32_t, LoggedFamily> Store::LoggedFamilies() const {
  const std::shared_lock lock(rep_->tables_mutex);
  std::map<uint32_t, LoggedFamily> families;
  for (const auto& [name, view] : rep_->tables) {
    for (const Family& family : view->families) {
      families[family.handle->GetID()] = {view, &family};
    }
  }
  return families;
}

}  // namespace klip::engine
