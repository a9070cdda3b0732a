#include "engine/read/row_set_walk.h"

#include <utility>

#include "klip/bytes.h"

namespace klip::engine {
namespace {

using Verdict = filter::RowCursor::Verdict;

// TUNING: see the head of row_set_walk.h.
constexpr uint32_t kNearJumps = 16;
constexpr uint32_t kNearJumpSteps = 2;
constexpr uint32_t kMaxNearSteps = 3;

}  // namespace

RowSetWalk::RowSetWalk(std::unique_ptr<filter::RowCursor> rows, std::string unbounded_stop, bool may_step,
                       ScanFamilies* families, ScanStatistics* statistics)
    : rows_(std::move(rows)),
      unbounded_stop_(std::move(unbounded_stop)),
      may_step_(may_step),
      families_(families),
      statistics_(statistics) {}

RowSetWalk::Answer RowSetWalk::Look(FamilyCursor* cursor, std::string_view row) {
  if (near_jumps_ >= kNearJumps) {
    if (rows_->Holds(row)) {
      return Inside();
    }
    if (++near_steps_ <= kMaxNearSteps) {
      return StepOver(cursor);
    }
    near_jumps_ = 0;
  }
  switch (rows_->Look(row)) {
    case Verdict::kInside:
      return Inside();
    case Verdict::kJump:
      return JumpToTarget(*cursor);
    case Verdict::kEnd:
      break;
  }
  ++statistics_->rows_read;
  return Answer::kEnd;
}

RowSetWalk::Answer RowSetWalk::Inside() {
  near_steps_ = 0;
  run_ends_within_scan_ = unbounded_stop_.empty() || (!rows_->run_end().empty() && rows_->run_end() <= unbounded_stop_);
  return Answer::kInside;
}

RowSetWalk::Answer RowSetWalk::StepOver(FamilyCursor* cursor) {
  bound_.assign(cursor->escaped_row());
  ++statistics_->rows_read;
  if (cursor->StepWithin(bound_)) {
    near_jumps_ = 0;  // rows of several cells
    cursor->SkipRow(bound_);
  }
  return Answer::kMoved;
}

RowSetWalk::Answer RowSetWalk::JumpToTarget(const FamilyCursor& cursor) {
  ++statistics_->rows_read;
  bound_.clear();
  AppendEscaped(rows_->target(), &bound_);
  families_->JumpTo(bound_, rows_->level());
  near_jumps_ = may_step_ && cursor.last_jump_steps() <= kNearJumpSteps ? near_jumps_ + 1 : 0;
  return Answer::kMoved;
}

}  // namespace klip::engine
