// What RocksDB's log tells besides cells (WriteBatch::PutLogData): each mark begins with a word that says of what.
#pragma once

#include <string>
#include <string_view>

#include "engine/log/cluster_id.h"

namespace klip::engine {

inline constexpr std::string_view kNonceMark = "nonce";

// Stands before cells that came by replication, and says which clusters have had them; without any it ends them. RocksDB writes
// the batches of several threads as one record, so both are needed.
inline constexpr std::string_view kClustersMark = "clusters";

std::string EncodeClusters(const ClusterIds& clusters);
// False: another mark, or not one that EncodeClusters made.
bool DecodeClusters(std::string_view mark, ClusterIds* clusters);

}  // namespace klip::engine
