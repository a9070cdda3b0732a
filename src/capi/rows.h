// klip_rows: cells of many rows in memory that is used again for the next ones.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "klip/cell.h"
#include "klip/klip.h"
#include "klip/status.h"

struct klip_rows {
 public:
  // No rows; the memory stays.
  void Clear();

  // Copies the row: of many, out of a Result that is read into again.
  void Add(const klip::Result& row);
  // Keeps the row itself.
  void Keep(klip::Result row);
  // A row that is an error instead.
  void AddError(klip::Status status);

  // To be called when all are added: only then the addresses stay.
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
