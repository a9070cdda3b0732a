// The id of a cluster: a UUID. Replicated edits carry the ids of the clusters that have them, so that none loops forever.
#pragma once

#include <compare>
#include <cstdint>
#include <vector>

namespace klip::engine {

struct ClusterId {
  uint64_t high = 0;
  uint64_t low = 0;

  auto operator<=>(const ClusterId&) const = default;
};
using ClusterIds = std::vector<ClusterId>;

}  // namespace klip::engine
