// The state of a RowScanner; for row_scanner.cc and simple_rows.cc only.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "rocksdb/options.h"
#include "rocksdb/slice.h"

#include "engine/read/read_setup.h"
#include "engine/read/region_filter.h"
#include "engine/read/row_reader.h"
#include "engine/read/row_scanner.h"
#include "engine/read/row_set_walk.h"
#include "engine/read/scan_families.h"
#include "klip/bytes.h"

namespace klip::engine {

// Bounds of a scan as RocksDB keys: cells in [lower, upper). Empty: open.
struct KeyBounds {
  std::string lower;
  std::string upper;
};

// Measures the time spent in calls, at little cost. Reading the clock takes a noticeable part of a row's time. So in a
// long series only some calls are timed, and each stands for several.
class SampledClock {
 public:
  // How many calls the next one stands for; 0: it is not timed.
  uint64_t NextWeight() {
    constexpr uint64_t kAllTimed = 64;
    constexpr uint64_t kOneInSoMany = 16;
    const uint64_t weight = calls_ < kAllTimed ? 1 : calls_ % kOneInSoMany == 0 ? kOneInSoMany : 0;
    ++calls_;
    return weight;
  }
  void Add(uint64_t weight, uint64_t ticks) { ticks_ += weight * ticks; }
  // Converts ticks to time by how far both have advanced since the clock's creation.
  int64_t ElapsedUs() const;

 private:
  uint64_t calls_ = 0;
  uint64_t ticks_ = 0;
  const uint64_t first_ticks_ = Ticks();
  const std::chrono::steady_clock::time_point first_time_ = std::chrono::steady_clock::now();
};

// A state machine. The phase says where the cursors stand; the path, chosen once by Start, says how a row is started.
//
//   phase           cursors stand                             next
//   kBetweenRows    at the first cell of the next row         BeginRow -> kInRow, kRowRead, kBetweenRows or kDone
//   kInRow          in a row with cells left                  ReadPiece -> kInRow (a piece was cut) or kRowRead
//   kRowRead        in a row that needs no more reading       BeginRow leaves it: kBetweenRows, then as there
//   kDone           anywhere                                  nothing: every call says "no more", or the error again
//
// BeginRow finds the next row (FindRow: bounds, watch, row set, filter on the key). Then it depends on the path:
//   kSimple         one family, forward, no filter: copies the row while it is of visible puts (simple_rows.cc), else as kGeneral
//   kFiltered       the same with a filter, which is asked about each cell
//   kCellFilter     kFiltered, and FindRow has nothing to decide (no row set, one region, a filter that ignores row keys):
//                   NextFiltered moves from row to row without it
//   kGeneral        starts the row; ReadPiece reads it family by family
// A pause (ScanAdvice::kPause) is not a phase: Next returns early, and the next call continues in the same phase.
//
// Example: a scan of one family, in pieces of 2 cells, over rows "a" (1 cell) and "b" (3 cells). It has no filter:
// kSimple.
//   Next: kBetweenRows; the cell of "a" is copied, the cursor steps to "b": kBetweenRows. Returns a.
//   Next: the first cell of "b" is copied, the next cell is of "b" too: kInRow. ReadPiece adds the second; the piece is full.
//         Returns b's cells 1 and 2, has_more_cells_in_row.
//   Next: kInRow; ReadPiece reads cell 3 and reaches the row's end: kRowRead. Returns b's cell 3.
//   Next: BeginRow leaves "b"; no row is left: kDone. Returns false.
class RowScanner::Rep {
 public:
  Rep(TablePtr view, RowScanSpec spec);

  Status Start(const Store& store);
  Expected<bool> Next(Result* result);
  Expected<bool> Fill(RowBatch* batch);
  Expected<int64_t> CountRows();
  const ScanStatistics& Statistics();

 private:
  enum class Phase : uint8_t { kBetweenRows, kInRow, kRowRead, kDone };
  enum class Path : uint8_t { kSimple, kFiltered, kCellFilter, kGeneral };
  // The outcome of a part of the work.
  enum class Step : uint8_t {
    kGoOn,    // nothing to return yet: continue as phase_ says
    kReturn,  // return the Result
    kPaused,  // the watch requests an empty Result
    kEnd,     // no row is left
    kFailed,  // see failure_
  };

  // --- Start ---
  Status MakeFilter(RowReadLimits* limits);
  RowReadLimits LimitsOfScan() const;
  Path ChoosePath(const RowReadLimits& limits) const;
  Status OpenAll(const Store& store);
  filter::KnownRows Known() const;
  // False: the row set holds no row.
  bool GoToFirstRow();

