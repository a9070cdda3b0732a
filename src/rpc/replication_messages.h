// Replication peers to and from messages.
#pragma once

#include "klip/replication.h"
#include "proto/Replication.pb.h"

namespace klip::rpc {

ReplicationPeerConfig ToPeerConfig(const hbase::pb::ReplicationPeer& message);
void FillPeerConfig(const ReplicationPeerConfig& config, hbase::pb::ReplicationPeer* message);

}  // namespace klip::rpc
