// Which edits a peer wants.
#pragma once

#include <string_view>

#include "klip/replication.h"

namespace klip::replication {

// HBase's ReplicationPeerConfig.needToReplicate, for a family whose REPLICATION_SCOPE is 1.
bool Wants(const ReplicationPeerConfig& peer, std::string_view table, std::string_view family);

}  // namespace klip::replication