  // --- One row after the other ---
  Step Read(Result* result);
  Step BeginRow(Result* result);
  // kGoOn: *found is the cursor at the next row whose key passes the row set and the filter.
  Step FindRow(FamilyCursor** found);
  // kRowRead becomes kBetweenRows.
  void LeaveReadRow() {
    if (phase_ == Phase::kRowRead) {
      families_.LeaveRow(reader_->escaped_row());
      phase_ = Phase::kBetweenRows;
    }
  }
  // kGoOn: read the row of `cursor` if *read; otherwise the cursors were moved past it.
  Step AskRowSet(FamilyCursor* cursor, bool* read);
  Step AskFilter(FamilyCursor* cursor, bool* read);
  Step AskWatch(std::string_view row);
  void EnterRow() {
    phase_ = Phase::kInRow;
    returned_of_row_ = false;
    next_family_ = 0;
  }
  Step ReadPiece(Result* result);
  RowReader::Outcome ReadRow(Result* result);
  RowReader::Outcome ReadFamilies(size_t end, Result* result);
  // The filter's final decision on the piece, or on the row if phase_ is no longer kInRow. kGoOn: it is dropped.
  Step FinishPiece(Result* result);

  // --- simple_rows.cc: rows that begin with a visible put. kGoOn: Read continues; at most the first cell was read. ---
  Step NextSimple(Result* result);
  Step NextFiltered(Result* result);
  Step FillRow(RowBatch* batch);
  // BeginRow's part for a row that FindRow found. *begun: the row needs no StartRow.
  Step BeginSimple(Result* result, bool* begun);
  Step BeginFiltered(Result* result, bool* begun);
  // kMore: the phase is kInRow. kRow: the cursor is behind the row; of ReadFiltered, the filter still decides about it.
  RowReader::Simple ReadSimple(Result* result);
  RowReader::Simple ReadFiltered(Result* result);
  // Reads rows of visible puts into the batch. kReturn: it is full. kGoOn: Read continues, with batch_row_.
  Step FillSimpleRows(RowBatch* batch);
  // Whether the cursor's row, between rows, may be read without FindRow.
  bool MayPassRows();
  // Skips the rest of the current row.
  void PassRow(std::string_view escaped_row);
  // Skips rows whose first cell makes them visible, and returns their number.
  int64_t PassSimpleRows();

  bool LimitReached() const { return spec_.scan.limit_rows > 0 && statistics_.rows_returned >= spec_.scan.limit_rows; }
  std::string_view RowOf(const FamilyCursor& cursor) {
    const std::string_view escaped = cursor.escaped_row();
    return cursor.plain_row() ? WithoutTerminator(escaped) : Unescape(escaped, &row_storage_);
  }
  // A cursor at its end may be there because of an error: then kFailed, else `otherwise`.
  Step CheckEnds(Step otherwise);
  Step Fail(Status status);

  // --- Chosen by Start, or before ---
  const TablePtr table_;
  const RowScanSpec spec_;
  const bool reversed_;
  const KeyBounds bounds_;
  const rocksdb::Slice lower_;  // of bounds_; RocksDB reads these two during the whole scan
  const rocksdb::Slice upper_;
  std::string_view unchecked_upper_;  // bounds_.upper if RocksDB does not check it, else empty
  Path path_ = Path::kGeneral;

  // --- The scan's position ---
  Phase phase_ = Phase::kBetweenRows;
  bool returned_of_row_ = false;          // some piece of the current row was returned
  size_t next_family_ = 0;                // of the current row, to be started or continued
  int64_t rows_until_watch_ = INT64_MAX;  // rows to read before the next call of the watch
  Status failure_;

  ScanStatistics statistics_;
  SampledClock clock_;
  ScanFamilies families_;
  std::optional<RowReader> reader_;
  std::optional<RowSetWalk> rows_;                         // none: every row between the bounds
  std::optional<RegionFilter> filter_;                     // none: every cell
  std::optional<RowReader::ListedColumns> named_columns_;  // of a scan that names columns, not on kGeneral
  std::optional<RowReader::ListedColumns> batch_columns_;  // of Fill; none: no row is read without a Result
  std::string passed_row_;                                 // of PassSimpleRows
  std::string row_storage_;                                // for a row that had to be unescaped
  Result batch_row_;                                       // of Fill: a row that is read on the general path
};

}  // namespace klip::engine
