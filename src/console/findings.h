// The findings of a heat map in words: hot regions, hot values of key fields, growing keys, slow ranges.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "klip/admin.h"
#include "klip/heat.h"
#include "klip/row_key.h"

namespace klip::console {

struct Finding {
  std::string text;    // one sentence with figures
  std::string remedy;  // may be empty
  std::string metric;  // that shows it: "reads", "writes", "latency"
  std::string start;   // the keys from here
  std::string stop;    // to here, exclusive; empty: to the end
};

// The leading fields of the key, at most so many: "user = alice, day = 20140628". If it has none, the key itself.
std::string LabelOf(const std::optional<RowKeySchema>& schema, const std::string& key, size_t fields = SIZE_MAX);

// The most important first; empty for a table that is hardly used. `by_region`: the ranges are regions, which say nothing of values.
std::vector<Finding> FindingsOf(const HeatMap& map, std::span<const RegionInfo> regions,
                                const std::optional<RowKeySchema>& schema, bool by_region = false);

}  // namespace klip::console
