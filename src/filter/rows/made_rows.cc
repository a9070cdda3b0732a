#include "filter/rows/made_rows.h"

#include <algorithm>
#include <string>
#include <utility>

#include "klip/filter.h"

namespace klip::filter {

MadeRowScanner::MadeRowScanner(const Scan& scan)
    : scan_(scan), filter_(scan_.filter == nullptr ? nullptr : scan_.filter->NewState(scan_.reversed)) {}

Expected<bool> MadeRowScanner::Next(Result* result) {
  result->Clear();
  if (rest_ != nullptr) {
    TakePiece(result);
    return true;
  }
  while (!ended_ && (scan_.limit_rows <= 0 || statistics_.rows_returned < scan_.limit_rows)) {
    KLIP_ASSIGN_OR_RETURN(MadeRow row, NextRow());
    if (row == nullptr) {
      return false;
    }
    if (row->empty()) {
      return true;
    }
    ++statistics_.rows_read;
    const bool pass = Pass(row.get());
    if (filter_ != nullptr && filter_->Error() != nullptr) {
      return *filter_->Error();
    }
    if (pass) {
      ++statistics_.rows_returned;
      if (scan_.batch > 0) {
        rest_ = std::move(row);
        TakePiece(result);
      } else {
        *result = std::move(*row);
      }
      return true;
    }
  }
  return false;
}

// The next Scan::batch cells of a row.
void MadeRowScanner::TakePiece(Result* result) {
  const size_t end = std::min(rest_->size(), told_ + static_cast<size_t>(scan_.batch));
  for (; told_ < end; ++told_) {
    result->AppendCopy((*rest_)[told_]);
  }
  result->set_has_more_cells_in_row(told_ < rest_->size());
  if (told_ == rest_->size()) {
    rest_.reset();
    told_ = 0;
  }
}

bool MadeRowScanner::Selects(const Cell& cell) const {
  const auto own = scan_.family_time_ranges.find(std::string(cell.family));
  const TimeRange& range = own == scan_.family_time_ranges.end() ? scan_.time_range : own->second;
  const bool wanted =
      scan_.columns.empty() || std::ranges::any_of(scan_.columns, [&](const ColumnSpec& column) {
        return column.family == cell.family && (!column.qualifier.has_value() || *column.qualifier == cell.qualifier);
      });
  return wanted && cell.timestamp_ms >= range.min_ms && cell.timestamp_ms < range.max_ms;
}

// Leaves the cells that the scan returns. False: none.
bool MadeRowScanner::Pass(Result* row) {
  std::vector<Cell> cells;
  std::ranges::copy_if(*row, std::back_inserter(cells), [this](const Cell& cell) { return Selects(cell); });
  if (cells.empty()) {
    return false;
  }
  if (filter_ == nullptr) {
    Limit(&cells);
  } else if (!PassFilter(row, &cells)) {
    return false;
  }
  for (size_t i = 0; i < cells.size(); ++i) {
    row->Mutable(i) = cells[i];
  }
  row->Truncate(cells.size());
  return !cells.empty();
}

bool MadeRowScanner::PassFilter(Result* row, std::vector<Cell>* cells) {
  filter_->Reset();
  ended_ = filter_->FilterAllRemaining();
  if (ended_ || filter_->FilterRowKey(row->row())) {
    return false;
  }
  std::vector<Cell> kept;
  std::string_view left;  // the family whose other cells are not wanted
  bool leaves = false;
  for (const Cell& cell : *cells) {
    if (leaves && cell.family == left) {
      continue;
    }
    const ReturnCode code = filter_->FilterCell(cell);
    if (code == ReturnCode::kInclude || code == ReturnCode::kIncludeAndNextCol ||
        code == ReturnCode::kIncludeAndSeekNextRow) {
      kept.push_back(cell);
      filter_->TransformCell(&kept.back(), row);
    }
    leaves = code == ReturnCode::kNextRow || code == ReturnCode::kIncludeAndSeekNextRow;
    left = cell.family;
  }
  *cells = std::move(kept);
  Limit(cells);
  filter_->FilterRowCells(cells);
  return !filter_->HasFilterRow() || !filter_->FilterRow();
}

void MadeRowScanner::Limit(std::vector<Cell>* cells) const {
  if (scan_.row_offset_per_family <= 0 && scan_.max_results_per_family < 0) {
    return;
  }
  const int64_t first = std::max(scan_.row_offset_per_family, 0);
  const int64_t end = scan_.max_results_per_family < 0 ? INT64_MAX : first + scan_.max_results_per_family;
  std::string_view family;
  int64_t count = 0;
  std::erase_if(*cells, [&](const Cell& cell) {
    count = cell.family == family ? count + 1 : 0;
    family = cell.family;
    return count < first || count >= end;
  });
}

Scan ScanOf(const Get& get) {
  Scan scan = {.start_row = get.row, .stop_row = get.row, .include_stop = true};
  scan.columns = get.columns;
  scan.time_range = get.time_range;
  scan.family_time_ranges = get.family_time_ranges;
  scan.max_results_per_family = get.max_results_per_family;
  scan.row_offset_per_family = get.row_offset_per_family;
  scan.filter = get.filter;
  return scan;
}

Expected<Result> AnswerOf(const Get& get, ResultScanner* scanner) {
  Result row;
  KLIP_RETURN_IF_ERROR(scanner->Next(&row).status());
  if (!get.check_existence_only) {
    return row;
  }
  Result exists;
  exists.set_exists(!row.empty());
  return exists;
}

}  // namespace klip::filter
