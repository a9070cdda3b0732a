// Converts ids of clusters from and to texts and messages.
#pragma once

#include <optional>
#include <string_view>

#include "engine/log/cluster_id.h"
#include "proto/HBase.pb.h"

namespace klip::replication {

// From "123e4567-e89b-12d3-a456-426614174000".
std::optional<engine::ClusterId> ParseClusterId(std::string_view uuid);

inline engine::ClusterId ToClusterId(const hbase::pb::UUID& message) {
  return {message.most_sig_bits(), message.least_sig_bits()};
}
inline void FillClusterId(const engine::ClusterId& id, hbase::pb::UUID* message) {
  message->set_most_sig_bits(id.high);
  message->set_least_sig_bits(id.low);
}

}  // namespace klip::replication
