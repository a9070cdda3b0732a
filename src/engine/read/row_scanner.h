// RowScanner: the read path. Walks the cells of a table's families in row order, decides which are visible, asks the filter,
// and fills Results. Jumps over rows that a RowSet excludes, stepping or seeking as measured costs advise (jump_policy.h).
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

// What whoever waits for a scan tells it while it reads.
enum class ScanAdvice : uint8_t {
  kGoOn,
  kPause,  // Next returns true with an empty Result; the next call goes on from here
  kEnd,    // Next fails with kCancelled
};
// Called with the row that the scan has come to: every some rows, and within long rows that may be cut.
using ScanWatch = std::function<ScanAdvice(std::string_view row)>;

struct RowScanSpec {
  Scan scan;                                   // `where` and `threads` are ignored: they are planned above
  std::shared_ptr<const filter::RowSet> rows;  // null: every row of [start_row, stop_row)
  FilterPtr filter;                            // in place of scan.filter; null: none
  bool every_row = false;                      // looks at every row of the range, and jumps over none
  double expected_gap_rows = 0;                // planner's guess of the rows skipped by a jump; 0: unknown
  int64_t max_row_read_bytes = 0;              // kRowTooBig above this; 0: no limit
  ScanWatch watch;                             // null: never paused or cancelled
  ReadViewPtr view;                            // null: the store as it is now
};

// Not thread-safe. Holds the TableView, so the data stays readable when the table is dropped.
class RowScanner {
 public:
  // Errors: kNoSuchColumnFamily, kInvalidArgument (time range, raw with columns, ...), kIncompatibleFilter, kIoError.
  static Expected<std::unique_ptr<RowScanner>> Open(const Store& store, TablePtr table, RowScanSpec spec);
  ~RowScanner();

  // As ResultScanner::Next, but for what the watch brings about.
  Expected<bool> Next(Result* result);

  // Fills the batch with what Next would return, until it is full; false at the end, when no row was added. A watch that pauses leaves
  // it with fewer rows, maybe none. Rows of visible puts are read without a Result. REQUIRES: each call has the same columns.
  Expected<bool> Fill(RowBatch* batch);

  // Reads to the end and says how many rows Next would have finished. Rows that are known to be visible by their first cell are
  // counted without a Result. A watch that pauses does not end it.
  Expected<int64_t> CountRows();

  const ScanStatistics& statistics() const;

 private:
  class Rep;
  explicit RowScanner(std::unique_ptr<Rep> rep);
  std::unique_ptr<Rep> rep_;
};

// How many rows a scan of the table would return, where that is known without reading: the scan asks for all cells of the table's one
// family, nothing is in memory, and the files hold visible puts alone, each row in one file. Exact as of some moment of the call.
std::optional<int64_t> KnownRowCount(const Store& store, const TableView& table, const Scan& scan);

// Reads one row, by bloom filters where they help. REQUIRES: the caller holds the row's lock if it will write what it read.
Status ReadRow(const Store& store, const TablePtr& table, const Get& get, int64_t max_row_read_bytes, Result* result,
               ScanStatistics* statistics = nullptr, const ReadView* view = nullptr);

}  // namespace klip::engine
