#include "model/compaction_matcher.h"

namespace klip::model {

CompactionMatcher::CompactionMatcher(const FamilyPolicy& policy, int64_t now_ms, bool major)
    : policy_(policy),
      now_ms_(now_ms),
      oldest_unexpired_(policy.OldestUnexpired(now_ms)),
      major_(major),
      new_version_tracker_(policy.max_versions) {}

void CompactionMatcher::StartRow() {
  in_column_ = false;
  if (policy_.new_version_behavior) {
    new_version_tracker_.Reset();
  } else {
    deletes_.Reset();
  }
}

bool CompactionMatcher::Keep(const CellRef& cell) {
  const bool expired = cell.timestamp_ms < oldest_unexpired_;
  if (expired && policy_.min_versions <= 0 && !policy_.new_version_behavior) {
    return false;  // a marker too: all that it masks has expired as well
  }
  if (cell.ttl_ms >= 0 && cell.timestamp_ms < now_ms_ - cell.ttl_ms) {
    return false;
  }
  if (cell.type != CellType::kPut) {
    return KeepMarker(cell, expired);
  }
  const Masked masked = policy_.new_version_behavior ? new_version_tracker_.Check(cell) : deletes_.Check(cell);
  return masked == Masked::kNo && KeepVersion(cell, expired);
}

bool CompactionMatcher::KeepMarker(const CellRef& marker, bool expired) {
  const bool keeps_deleted = policy_.keep_deleted_cells == KeepDeletedCells::kTrue ||
                             (policy_.keep_deleted_cells == KeepDeletedCells::kTtl && !expired);
  if (!keeps_deleted) {
    if (policy_.new_version_behavior) {
      new_version_tracker_.Add(marker);
    } else {
      deletes_.Add(marker);
    }
    return !major_;
  }
  return !major_ || policy_.new_version_behavior || KeepVersion(marker, expired);
}

bool CompactionMatcher::KeepVersion(const CellRef& cell, bool expired) {
  if (!in_column_ || column_ != cell.qualifier) {
    in_column_ = true;
    column_.assign(cell.qualifier);
    versions_ = 0;
  }
  if (cell.type == CellType::kPut) {
    ++versions_;  // a marker goes with the version before it
  }
  return versions_ <= policy_.max_versions && (versions_ <= policy_.min_versions || !expired);
}

}  // namespace klip::model
