// FilterState: one filter at work in one region of one scan. The calls and their order are HBase's: per row Reset,
// FilterAllRemaining, FilterRowKey, per cell FilterCell (TransformCell when included), FilterRowCells, FilterRow.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "klip/cell.h"
#include "klip/filter.h"

namespace klip::filter {

// The order is HBase's and matters when a FilterList merges codes.
enum class ReturnCode : uint8_t {
  kInclude,
  kIncludeAndNextCol,
  kSkip,
  kNextCol,
  kNextRow,  // ends the row in the current family only
  kSeekNextUsingHint,
  kIncludeAndSeekNextRow,
};

// Where a hint leads: a row, or a column of it. Reversed: to the last row that is not above `row`; a hint that is not below
// the current row leads nowhere, and the scan moves on by itself.
struct CellHint {
  std::string row;
  std::string family;
  std::string qualifier;
  int64_t timestamp_ms = kLatestTimestamp;
  bool has_column = false;
};

class FilterState {
 public:
  virtual ~FilterState() = default;

  virtual void Reset() {}
  virtual bool FilterAllRemaining() { return false; }
  virtual bool FilterRowKey(std::string_view /*row*/) { return false; }  // true: drop the row
  virtual ReturnCode FilterCell(const Cell& /*cell*/) { return ReturnCode::kInclude; }

  // Gives hints by row key or column. In a FilterList such filters are asked for one even when another has dropped the cell.
  virtual bool Hints() const { return false; }

  // After kSeekNextUsingHint. False: no hint, nothing further can match.
  virtual bool NextHint(const Cell& /*current*/, CellHint* /*hint*/) { return false; }

  // May point cell->value at storage of `result`.
  virtual void TransformCell(Cell* /*cell*/, Result* /*result*/) {}

  virtual void FilterRowCells(std::vector<Cell>* /*cells*/) {}
  virtual bool FilterRow() { return false; }  // true: drop the row

  // The decision needs the whole row: no batch, no partial results.
  virtual bool HasFilterRow() const { return false; }

  // False: cells of the family are only read for rows that pass without it.
  virtual bool IsFamilyEssential(std::string_view /*family*/) const { return true; }
};

}  // namespace klip::filter
