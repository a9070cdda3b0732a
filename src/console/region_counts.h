// What a cluster's servers count, as a heat map. They count requests by region only.
#pragma once

#include <string>

#include "klip/heat.h"
#include "klip/status.h"

namespace klip::console {

// Thread-safe.
class RegionCounts {
 public:
  virtual ~RegionCounts() = default;

  // A range of the map is a region, from its first key `first` up to the next range. If there are more than `max_ranges`, neighbours
  // share one. Errors: those of the cluster, for a table that was not counted before.
  virtual Expected<HeatMap> Read(const std::string& table, const HeatQuery& query) = 0;
};

}  // namespace klip::console
