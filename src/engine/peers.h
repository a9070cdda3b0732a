// What the store keeps of replication: its peers, and how far each has got. The file replication/PEERS, replaced by rename.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "engine/store.h"
#include "klip/replication.h"
#include "klip/status.h"

namespace klip::engine {

struct PeerRecord {
  ReplicationPeer peer;
  LogPosition position;
};
using PeerRecords = std::map<std::string, PeerRecord, std::less<>>;  // by id

std::string PeersToJson(const PeerRecords& peers);
// Errors: kCorruption naming the key. `file` is for the text.
Expected<PeerRecords> PeersFromJson(std::string_view json, std::string_view file);

}  // namespace klip::engine
