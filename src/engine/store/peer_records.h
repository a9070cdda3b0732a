// Peers and their positions, as the store keeps them: the file replication/PEERS, replaced by rename.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/env.h"

#include "engine/log/log_position.h"
#include "klip/replication.h"
#include "klip/status.h"

namespace klip::engine {

inline constexpr const char* kPeersName = "PEERS";

struct PeerRecord {
  ReplicationPeer peer;
  LogPosition position;
};
using PeerRecords = std::map<std::string, PeerRecord, std::less<>>;  // by id

// The log files that are kept because a peer has not passed them yet.
struct PeerBacklog {
  ReplicationPeer peer;
  size_t log_files = 0;
  uint64_t log_bytes = 0;
};
// For the store in a directory, which may be open in this process or another. By id.
Expected<std::vector<PeerBacklog>> ReadPeerBacklogs(const std::string& store);

// Empty if the file is missing.
Expected<PeerRecords> ReadPeerRecords(rocksdb::Env* env, const std::string& store);
std::string PeersToJson(const PeerRecords& peers);
// Errors: kCorruption naming the key. `file` is for the error text.
Expected<PeerRecords> PeersFromJson(std::string_view json, std::string_view file);

}  // namespace klip::engine
