// The id of a cluster: a UUID. Edits that are replicated carry those of the clusters that have them, so that no loop is endless.
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
