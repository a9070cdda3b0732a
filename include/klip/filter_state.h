// FilterState: one filter at work in one region of one scan, and what filters of your own derive from.
//
// A filter of your own is a Filter (klip/filter.h) whose NewState makes a FilterState. The calls and their order are HBase's:
// per row Reset, FilterAllRemaining, FilterRowKey, per cell FilterCell (TransformCell when it is included), FilterRowCells,
// FilterRow. One thread uses a state. examples/own_filter.cc has a complete one.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/cell.h"
#include "klip/status.h"

namespace klip::filter {

// What becomes of a cell, and what the scan may pass over. The order is HBase's and matters when a FilterList merges codes.
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
// the current row leads nowhere, and the scan moves on by itself. Within a row hints lead forward in either direction.
struct CellHint {
  std::string row;
  std::string family;
  std::string qualifier;
  int64_t timestamp_ms = kLatestTimestamp;
  bool has_column = false;
};

enum class HintKind : uint8_t { kNone, kColumns, kRows };

// The calls of a FilterState that are made per row or per included cell, as bits.
enum Call : uint8_t {
  kReset = 1,
  kFilterAllRemaining = 2,
  kFilterRowKey = 4,
  kTransformCell = 8,
  kFilterRowCells = 16,
  kFilterRow = 32,
  kError = 64,
  kAllCalls = 127,
};

class FilterState {
 public:
  virtual ~FilterState() = default;

  // The calls that this state answers by more than the default: a scan leaves the others out. Does not change.
  virtual uint8_t Calls() const { return kAllCalls; }

  // A new row begins.
  virtual void Reset() {}

  // True: nothing further passes in this region.
  virtual bool FilterAllRemaining() { return false; }

  // True: drop the row. Its cells are not read, and FilterRow is not called.
  virtual bool FilterRowKey(std::string_view /*row*/) { return false; }

  // The cell's views are good during the call.
  virtual ReturnCode FilterCell(const Cell& /*cell*/) { return ReturnCode::kInclude; }

  // In a FilterList a filter that gives hints is asked for them even when another has dropped the cell. One that hints by row
  // key also keeps the row's key from being dropped by others, so that it comes to be asked.
  virtual HintKind Hints() const { return HintKind::kNone; }

  // Before the first row, in a FilterList with a member that needs every cell: end no row and jump over no column that HBase's
  // filter of that name would not.
  virtual void ShowEveryCell() {}

  // After kSeekNextUsingHint. False: no hint, the scan goes to the next cell.
  virtual bool NextHint(const Cell& /*current*/, CellHint* /*hint*/) { return false; }

  // May point cell->value at storage of `result`.
  virtual void TransformCell(Cell* /*cell*/, Result* /*result*/) {}

  // The row's cells as they would be returned; only called when HasFilterRow.
  virtual void FilterRowCells(std::vector<Cell>* /*cells*/) {}

  // True: drop the row. Called at the end of rows that have cells left; what a batch has returned of the row by then stays.
  virtual bool FilterRow() { return false; }

  // The decision needs the whole row: no batch, no partial results.
  virtual bool HasFilterRow() const { return false; }

  // May a batch be set all the same? What it has returned of a row before the decision stays.
  virtual bool AllowsBatch() const { return !HasFilterRow(); }

  // False: cells of the family are only read for rows that pass without it.
  virtual bool IsFamilyEssential(std::string_view /*family*/) const { return true; }

  // The error that Fail was called with; nullptr: none. Asked at least once per row; the scan ends with it.
  virtual const Status* Error() const { return error_.get(); }

 protected:
  // The filter cannot tell: the scan is to end with an error. The first one stays.
  void Fail(Status status) {
    if (error_ == nullptr) {
      error_ = std::make_unique<Status>(std::move(status));
    }
  }

 private:
  std::unique_ptr<Status> error_;
};

}  // namespace klip::filter
