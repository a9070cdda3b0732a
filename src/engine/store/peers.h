// Peers: the clusters that a store is replicated to. Who they are, where they stand in the log, and which log files
// are kept for them.
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

// Thread-safe. Checks and texts are HBase's. Errors: kDoNotRetry.
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
  // Where a peer stands. What it has passed, and every other peer too, is deleted.
  Expected<LogPosition> Position(std::string_view id) const;
  Status SetPosition(std::string_view id, const LogPosition& position);

 private:
  // Writes a peer down as `change` makes it. Errors: there is no such peer; that of `change`.
  Status Change(std::string_view id, const std::function<Status(PeerRecord*)>& change);
  // Both REQUIRE mutex_. Writes them down, then makes them the current ones, and deletes what none of them needs.
  Status Save(PeerRecords next);
  Status DropPassedLogs() const;

  const Database* const database_;
  Writer* const writer_;
  mutable std::mutex mutex_;
  PeerRecords peers_;  // guarded by mutex_
};

}  // namespace klip::engine
