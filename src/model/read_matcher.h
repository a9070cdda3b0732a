// ReadMatcher: decides which cells of one family a Get or Scan sees, and what it may skip after each. Pure: no I/O. The
// rules are those of HBase's user scan: time range, TTL, delete markers, requested columns, versions, before any filter.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "klip/query.h"
#include "model/delete_tracker.h"
#include "model/family_policy.h"

namespace klip::model {

enum class MatchCode : uint8_t {
  kInclude,
  kIncludeNextColumn,  // and no more cells of its column
  kIncludeNextRow,     // and no more cells of the family's row
  kSkip,
  kNextColumn,  // no more cells of its column; but the empty column still contains the family's markers
  kNextRow,
};

inline bool Includes(MatchCode code) { return code <= MatchCode::kIncludeNextRow; }

struct ReadRules {
  FamilyPolicy policy;
  TimeRange range;
  int32_t max_versions = 1;  // requested
  bool raw = false;
  bool has_filter = false;              // if so, CountPassed limits versions after the filter
  std::vector<std::string> qualifiers;  // sorted; empty: all columns
  int64_t now_ms = 0;
};

// Not thread-safe. Allocates only if a row has more delete markers than any row before.
class ReadMatcher {
 public:
  explicit ReadMatcher(ReadRules rules);

  void StartRow() {
    in_column_ = false;
    wanted_ = 0;
    passed_ = 0;
    if (new_versions_) {
      new_version_tracker_.Reset();
    } else {
      deletes_.Reset();
    }
  }

  // The next cell of the row, in order. The caller may omit only cells that an earlier code allowed to skip.
  MatchCode Match(const CellRef& cell);

  // Whether a put is visible as the first cell of its row and without a TTL of its own. Changes nothing.
  bool SeesFirstPut(int64_t timestamp_ms) const { return any_first_put_ && InFirstPutRange(timestamp_ms); }
  // The same for a put in a requested column, as the column's first cell, in a row without markers before it.
  bool SeesPut(int64_t timestamp_ms) const { return !rules_.raw && InFirstPutRange(timestamp_ms); }

  // Without a filter, a visible cell hides all others of its column.
  bool ShowsOneVersion() const { return versions_after_filter_ == 1; }

  // The filter wants no more of this cell's column: kNextColumn, or kNextRow if no requested column is left.
  MatchCode DoneWithColumn(std::string_view qualifier);

  // A filter passed the cell. Returns `code`, or another code if enough versions of the column have passed.
  MatchCode CountPassed(std::string_view qualifier, MatchCode code);

  // The column to move to after kNextColumn; nullptr: the next existing one.
  const std::string* wanted_column() const {
    return wanted_ < rules_.qualifiers.size() ? &rules_.qualifiers[wanted_] : nullptr;
  }

  const std::vector<std::string>& qualifiers() const { return rules_.qualifiers; }

 private:
  bool InFirstPutRange(int64_t timestamp_ms) const {
    return timestamp_ms >= first_put_min_ && timestamp_ms <= first_put_max_;
  }
  bool Expired(const CellRef& cell) const { return cell.timestamp_ms < oldest_unexpired_; }
  MatchCode MatchColumn(const CellRef& cell);
  MatchCode CountVersion(const CellRef& cell);
  void AddMarker(const CellRef& marker);

  ReadRules rules_;
  int64_t oldest_unexpired_;
  int32_t versions_before_filter_;
  int32_t versions_after_filter_;
  bool new_versions_;
  bool expire_early_;  // an expired cell cannot be kept by MIN_VERSIONS

  bool any_first_put_;
  int64_t first_put_min_;
  int64_t first_put_max_;

  DeleteTracker deletes_;
  NewVersionTracker new_version_tracker_;
  bool in_column_ = false;
  std::string column_;  // the column whose `versions_` were counted
  int64_t versions_ = 0;
  size_t wanted_ = 0;  // index in rules_.qualifiers
  std::string passed_column_;
  int64_t passed_ = 0;
};

}  // namespace klip::model
