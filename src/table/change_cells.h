// What increments and appends have in common: read the newest cell of each column, make a new one from it.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/read/row_scanner.h"
#include "table/write_step.h"

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

// `new_value(column, current cell or nullptr, std::string*)` makes the bytes to store, or an error. The new cell is
// of now, or just newer than the cell it replaces (of the latest time there is, in its place), and carries that one's tags.
template <typename Change, typename NewValue>
Status ChangeCells(const WriteStep& step, const Change& change, Result* result, NewValue new_value) {
  const auto columns = InCellOrder(change.columns);
  Get get = {.row = change.row, .time_range = change.time_range};
  for (const auto* column : columns) {
    get.columns.push_back({column->family, column->qualifier});
  }
  Result current;
  KLIP_RETURN_IF_ERROR(engine::ReadRow(step.store, step.info.view, get, step.limits.max_row_read_bytes, &current));
  const std::string own_tags = TagsFor(change.ttl_ms);
  std::string value;
  for (const auto* column : columns) {
    const Cell* cell = current.Find(column->family, column->qualifier);
    KLIP_RETURN_IF_ERROR(new_value(*column, cell, &value));
    const int64_t own_ms = column->timestamp_ms == kLatestTimestamp ? step.now_ms : column->timestamp_ms;
    const int64_t timestamp_ms =
        cell == nullptr ? own_ms : std::max(step.now_ms, std::min(cell->timestamp_ms, kLatestTimestamp - 1) + 1);
    const std::string_view tags = own_tags.empty() && cell != nullptr ? cell->tags : std::string_view(own_tags);
    step.writes->Add(*step.info.view->Find(column->family), change.row, column->qualifier, timestamp_ms, CellType::kPut,
                     value, tags);
    if (change.return_results) {
      result->AppendCopy({change.row, column->family, column->qualifier, timestamp_ms, CellType::kPut, value, {}});
    }
  }
  return Status::Ok();
}

}  // namespace klip::table
