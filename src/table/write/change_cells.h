// Shared by increments and appends: reads the newest cell of each column and derives a new one from it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "table/write/cells.h"

namespace klip::table {

// The columns in the order in which HBase applies and returns them.
template <typename Column>
std::vector<const Column*> InCellOrder(const std::vector<Column>& columns) {
  std::vector<const Column*> sorted;
  sorted.reserve(columns.size());
  for (const Column& column : columns) {
    sorted.push_back(&column);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Column* a, const Column* b) {
    return a->family != b->family ? a->family < b->family : a->qualifier < b->qualifier;
  });
  return sorted;
}

// Null: the caller does not want it.
inline void Return(const Cell& cell, Result* result) {
  if (result != nullptr) {
    result->AppendCopy(cell);
  }
}

// Stores what hooks have made of the new cells of a row, checked as cells from outside are. A cell without a timestamp gets
// the current time.
inline Status AddComputed(WriteStep* step, std::string_view row, std::vector<ComputedCell> computed) {
  KLIP_RETURN_IF_ERROR((*step->computed)(&computed));
  std::vector<Cell> cells;
  for (const ComputedCell& cell : computed) {
    const int64_t timestamp_ms = cell.timestamp_ms == kLatestTimestamp ? step->now_ms : cell.timestamp_ms;
    cells.push_back({row, cell.family, cell.qualifier, timestamp_ms, CellType::kPut, cell.value, cell.tags});
    step->newest_ms = std::max(step->newest_ms, timestamp_ms);
  }
  if (cells.empty()) {
    return Status::Ok();
  }
  KLIP_RETURN_IF_ERROR(CheckCells(step->info, step->limits, cells));
  return AddAsTheyAre(step, cells);
}

// `new_value(column, current cell or nullptr, std::string*)` computes the bytes to store, or an error. The new cell has
// the current time, or a time just after the cell that it replaces (if that has the largest timestamp, the same one), and
// that cell's tags.
template <typename Change, typename NewValue>
Status ChangeCells(WriteStep* step, const Change& change, NewValue new_value) {
  const auto columns = InCellOrder(change.columns);
  Get get = {.row = change.row, .time_range = change.time_range};
  for (const auto* column : columns) {
    get.columns.push_back({column->family, column->qualifier});
  }
  Result current;
  KLIP_RETURN_IF_ERROR(step->source.Get(step->info, get, &current));
  Result* const result = change.return_results ? step->result : nullptr;
  if (step->repeated) {
    for (const Cell& cell : current) {
      Return(cell, result);
    }
    return Status::Ok();
  }
  const std::string own_tags = TagsFor(change.ttl_ms);
  std::string value;
  std::vector<ComputedCell> computed;  // for hooks
  for (const auto* column : columns) {
    const Cell* cell = current.Find(column->family, column->qualifier);
    KLIP_RETURN_IF_ERROR(new_value(*column, cell, &value));
    const int64_t own_ms = column->timestamp_ms == kLatestTimestamp ? step->now_ms : column->timestamp_ms;
    const int64_t timestamp_ms =
        cell == nullptr ? own_ms : std::max(step->now_ms, std::min(cell->timestamp_ms, kLatestTimestamp - 1) + 1);
    const std::string_view tags = own_tags.empty() && cell != nullptr ? cell->tags : std::string_view(own_tags);
    if (step->computed != nullptr) {
      computed.push_back({cell, column->family, column->qualifier, timestamp_ms, value, std::string(tags)});
    } else {
      step->writes->Add(*step->info.view->Find(column->family), change.row, column->qualifier, timestamp_ms,
                        CellType::kPut, value, tags);
    }
    step->newest_ms = std::max(step->newest_ms, timestamp_ms);
    Return({change.row, column->family, column->qualifier, timestamp_ms, CellType::kPut, value, {}}, result);
  }
  return step->computed == nullptr ? Status::Ok() : AddComputed(step, change.row, std::move(computed));
}

}  // namespace klip::table
