// What a heat map shows, in words: hot regions, hot values of key fields, keys that grow, ranges that are slow.
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
  std::string text;    // one sentence, with its figures
  std::string remedy;  // what to do about it; may be empty
  std::string metric;  // by which it is seen: "reads", "writes", "latency"
  std::string start;   // where: keys from
  std::string stop;    // up to this one, exclusive; empty: to the end
};

// The leading fields that are in the key, at most so many: "user = alice, day = 20140628". Without any, the key as it is.
std::string LabelOf(const std::optional<RowKeySchema>& schema, const std::string& key, size_t fields = SIZE_MAX);

// The most telling first; none of a table that is hardly used.
std::vector<Finding> FindingsOf(const HeatMap& map, std::span<const RegionInfo> regions,
                                const std::optional<RowKeySchema>& schema);

}  // namespace klip::console
