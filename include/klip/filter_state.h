// FilterState: one filter in one region of one scan. Custom filters derive from it.
//
// A custom filter is a Filter (klip/filter.h) whose NewState creates a FilterState. The calls and their order are HBase's:
// per row Reset, FilterAllRemaining, FilterRowKey, per cell FilterCell (TransformCell when it is included), FilterRowCells,
// FilterRow. Only one thread uses a state. examples/own_filter.cc is a complete example.
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

// The decision on a cell, and what the scan may skip. The order is HBase's, and matters when a FilterList merges codes.
enum class ReturnCode : uint8_t {
  kInclude,
  kIncludeAndNextCol,
  kSkip,
  kNextCol,
  kNextRow,  // ends the row in the current family only
  kSeekNextUsingHint,
  kIncludeAndSeekNextRow,
};

// The target of a hint: a row, or a column of it. Reversed: the last row that is not above `row`; a hint that is not below
// the current row has no effect, and the scan continues by itself. Within a row, hints lead forward in either direction.
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

  // The calls for which this state does more than the default: a scan omits the others. Does not change.
  virtual uint8_t Calls() const { return kAllCalls; }

  // A new row begins.
  virtual void Reset() {}

  // True: nothing more passes in this region.
  virtual bool FilterAllRemaining() { return false; }

  // True: drop the row. Its cells are not read, and FilterRow is not called.
  virtual bool FilterRowKey(std::string_view /*row*/) { return false; }

  // The cell's views are valid during the call.
  virtual ReturnCode FilterCell(const Cell& /*cell*/) { return ReturnCode::kInclude; }

  // A FilterList calls a filter that gives hints even if another member has dropped the cell. One that hints by row key also
  // prevents others from dropping the row by its key, so that it is called.
  virtual HintKind Hints() const { return HintKind::kNone; }

  // Called before the first row, in a FilterList with a member that needs every cell: the filter must not end a row or jump over a column
  // unless HBase's filter of that name does.
  virtual void ShowEveryCell() {}

  // Called after kSeekNextUsingHint. False: no hint, the scan goes to the next cell.
  virtual bool NextHint(const Cell& /*current*/, CellHint* /*hint*/) { return false; }

  // May point cell->value to storage of `result`.
  virtual void TransformCell(Cell* /*cell*/, Result* /*result*/) {}

  // The row's cells as they would be returned; only called if HasFilterRow.
  virtual void FilterRowCells(std::vector<Cell>* /*cells*/) {}

  // True: drop the row. Called at the end of rows that have cells left; cells that a batch has already returned stay returned.
  virtual bool FilterRow() { return false; }

  // The decision needs the whole row: no batch, no partial results.
  virtual bool HasFilterRow() const { return false; }

  // Is a batch allowed nevertheless? Cells that it has returned before the decision stay returned.
  virtual bool AllowsBatch() const { return !HasFilterRow(); }

  // False: cells of the family are only read for rows that pass without it.
  virtual bool IsFamilyEssential(std::string_view /*family*/) const { return true; }

  // The error passed to Fail; nullptr: none. The scan checks it at least once per row, and ends with it.
  virtual const Status* Error() const { return error_.get(); }

 protected:
  // Reports an error of the filter: the scan ends with it. The first one counts.
  void Fail(Status status) {
    if (error_ == nullptr) {
      error_ = std::make_unique<Status>(std::move(status));
    }
  }

 private:
  std::unique_ptr<Status> error_;
};

}  // namespace klip::filter
