// The short paths of RowScanner (see the phases in row_scanner_rep.h). Nearly all rows that scans meet are of one
// family, read forward, and contain only visible puts without tags. Such a cell needs a copy and one step of the cursor,
// but neither a matcher's state nor a search for the row's end. The functions here try that. They pass the row to
// RowScanner::Rep::Read as soon as something is unusual.
//
// Example, keys written row/qualifier@time: a/q@5=1, b/q@7=2, b/q@3=1, c/q@1=delete. NextSimple copies a/q@5, steps,
// sees another row and returns (kBetweenRows). At "b" it copies b/q@7, and passes b/q@3, an older version, if the scan
// shows one version. If it shows more, it reports b/q@7 to the matcher (AdoptRow) and sets kInRow, so that Read decides
// about b/q@3. At "c" the first cell is not a put: the function reads nothing, and Read handles the whole row.
#include "engine/read/row_scanner_rep.h"

namespace klip::engine {

using Simple = RowReader::Simple;

Simple RowScanner::Rep::ReadSimple(Result* result) {
  FamilyReader* const reader = &families_.front();
  Simple read = named_columns_.has_value() ? reader_->ReadNamedColumns(reader, *named_columns_, result)
                                           : reader_->ReadSimpleRow(reader, result);
  if (read == Simple::kRestDropped) {
    PassRow(reader_->kept_row());
    read = Simple::kRow;
  }
  if (read == Simple::kRow) [[likely]] {
    statistics_.rows_returned += result->empty() ? 0 : 1;
  } else if (read == Simple::kMore) {
    EnterRow();
  }
  return read;
}

Simple RowScanner::Rep::ReadFiltered(Result* result) {
  Simple read =
      reader_->ReadFilteredRow(&families_.front(), named_columns_.has_value() ? &*named_columns_ : nullptr, result);
  if (read == Simple::kRestDropped) {
    PassRow(reader_->kept_row());
    read = Simple::kRow;
  } else if (read == Simple::kMore) {
    EnterRow();
  }
  return read;
}

RowScanner::Rep::Step RowScanner::Rep::NextSimple(Result* result) {
  LeaveReadRow();
  if (phase_ != Phase::kBetweenRows) {
    return Step::kGoOn;  // a scan that has ended has no cursor
  }
  FamilyCursor& cursor = *families_.front().cursor;
  if (cursor.at_end() || !cursor.LocateRow() || LimitReached() ||
      (rows_.has_value() && !rows_->InRunWithinScan(RowOf(cursor)))) {
    return Step::kGoOn;
  }
  const Simple read = ReadSimple(result);
  statistics_.rows_read += read == Simple::kNo ? 0 : 1;
  if (read != Simple::kRow || result->empty()) {
    return Step::kGoOn;
  }
  return cursor.at_end() ? CheckEnds(Step::kReturn) : Step::kReturn;
}

// Steps over the next few cells, since rows of most tables have few, then seeks past the rest.
void RowScanner::Rep::PassRow(std::string_view escaped_row) {
  constexpr int kSteps = 8;  // TUNING: a seek costs some ten steps
  FamilyCursor& cursor = *families_.front().cursor;
  int steps = 0;
  bool in_row = cursor.StepWithin(escaped_row);
  while (in_row && ++steps < kSteps) {
    in_row = cursor.StepWithin(escaped_row);
  }
  if (in_row) {
    cursor.SkipRow(escaped_row);
  }
}

bool RowScanner::Rep::MayPassRows() {
  LeaveReadRow();
  if (phase_ != Phase::kBetweenRows) {
    return false;
  }
  FamilyCursor& cursor = *families_.front().cursor;
  return !cursor.at_end() && rows_until_watch_ > 1 && !LimitReached() && cursor.LocateRow() &&
         (!rows_.has_value() || rows_->InRunWithinScan(RowOf(cursor)));
}

int64_t RowScanner::Rep::PassSimpleRows() {
  int64_t rows = 0;
  while (MayPassRows() && reader_->SeesSimpleRow(families_.front())) {
    passed_row_.assign(families_.front().cursor->escaped_row());
    ++rows;
    --rows_until_watch_;
    ++statistics_.rows_read;
    ++statistics_.rows_returned;
    ++statistics_.cells_read;
    PassRow(passed_row_);
  }
  return rows;
}

RowScanner::Rep::Step RowScanner::Rep::FillSimpleRows(RowBatch* batch) {
  while (!batch->full()) {
    if (!MayPassRows()) {
      return Step::kGoOn;
    }
    const size_t rows = batch->rows();
    const Simple read = reader_->FillSimpleRow(&families_.front(), *batch_columns_, batch, &batch_row_);
    if (read == Simple::kNo) {
      return Step::kGoOn;
    }
    --rows_until_watch_;
    ++statistics_.rows_read;
    if (read == Simple::kMore) {
      EnterRow();
      return Step::kGoOn;
    }
    if (read == Simple::kRestDropped) {
      PassRow(reader_->kept_row());
    }
    statistics_.rows_returned += static_cast<int64_t>(batch->rows() - rows);
  }
  return Step::kReturn;
}

RowScanner::Rep::Step RowScanner::Rep::NextFiltered(Result* result) {
  LeaveReadRow();
  FamilyCursor& cursor = *families_.front().cursor;
  while (phase_ == Phase::kBetweenRows && !filter_->region_done() && !cursor.at_end() && !LimitReached() &&
         rows_until_watch_ > 1 && cursor.LocateRow()) {
    if (filter_->Makes(filter::kReset)) {
      filter_->state().Reset();
    }
    if (filter_->Makes(filter::kFilterAllRemaining) && filter_->state().FilterAllRemaining()) {
      return Step::kGoOn;
    }
    const Simple read = ReadFiltered(result);
    if (read == Simple::kNo) {
      return Step::kGoOn;
    }
    ++statistics_.rows_read;
    --rows_until_watch_;
    if (read == Simple::kMore) {
      return Step::kGoOn;
    }
    if (result->empty() && !filter_->Makes(filter::kError)) [[likely]] {
      continue;
    }
    if (reader_->Finish(result)) {
      ++statistics_.rows_returned;
      return CheckEnds(Step::kReturn);
    }
    if (!reader_->status().ok()) {
      return Fail(reader_->status());
    }
  }
  return Step::kGoOn;
}

RowScanner::Rep::Step RowScanner::Rep::BeginSimple(Result* result, bool* begun) {
  const Simple read = ReadSimple(result);
  *begun = read != Simple::kNo;
  return read == Simple::kRow ? CheckEnds(result->empty() ? Step::kGoOn : Step::kReturn) : Step::kGoOn;
}

RowScanner::Rep::Step RowScanner::Rep::BeginFiltered(Result* result, bool* begun) {
  const Simple read = ReadFiltered(result);
  *begun = read != Simple::kNo;
  return read == Simple::kRow ? FinishPiece(result) : Step::kGoOn;
}

}  // namespace klip::engine
