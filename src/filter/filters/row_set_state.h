// The state of filters that only select a set of rows: FuzzyRowFilter and MultiRowRangeFilter.
#pragma once

#include <memory>

#include "filter/rows/row_set.h"
#include "klip/filter_state.h"

namespace klip::filter {

class RowSetState final : public FilterState {
 public:
  // `drops_row`: FilterRow reports that the row failed, as in FuzzyRowFilter, so that a FilterList of alternatives does
  // not bring it back (HBASE-26967).
  RowSetState(std::shared_ptr<const RowSet> rows, bool reversed, bool drops_row);

  void Reset() override;
  bool FilterAllRemaining() override { return done_; }
  ReturnCode FilterCell(const Cell& cell) override;
  HintKind Hints() const override { return HintKind::kRows; }
  bool NextHint(const Cell& current, CellHint* hint) override;
  bool FilterRow() override { return drops_row_ && (done_ || (looked_ && verdict_ != RowCursor::Verdict::kInside)); }

 private:
  std::shared_ptr<const RowSet> rows_;
  std::unique_ptr<RowCursor> cursor_;
  RowCursor::Verdict verdict_ = RowCursor::Verdict::kInside;
  bool drops_row_;
  bool looked_ = false;
  bool done_ = false;
};

}  // namespace klip::filter
