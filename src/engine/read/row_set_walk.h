// RowSetWalk: keeps a scan inside a row set. For each row that the scan comes to it answers: inside, or moved past it.
//
// A row outside costs two things: to find out where the next row inside may be (RowCursor::Look), and to jump there.
// Where rows inside are close together, finding out costs more than the step that it saves. So after kNearJumps jumps
// in a row that led at most kNearSteps cells on, the walk only asks whether a row is inside (RowCursor::Holds) and
// steps if it is not. Three such steps in a row without a hit end that mode, and so does a row of several cells.
//
// Example: user ids of 4 bytes followed by a date, and the set "any user, June 2014". In a table with a date a user
// the cursor jumps from user to user, one step each, and after 16 such jumps it merely steps. In a table with 365
// dates a user a jump leads over some 335 rows, so it looks for a target every time.
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

  // `unbounded_stop`: the stop row of the scan where nothing keeps the cursors before it, else empty. `families` and
  // `statistics` outlive the walk.
  RowSetWalk(std::unique_ptr<filter::RowCursor> rows, std::string unbounded_stop, bool may_step, ScanFamilies* families,
             ScanStatistics* statistics);

  // False: no row is inside. Else target() is where the scan may start; empty: at its end, of a reversed scan.
  bool First() { return rows_->First(); }
  std::string_view target() const { return rows_->target(); }

  // True: the row, which comes after the last one that was inside, is inside as well. False tells nothing.
  bool InRun(std::string_view row) { return rows_->InRun(row); }
  // The same, and that the row lies before the scan's stop row.
  bool InRunWithinScan(std::string_view row) { return run_ends_within_scan_ && rows_->InRun(row); }

  // `row` is the one that `cursor` stands at; the view is not used after a move.
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
  uint32_t near_jumps_ = 0;  // the last so many jumps were short
  uint32_t near_steps_ = 0;  // steps made in place of jumps since a row was inside
  std::string bound_;
};

}  // namespace klip::engine
