// The rows that most scans meet: one family, read forward, the first cell a visible put. They get by with a part of what
// row_scanner.cc does for a row.
#include "engine/read/row_scanner_rep.h"

namespace klip::engine {

RowReader::Simple RowScanner::Rep::ReadSimple(Result* result) {
  const RowReader::Simple read = reader->ReadSimpleRow(&readers.front(), result);
  if (read == RowReader::Simple::kRow) [[likely]] {
    ++statistics.rows_returned;
  } else if (read == RowReader::Simple::kMore) {
    row_entered = true;
    in_row = true;
    row_returned = false;
    at_reader = 0;
  }
  return read;
}

bool RowScanner::Rep::NextSimple(Result* result) {
  FamilyCursor& cursor = *readers.front().cursor;
  if (in_row || row_entered || done || cursor.at_end() || !run_within || !cursor.LocateRow() || !cursor.plain_row() ||
      LimitReached() || (rows != nullptr && !rows->InRun(RowOf(cursor)))) {
    return false;
  }
  const RowReader::Simple read = ReadSimple(result);
  statistics.rows_read += read == RowReader::Simple::kNo ? 0 : 1;
  return read == RowReader::Simple::kRow && (!cursor.at_end() || CursorsSound());
}

bool RowScanner::Rep::NextFiltered(Result* result) {
  FamilyCursor& cursor = *readers.front().cursor;
  while (!in_row && !row_entered && !region_done && !cursor.at_end() && !LimitReached() && rows_to_watch > 1 &&
         cursor.LocateRow() && cursor.plain_row()) {
    if ((filter_calls & filter::kReset) != 0) {
      filter->Reset();
    }
    if ((filter_calls & filter::kFilterAllRemaining) != 0 && filter->FilterAllRemaining()) {
      return false;
    }
    const RowReader::Simple read = reader->ReadFilteredRow(&readers.front(), result);
    if (read == RowReader::Simple::kNo) {
      return false;
    }
    ++statistics.rows_read;
    --rows_to_watch;
    row_entered = read != RowReader::Simple::kRow;
    if (read == RowReader::Simple::kMore) {
      in_row = true;
      row_returned = false;
      at_reader = 0;
      return false;
    }
    if (result->empty() && (filter_calls & filter::kError) == 0) [[likely]] {
      continue;
    }
    if (reader->Finish(result)) {
      ++statistics.rows_returned;
      return !cursor.at_end() || CursorsSound();
    }
    if (!reader->status().ok()) {
      failure = reader->status();
      return false;
    }
  }
  return false;
}

}  // namespace klip::engine
