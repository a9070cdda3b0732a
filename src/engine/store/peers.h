// Peers: the clusters to which a store replicates, their positions in the log, and the log files kept for them.
#pragma once

#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/log/log_position.h"
#include "engine/store/peer_records.h"
#include "klip/replication.h"
#include "klip/status.h"

namespace klip::engine {

struct Database;
class Writer;

// Thread-safe. Uses HBase's checks and error texts. Errors: kDoNotRetry.
class Peers {
 public:
  // Both outlive it.
  Peers(const Database* database, Writer* writer) : database_(database), writer_(writer) {}

  // REQUIRES: the directory is locked.
  Status Read();
  bool empty() const;

  Status Add(const ReplicationPeer& peer);
  Status Remove(std::string_view id);
  Status SetEnabled(std::string_view id, bool enabled);
  Status Update(std::string_view id, const ReplicationPeerConfig& config);
  std::vector<ReplicationPeer> List() const;  // by id
  Expected<ReplicationPeer> Find(std::string_view id) const;
  // A peer's position. Logs that it and every other peer have passed are deleted.
  Expected<LogPosition> Position(std::string_view id) const;
  Status SetPosition(std::string_view id, const LogPosition& position);

 private:
  // Applies `change` to a peer's record and saves it. Errors: no such peer; that of `change`.
  Status Change(std::string_view id, const std::function<Status(PeerRecord*)>& change);
  // Both REQUIRE mutex_. Saves the records, makes them the current ones, and deletes the logs that no peer needs.
  Status Save(PeerRecords next);
  Status DropPassedLogs() const;

  const Database* const database_;
  Writer* const writer_;
  mutable std::mutex mutex_;
  PeerRecords peers_;  // guarded by mutex_
};

}  // namespace klip::engine
