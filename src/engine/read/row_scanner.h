// RowScanner: the read path. Walks the cells of a table's families in row order, decides which are visible, asks the
// filter, and fills Results. Jumps over rows that a RowSet excludes; measured costs decide between steps and seeks
// (jump_policy.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "engine/read/read_view.h"
#include "engine/store/store.h"
#include "klip/cell.h"
#include "klip/filter.h"
#include "klip/plan.h"
#include "klip/query.h"
#include "klip/row_batch.h"
#include "klip/status.h"

namespace klip::filter {
class RowSet;
}

namespace klip::engine {

// What a ScanWatch asks of a scan while it reads.
enum class ScanAdvice : uint8_t {
  kGoOn,
  kPause,  // Next returns true with an empty Result; the next call continues from here
  kEnd,    // Next fails with kCancelled
};
// Called with the scan's current row: once for several rows, and within long rows that may be cut.
using ScanWatch = std::function<ScanAdvice(std::string_view row)>;

struct RowScanSpec {
  Scan scan;                                   // `where` and `threads` are ignored: the caller has planned them
  std::shared_ptr<const filter::RowSet> rows;  // null: every row of [start_row, stop_row)
  FilterPtr filter;                            // in place of scan.filter; null: none
  bool every_row = false;                      // reads every row of the range, without jumps
  double expected_gap_rows = 0;                // the planner's estimate of the rows that a jump skips; 0: unknown
  int64_t max_row_read_bytes = 0;              // kRowTooBig above this; 0: no limit
  ScanWatch watch;                             // null: never paused or cancelled
  ReadViewPtr view;                            // null: the store as it is now
};

// Not thread-safe. Holds the TableView, so the data stays readable after the table is dropped.
class RowScanner {
 public:
  // Errors: kNoSuchColumnFamily, kInvalidArgument (time range, raw with columns, ...), kIncompatibleFilter, kIoError.
  static Expected<std::unique_ptr<RowScanner>> Open(const Store& store, TablePtr table, RowScanSpec spec);
  ~RowScanner();

  // As ResultScanner::Next, except for what the watch causes.
  Expected<bool> Next(Result* result);

  // Fills the batch with the rows that Next would return, until it is full. False: the end, and no row was added. If
  // the watch pauses, the batch has fewer rows, maybe none. Rows of visible puts need no Result. REQUIRES: each call
  // has the same columns.
  Expected<bool> Fill(RowBatch* batch);

  // Reads to the end and returns the number of rows that Next would have finished. Rows whose first cell makes them
  // visible need no Result. A watch that pauses does not end it.
  Expected<int64_t> CountRows();

  const ScanStatistics& statistics() const;

 private:
  class Rep;
  explicit RowScanner(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

// The number of rows that a scan of the table would return, if it is known without reading. It is if the scan requests
// all cells of the table's one family, memory is empty, and the files contain only visible puts, each row in one file.
// Exact as of some moment of the call.
std::optional<int64_t> KnownRowCount(const Store& store, const TableView& table, const Scan& scan);

// Reads one row, with bloom filters where they help. REQUIRES: a caller that writes a result of this read holds the
// row's lock.
Status ReadRow(const Store& store, const TablePtr& table, const Get& get, int64_t max_row_read_bytes, Result* result,
               ScanStatistics* statistics = nullptr, const ReadView* view = nullptr);

}  // namespace klip::engine
