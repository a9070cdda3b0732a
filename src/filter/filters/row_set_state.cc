#include "filter/filters/row_set_state.h"

#include <utility>

namespace klip::filter {

RowSetState::RowSetState(std::shared_ptr<const RowSet> rows, bool reversed, bool drops_row)
    : rows_(std::move(rows)), cursor_(rows_->NewCursor(reversed)), drops_row_(drops_row) {}

void RowSetState::Reset() { looked_ = false; }

ReturnCode RowSetState::FilterCell(const Cell& cell) {
  if (!looked_) {
    looked_ = true;
    verdict_ = cursor_->Look(cell.row);
  }
  switch (verdict_) {
    case RowCursor::Verdict::kInside:
      return ReturnCode::kInclude;
    case RowCursor::Verdict::kJump:
      return ReturnCode::kSeekNextUsingHint;
    case RowCursor::Verdict::kEnd:
      done_ = true;
      return ReturnCode::kNextRow;
  }
  return ReturnCode::kNextRow;
}

bool RowSetState::NextHint(const Cell& /*current*/, CellHint* hint) {
  if (!looked_ || verdict_ != RowCursor::Verdict::kJump) {
    return false;
  }
  *hint = CellHint();
  hint->row.assign(cursor_->target());
  return true;
}

}  // namespace klip::filter
