// HBase's region split policies as pure functions: whether a region is too large, and where it may be split.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "klip/admin.h"

namespace klip::engine {

// The table's SPLIT_POLICY without its Java package; the default policy if it names none.
std::string SplitPolicyName(const TableDescriptor& table);
bool IsSplitPolicy(std::string_view name);

struct SplitInput {
  int64_t largest_family_bytes = 0;  // of the region, on disk
  int64_t all_families_bytes = 0;
  int table_regions = 1;
  double blocked_share = 0;  // BusyRegionSplitPolicy: share of requests that were rejected
  int64_t region_age_ms = 0;
};

// Whether the table's policy splits the region.
bool ShouldSplit(const TableDescriptor& table, const SplitInput& input);

// False for DisabledRegionSplitPolicy, which forbids manual splits too.
bool MayEverSplit(const TableDescriptor& table);

// Shortens the split point as the policy and the split restriction require, so that rows with one prefix stay together.
// Also applies to explicit split points.
std::string RestrictSplitPoint(const TableDescriptor& table, std::string_view point);

}  // namespace klip::engine
