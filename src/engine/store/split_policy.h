// HBase's region split policies as pure functions: is this region too large, and where may it be cut.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "klip/admin.h"

namespace klip::engine {

// The table's SPLIT_POLICY without its Java package; the default policy when it names none.
std::string SplitPolicyName(const TableDescriptor& table);
bool IsSplitPolicy(std::string_view name);

struct SplitInput {
  int64_t largest_family_bytes = 0;  // of the region, on disk
  int64_t all_families_bytes = 0;
  int table_regions = 1;
  double blocked_share = 0;  // BusyRegionSplitPolicy: share of requests that were refused
  int64_t region_age_ms = 0;
};

// What the limits of a table come to.
bool ShouldSplit(const TableDescriptor& table, const SplitInput& input);

// False for DisabledRegionSplitPolicy, which forbids manual splits too.
bool MayEverSplit(const TableDescriptor& table);

// The split point cut as the policy and the split restriction ask, so that rows with one prefix stay together. Also applies
// to points given by hand.
std::string RestrictSplitPoint(const TableDescriptor& table, std::string_view point);

}  // namespace klip::engine
