// CompactionMatcher: decides which cells of one family survive a flush or compaction. Pure: no I/O. The rules are those
// of HBase's minor and major compactions, except that a minor one keeps every unexpired marker.
#pragma once

#include <cstdint>
#include <string>

#include "model/delete_tracker.h"
#include "model/family_policy.h"

namespace klip::model {

// Not thread-safe.
class CompactionMatcher {
 public:
  // `major`: every cell of the family passes, so a marker masks nothing elsewhere and may be dropped.
  CompactionMatcher(const FamilyPolicy& policy, int64_t now_ms, bool major);

  // REQUIRES: called before the first cell of each row.
  void StartRow();

  // Takes all cells of a row, in order. A row may start in its middle: then more is kept.
  bool Keep(const CellRef& cell);

 private:
  bool KeepMarker(const CellRef& marker, bool expired);
  bool KeepVersion(const CellRef& cell, bool expired);

  FamilyPolicy policy_;
  int64_t now_ms_;
  int64_t oldest_unexpired_;
  bool major_;
  DeleteTracker deletes_;
  NewVersionTracker new_version_tracker_;
  bool in_column_ = false;
  std::string column_;
  int64_t versions_ = 0;
};

}  // namespace klip::model
