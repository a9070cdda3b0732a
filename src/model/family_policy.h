// The settings of a column family that decide which cells a read sees and a compaction drops.
#pragma once

#include <cstdint>
#include <limits>

#include "klip/admin.h"

namespace klip::model {

inline constexpr int64_t kNoTtl = std::numeric_limits<int64_t>::max();

struct FamilyPolicy {
  int32_t max_versions = 1;
  int32_t min_versions = 0;
  int64_t ttl_ms = kNoTtl;
  KeepDeletedCells keep_deleted_cells = KeepDeletedCells::kFalse;
  bool new_version_behavior = false;

  static FamilyPolicy From(const FamilyDescriptor& family) {
    return {family.max_versions, family.min_versions,
            family.ttl_s == kTtlForever ? kNoTtl : int64_t{family.ttl_s} * 1000, family.keep_deleted_cells,
            family.new_version_behavior};
  }

  // Cells with an older timestamp are expired.
  int64_t OldestUnexpired(int64_t now_ms) const {
    return ttl_ms == kNoTtl ? std::numeric_limits<int64_t>::min() : now_ms - ttl_ms;
  }

  bool operator==(const FamilyPolicy&) const = default;
};

}  // namespace klip::model
