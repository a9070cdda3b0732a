// RowSetWalk: keeps a scan inside a row set. For each row that the scan reaches, it either says that the row is inside,
// or moves the cursors past it.
//
// A row outside has two costs: finding the next row that may be inside (RowCursor::Look), and jumping there. Where rows
// inside are close together, finding costs more than the step that it saves. Then the walk only asks whether a row is inside
// (RowCursor::Holds), and steps if it is not (filter::NearRows).
//
// Example: user ids of 4 bytes followed by a date, and the set "any user, June 2014". If each user has one date, the
// cursor jumps from user to user, one step each; after 16 such jumps it only steps. If each user has 365 dates, a jump
// skips some 335 rows, so the walk computes a target every time.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/read/scan_families.h"
#include "filter/rows/row_set.h"
#include "klip/plan.h"

namespace klip::engine {

// Not thread-safe.
class RowSetWalk {
 public:
  enum class Answer : uint8_t {
    kInside,
    kMoved,  // the row is outside, and the cursors were moved past it
    kEnd,    // neither this row nor a later one is inside
  };

  // `unbounded_stop`: the stop row of the scan if RocksDB does not stop the cursors there, else empty. `families` and
  // `statistics` must outlive the walk.
  RowSetWalk(std::unique_ptr<filter::RowCursor> rows, std::string unbounded_stop, bool may_step, ScanFamilies* families,
             ScanStatistics* statistics);

  // False: no row is inside. Else the scan may start at target(); empty: at the end of the table, for a reversed scan.
  bool First() { return rows_->First(); }
  std::string_view target() const { return rows_->target(); }

  // True: the row, which follows the last row that was inside, is inside too. False: unknown.
  bool InRun(std::string_view row) { return rows_->InRun(row); }
  // The same, and the row lies before the scan's stop row.
  bool InRunWithinScan(std::string_view row) { return run_ends_within_scan_ && rows_->InRun(row); }

  // `row` is the row of `cursor`. The view is not used after a move.
  Answer Look(FamilyCursor* cursor, std::string_view row);

 private:
  Answer StepOver(FamilyCursor* cursor);
  Answer JumpToTarget(const FamilyCursor& cursor);
  Answer Inside();

  const std::unique_ptr<filter::RowCursor> rows_;
  const std::string unbounded_stop_;
  const bool may_step_;
  ScanFamilies* const families_;
  ScanStatistics* const statistics_;
  bool run_ends_within_scan_ = true;
  filter::NearRows near_;
  std::string bound_;
};

}  // namespace klip::engine
