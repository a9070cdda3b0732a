#include "model/read_matcher.h"

#include <algorithm>
#include <utility>

namespace klip::model {

ReadMatcher::ReadMatcher(ReadRules rules) : rules_(std::move(rules)), new_version_tracker_(rules_.policy.max_versions) {
  const FamilyPolicy& policy = rules_.policy;
  // A raw scan shows expired cells until a compaction drops them.
  oldest_unexpired_ = rules_.raw ? std::numeric_limits<int64_t>::min() : policy.OldestUnexpired(rules_.now_ms);
  versions_after_filter_ = rules_.raw ? rules_.max_versions : std::min(rules_.max_versions, policy.max_versions);
  versions_before_filter_ = versions_after_filter_;
  if (rules_.has_filter && (rules_.raw || !policy.new_version_behavior)) {
    versions_before_filter_ = rules_.raw ? kAllVersions : policy.max_versions;
  }
  new_versions_ = policy.new_version_behavior && !rules_.raw;
  expire_early_ = policy.min_versions <= 0 && !new_versions_;
  any_first_put_ = !rules_.raw && rules_.qualifiers.empty();
  first_put_min_ = std::max(rules_.range.min_ms, oldest_unexpired_);
  first_put_max_ = rules_.range.max_ms == kLatestTimestamp ? kLatestTimestamp : rules_.range.max_ms - 1;
}

MatchCode ReadMatcher::DoneWithColumn(std::string_view qualifier) {
  if (rules_.qualifiers.empty()) {
    if (!in_column_ || column_ != qualifier) {
      in_column_ = true;
      column_.assign(qualifier);
    }
    versions_ = std::numeric_limits<int32_t>::max();  // the column's other versions are surplus
    return MatchCode::kNextColumn;
  }
  while (wanted_ < rules_.qualifiers.size() && rules_.qualifiers[wanted_] <= qualifier) {
    ++wanted_;
  }
  return wanted_ == rules_.qualifiers.size() ? MatchCode::kNextRow : MatchCode::kNextColumn;
}

void ReadMatcher::AddMarker(const CellRef& marker) {
  // Families that keep deleted cells show them in time ranges that end before the marker.
  const bool after_start = marker.timestamp_ms >= rules_.range.min_ms;
  const bool counts = rules_.policy.keep_deleted_cells == KeepDeletedCells::kFalse
                          ? after_start
                          : after_start && marker.timestamp_ms < rules_.range.max_ms;
  if (!counts) {
    return;
  }
  if (new_versions_) {
    new_version_tracker_.Add(marker);
  } else {
    deletes_.Add(marker);
  }
}

MatchCode ReadMatcher::Match(const CellRef& cell) {
  if (!rules_.qualifiers.empty() && wanted_ == rules_.qualifiers.size()) {
    return MatchCode::kNextRow;
  }
  if (expire_early_ && Expired(cell)) {
    return DoneWithColumn(cell.qualifier);
  }
  if (cell.ttl_ms >= 0 && cell.timestamp_ms < rules_.now_ms - cell.ttl_ms) {
    return MatchCode::kSkip;
  }
  if (!rules_.raw) {
    if (cell.type != CellType::kPut) {
      AddMarker(cell);
      return MatchCode::kSkip;
    }
    switch (new_versions_ ? new_version_tracker_.Check(cell) : deletes_.Check(cell)) {
      case Masked::kNo:
        break;
      case Masked::kVersion:
        return MatchCode::kSkip;
      case Masked::kColumn:
        return DoneWithColumn(cell.qualifier);
    }
  }
  return MatchColumn(cell);
}

MatchCode ReadMatcher::MatchColumn(const CellRef& cell) {
  if (cell.timestamp_ms >= rules_.range.max_ms && rules_.range.max_ms != kLatestTimestamp) {
    return MatchCode::kSkip;
  }
  if (cell.timestamp_ms < rules_.range.min_ms) {
    return DoneWithColumn(cell.qualifier);
  }
  if (!rules_.qualifiers.empty()) {
    while (rules_.qualifiers[wanted_] < cell.qualifier) {
      if (++wanted_ == rules_.qualifiers.size()) {
        return MatchCode::kNextRow;
      }
    }
    if (rules_.qualifiers[wanted_] != cell.qualifier) {
      return MatchCode::kNextColumn;
    }
  }
  return CountVersion(cell);
}

MatchCode ReadMatcher::CountVersion(const CellRef& cell) {
  if (!in_column_ || column_ != cell.qualifier) {
    in_column_ = true;
    column_.assign(cell.qualifier);
    versions_ = 0;
  }
  if (cell.type == CellType::kPut) {
    ++versions_;  // in a raw scan, a marker goes with the version before it
  }
  if (versions_ > versions_before_filter_ || (versions_ > rules_.policy.min_versions && Expired(cell))) {
    return DoneWithColumn(cell.qualifier);
  }
  if (!rules_.qualifiers.empty() && versions_ == versions_before_filter_) {
    ++wanted_;
    return wanted_ == rules_.qualifiers.size() ? MatchCode::kIncludeNextRow : MatchCode::kIncludeNextColumn;
  }
  return MatchCode::kInclude;
}

MatchCode ReadMatcher::CountPassed(std::string_view qualifier, MatchCode code) {
  if (passed_ == 0 || passed_column_ != qualifier) {
    passed_column_.assign(qualifier);
    passed_ = 0;
  }
  if (++passed_ <= versions_after_filter_) {
    return code;
  }
  return code == MatchCode::kIncludeNextRow ? MatchCode::kNextRow : DoneWithColumn(qualifier);
}

}  // namespace klip::model
