// What RocksDB's log tells besides cells (WriteBatch::PutLogData): each mark begins with a word that says of what.
#pragma once

#include <cstdint>
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

// For restoring a backup to a point in time: the records behind a kTimeMark were written at that time or later, and at a
// kChangeMark something was changed that the log does not tell: column families, or files that were loaded.
inline constexpr std::string_view kTimeMark = "time";
inline constexpr std::string_view kChangeMark = "change";

// `word`: one of these two. Milliseconds since 1970.
std::string EncodeTime(std::string_view word, int64_t time_ms);
// False: another mark.
bool DecodeTime(std::string_view word, std::string_view mark, int64_t* time_ms);

}  // namespace klip::engine
