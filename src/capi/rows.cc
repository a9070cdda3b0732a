#include "capi/rows.h"

#include <utility>

#include "capi/call.h"

using klip::capi::Bytes;

void klip_rows::Clear() {
  rows_.clear();
  stale_.clear();
  cells_.clear();
  storage_.Clear();
  kept_.clear();
  errors_.clear();
  bytes_ = 0;
}

void klip_rows::AddRow(const klip::Result& row) {
  rows_.push_back({.cells = nullptr,
                   .cell_count = row.size(),
                   .exists = row.exists(),
                   .has_more_cells = row.has_more_cells_in_row(),
                   .error = nullptr});
  stale_.push_back(row.stale());
}

void klip_rows::Add(const klip::Result& row) {
  // One copy of the row's key, and one of each family for consecutive cells.
  const klip_bytes key = Bytes(storage_.Store(row.row()));
  klip_bytes family = {nullptr, 0};
  for (const klip::Cell& cell : row) {
    if (cell.family != klip::capi::View(family) || family.data == nullptr) {
      family = Bytes(storage_.Store(cell.family));
    }
    cells_.push_back({.row = key,
                      .family = family,
                      .qualifier = Bytes(storage_.Store(cell.qualifier)),
                      .value = Bytes(storage_.Store(cell.value)),
                      .tags = Bytes(storage_.Store(cell.tags)),
                      .timestamp_ms = cell.timestamp_ms,
                      .type = static_cast<int32_t>(cell.type),
                      .reserved = 0});
    bytes_ += cell.qualifier.size() + cell.value.size() + sizeof(klip_cell);
  }
  bytes_ += key.size;
  AddRow(row);
}

void klip_rows::Keep(klip::Result row) {
  for (const klip::Cell& cell : row) {
    cells_.push_back({.row = Bytes(cell.row),
                      .family = Bytes(cell.family),
                      .qualifier = Bytes(cell.qualifier),
                      .value = Bytes(cell.value),
                      .tags = Bytes(cell.tags),
                      .timestamp_ms = cell.timestamp_ms,
                      .type = static_cast<int32_t>(cell.type),
                      .reserved = 0});
  }
  AddRow(row);
  kept_.push_back(std::move(row));
}

void klip_rows::AddError(klip::Status status) {
  AddRow(klip::Result());
  errors_.push_back(std::make_unique<klip_error>(klip_error{std::move(status)}));
  rows_.back().error = errors_.back().get();
}

void klip_rows::Finish() {
  const klip_cell* next = cells_.data();
  for (klip_row& row : rows_) {
    row.cells = next;
    next += row.cell_count;
  }
}

extern "C" {

size_t klip_rows_size(const klip_rows* rows) { return rows == nullptr ? 0 : rows->size(); }

const klip_row* klip_rows_get(const klip_rows* rows, size_t index) {
  return rows == nullptr ? nullptr : rows->at(index);
}

int klip_rows_stale(const klip_rows* rows, size_t index) { return rows != nullptr && rows->stale(index); }

void klip_rows_free(klip_rows* rows) { delete rows; }

}  // extern "C"
