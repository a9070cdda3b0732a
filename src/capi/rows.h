// klip_rows: cells of many rows, in memory that is reused.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "klip/cell.h"
#include "klip/klip.h"
#include "klip/status.h"

struct klip_rows {
 public:
  // Removes all rows; keeps the memory.
  void Clear();

  // Copies a row from a Result that will be reused.
  void Add(const klip::Result& row);
  // Keeps the row itself.
  void Keep(klip::Result row);
  // An error instead of a row.
  void AddError(klip::Status status);

  // Call it after adding all rows: only then addresses are stable.
  void Finish();

  size_t size() const { return rows_.size(); }
  size_t bytes() const { return bytes_; }
  const klip_row* at(size_t index) const { return index < rows_.size() ? &rows_[index] : nullptr; }
  bool stale(size_t index) const { return index < stale_.size() && stale_[index]; }

 private:
  void AddRow(const klip::Result& row);

  std::vector<klip_row> rows_;
  std::vector<bool> stale_;  // by row
  std::vector<klip_cell> cells_;
  klip::Result storage_;            // what Add copied
  std::vector<klip::Result> kept_;  // what Keep was given
  std::vector<std::unique_ptr<klip_error>> errors_;
  size_t bytes_ = 0;  // copied since Clear
};
