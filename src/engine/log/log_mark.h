// What RocksDB's log contains besides cells (WriteBatch::PutLogData): each mark begins with a word that names its kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/log/cluster_id.h"

namespace klip::engine {

inline constexpr std::string_view kNonceMark = "nonce";

// Precedes replicated cells, and lists the clusters that have had them; an empty list ends them. RocksDB writes the
// batches of several threads as one record, so both are needed.
inline constexpr std::string_view kClustersMark = "clusters";

std::string EncodeClusters(const ClusterIds& clusters);
// False: another mark, or not one that EncodeClusters made.
bool DecodeClusters(std::string_view mark, ClusterIds* clusters);

// For restoring a backup to a point in time. The records after a kTimeMark were written at that time or later. At a
// kChangeMark something changed that the log does not contain: column families, or loaded files.
inline constexpr std::string_view kTimeMark = "time";
inline constexpr std::string_view kChangeMark = "change";

// `word`: one of these two. Milliseconds since 1970.
std::string EncodeTime(std::string_view word, int64_t time_ms);
// False: another mark.
bool DecodeTime(std::string_view word, std::string_view mark, int64_t* time_ms);

}  // namespace klip::engine
