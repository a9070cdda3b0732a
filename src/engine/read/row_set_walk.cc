#include "engine/read/row_set_walk.h"

#include <utility>

#include "klip/bytes.h"

namespace klip::engine {
namespace {

using Verdict = filter::RowCursor::Verdict;

}  // namespace

RowSetWalk::RowSetWalk(std::unique_ptr<filter::RowCursor> rows, std::string unbounded_stop, bool may_step,
                       ScanFamilies* families, ScanStatistics* statistics)
    : rows_(std::move(rows)),
      unbounded_stop_(std::move(unbounded_stop)),
      may_step_(may_step),
      families_(families),
      statistics_(statistics) {}

RowSetWalk::Answer RowSetWalk::Look(FamilyCursor* cursor, std::string_view row) {
  if (near_.only_asks()) {
    if (rows_->Holds(row)) {
      return Inside();
    }
    if (near_.StepsOver()) {
      return StepOver(cursor);
    }
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
  near_.Wanted();
  run_ends_within_scan_ = unbounded_stop_.empty() || (!rows_->run_end().empty() && rows_->run_end() <= unbounded_stop_);
  return Answer::kInside;
}

RowSetWalk::Answer RowSetWalk::StepOver(FamilyCursor* cursor) {
  bound_.assign(cursor->escaped_row());
  ++statistics_->rows_read;
  const bool one_cell = !cursor->StepWithin(bound_);
  near_.SteppedOver(one_cell);
  if (!one_cell) {
    cursor->SkipRow(bound_);
  }
  return Answer::kMoved;
}

RowSetWalk::Answer RowSetWalk::JumpToTarget(const FamilyCursor& cursor) {
  ++statistics_->rows_read;
  bound_.clear();
  AppendEscaped(rows_->target(), &bound_);
  families_->JumpTo(bound_, rows_->level());
  if (may_step_) {
    near_.Jumped(cursor.last_jump_steps());
  }
  return Answer::kMoved;
}

}  // namespace klip::engine
