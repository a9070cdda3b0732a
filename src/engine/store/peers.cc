#include "engine/store/peers.h"

#include <algorithm>
#include <utility>

#include "engine/layout/rocksdb_status.h"
#include "engine/store/database.h"
#include "engine/store/small_file.h"
#include "engine/store/writer.h"

namespace klip::engine {
namespace {

Status NoSuchPeer(std::string_view id) {
  return {Code::kDoNotRetry, "org.apache.hadoop.hbase.ReplicationPeerNotFoundException: " + std::string(id)};
}

}  // namespace

Status Peers::Read() {
  const std::lock_guard lock(mutex_);
  KLIP_ASSIGN_OR_RETURN(peers_, ReadPeerRecords(database_->env, database_->path()));
  return database_->read_only() ? Status::Ok() : DropPassedLogs();
}

bool Peers::empty() const {
  const std::lock_guard lock(mutex_);
  return peers_.empty();
}

Status Peers::Save(PeerRecords next) {
  const std::string directory = database_->path() + "/" + kReplicationDirectory;
  KLIP_RETURN_IF_ERROR(FromRocks(database_->env->CreateDirIfMissing(directory), "creating " + directory));
  KLIP_RETURN_IF_ERROR(writer_->SaveFile(directory, kPeersName, Seal(PeersToJson(next))));
  peers_ = std::move(next);
  database_->logs->Keep(!peers_.empty());
  return DropPassedLogs();
}

Status Peers::DropPassedLogs() const {
  uint64_t needed = UINT64_MAX;
  for (const auto& [id, record] : peers_) {
    needed = std::min(needed, record.position.log);
  }
  return DropKeptLogs(database_->env, database_->path(), needed);
}

Status Peers::Add(const ReplicationPeer& peer) {
  const std::lock_guard lock(mutex_);
  if (peers_.contains(peer.id)) {
    return {Code::kDoNotRetry, "Replication peer " + peer.id + " already exists"};
  }
  KLIP_RETURN_IF_ERROR(writer_->CheckWritable());
  const std::string directory = database_->path() + "/" + kReplicationDirectory;
  KLIP_RETURN_IF_ERROR(FromRocks(database_->env->CreateDirIfMissing(directory), "creating " + directory));
  database_->logs->Keep(true);
  // The current end of the log. What is written once the caller knows the peer comes after it, in this file or a later
  // one.
  LogPosition position = {.sequence = database_->db->GetLatestSequenceNumber()};
  KLIP_ASSIGN_OR_RETURN(const std::vector<uint64_t> logs, LogNumbers(database_->env, database_->path()));
  position.log = logs.empty() ? 0 : logs.back();
  PeerRecords next = peers_;
  next[peer.id] = {peer, position};
  const Status saved = Save(std::move(next));
  if (!saved.ok()) {
    database_->logs->Keep(!peers_.empty());
  }
  return saved;
}

Status Peers::Change(std::string_view id, const std::function<Status(PeerRecord*)>& change) {
  const std::lock_guard lock(mutex_);
  PeerRecords next = peers_;
  const auto at = next.find(id);
  if (at == next.end()) {
    return NoSuchPeer(id);
  }
  KLIP_RETURN_IF_ERROR(change(&at->second));
  return Save(std::move(next));
}

Status Peers::Remove(std::string_view id) {
  const std::lock_guard lock(mutex_);
  PeerRecords next = peers_;
  const auto at = next.find(id);
  if (at == next.end()) {
    return NoSuchPeer(id);
  }
  next.erase(at);
  return Save(std::move(next));
}

Status Peers::SetEnabled(std::string_view id, bool enabled) {
  return Change(id, [&](PeerRecord* record) {
    if (record->peer.enabled == enabled) {
      return Status(Code::kDoNotRetry,
                    "Replication peer " + std::string(id) + " has already been " + (enabled ? "enabled" : "disabled"));
    }
    record->peer.enabled = enabled;
    return Status::Ok();
  });
}

Status Peers::Update(std::string_view id, const ReplicationPeerConfig& config) {
  return Change(id, [&](PeerRecord* record) {
    record->peer.config = config;
    return Status::Ok();
  });
}

std::vector<ReplicationPeer> Peers::List() const {
  const std::lock_guard lock(mutex_);
  std::vector<ReplicationPeer> peers;
  for (const auto& [id, record] : peers_) {
    peers.push_back(record.peer);
  }
  return peers;
}

Expected<ReplicationPeer> Peers::Find(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto at = peers_.find(id);
  if (at == peers_.end()) {
    return NoSuchPeer(id);
  }
  return at->second.peer;
}

Expected<LogPosition> Peers::Position(std::string_view id) const {
  const std::lock_guard lock(mutex_);
  const auto at = peers_.find(id);
  if (at == peers_.end()) {
    return NoSuchPeer(id);
  }
  return at->second.position;
}

Status Peers::SetPosition(std::string_view id, const LogPosition& position) {
  return Change(id, [&](PeerRecord* record) {
    record->position = position;
    return Status::Ok();
  });
}

}  // namespace klip::engine
