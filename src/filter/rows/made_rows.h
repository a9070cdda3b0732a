// MadeRowScanner: a scan of rows that are computed by each read and not stored, such as those of hbase:meta.
//
// A derived class makes whole rows. This class does what HBase's read path does with the cells of a row: it applies
// columns, time ranges, filter and limits, and cuts the row into pieces.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "klip/cell.h"
#include "klip/filter_state.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/status.h"
#include "klip/table.h"

namespace klip::filter {

// All cells of a row in their order, with one version of each column. Without cells: the scan pauses. Null: no more rows.
using MadeRow = std::unique_ptr<Result>;

// Not thread-safe.
class MadeRowScanner : public ResultScanner {
 public:
  Expected<bool> Next(Result* result) final;
  ScanStatistics statistics() const override { return statistics_; }

 protected:
  explicit MadeRowScanner(const Scan& scan);

  // The next row in the scan's range and direction. Errors: those of making it.
  virtual Expected<MadeRow> NextRow() = 0;

  const Scan& scan() const { return scan_; }

 private:
  bool Selects(const Cell& cell) const;
  bool Pass(Result* row);
  bool PassFilter(Result* row, std::vector<Cell>* cells);
  void Limit(std::vector<Cell>* cells) const;
  void TakePiece(Result* result);

  const Scan scan_;
  const std::unique_ptr<FilterState> filter_;  // null: none
  bool ended_ = false;                         // by the filter
  MadeRow rest_;                               // of which `told_` cells were returned; null: none
  size_t told_ = 0;
  ScanStatistics statistics_;
};

// The scan of the row of `get`.
Scan ScanOf(const Get& get);
// The answer to `get` from a scanner of ScanOf(get). Errors: those of the scanner.
Expected<Result> AnswerOf(const Get& get, ResultScanner* scanner);

}  // namespace klip::filter
