// What a RowScanner is made of; for row_scanner.cc and simple_rows.cc only.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rocksdb/slice.h"

#include "engine/read/read_setup.h"
#include "engine/read/row_reader.h"
#include "engine/read/row_scanner.h"
#include "filter/rows/row_set.h"
#include "klip/bytes.h"
#include "klip/filter_state.h"

namespace klip::engine {

// Bounds of a scan as RocksDB keys: cells in [lower, upper). Empty: open.
struct KeyBounds {
  std::string lower;
  std::string upper;
};

struct RowScanner::Rep {
  Rep(TablePtr view, RowScanSpec read);

  Status Start(const Store& store);
  Expected<bool> Next(Result* result);

  // The cursor at the next row that the row set and the filter let in; nullptr: none is left, or `failure` is set.
  FamilyCursor* FindRow();

  // --- Rows that need little: simple_rows.cc ---
  // A row that needs none of what FindRow does. False: nothing was read, or only the row's first cell: then in_row.
  bool NextSimple(Result* result);
  RowReader::Simple ReadSimple(Result* result);
  // The next row that the filter keeps, as long as rows need no more than its word. False: ReadPieces goes on, unless `failure` is
  // set.
  bool NextFiltered(Result* result);
  bool LimitReached() const { return spec.scan.limit_rows > 0 && statistics.rows_returned >= spec.scan.limit_rows; }

  bool LookAt(FamilyCursor* cursor, filter::RowCursor::Verdict* verdict);
  void StepOver(FamilyCursor* cursor);
  filter::KnownRows Known() const;
  // The cursor whose row comes next; nullptr: none.
  FamilyCursor* NextCursor();
  void LeaveRows();
  void JumpTo(std::string_view bound, int level);
  void SkipRow(std::string_view escaped_row);

  std::string_view RowOf(const FamilyCursor& cursor) {
    const std::string_view escaped = cursor.escaped_row();
    return cursor.plain_row() ? escaped.substr(0, escaped.size() - 2) : Unescape(escaped, &row_storage);
  }

  enum class FilterVerdict : uint8_t { kRead, kMoved, kEnd };
  FilterVerdict AskFilter(const FamilyCursor& cursor);
  void EnterRegion(std::string_view row);
  bool LeaveRegion();

  void ChooseLeading();
  std::span<FamilyReader> Leading() { return std::span(readers).first(leading); }
  RowReader::Outcome ReadRow(Result* result);
  RowReader::Outcome ReadFamilies(size_t end, Result* result);
  // False: the end, or `failure` is set.
  bool ReadPieces(Result* result);
  // The filter's last word on the row or piece. False: `failure` is set.
  bool FinishRow(Result* result, bool* kept);
  bool CursorsSound();
  // Asks the watch, if it is time. False: `paused` or `failure` is set.
  bool MayGoOn(std::string_view row);

  TablePtr table;
  RowScanSpec spec;
  const bool reversed;
  KeyBounds bounds;
  rocksdb::Slice lower;  // RocksDB reads these while the scan lasts
  rocksdb::Slice upper;
  bool checks_upper = false;
  ScanStatistics statistics;
  std::vector<FamilyReader> readers;
  // The first so many lead the scan. The others are read for rows that the filter has let pass: Filter::IsFamilyEssential.
  size_t leading = 0;
  std::optional<RowReader> reader;

  std::unique_ptr<filter::RowCursor> rows;
  bool run_within = true;  // the run of `rows` ends within the scan
  static constexpr uint32_t kNear = 2;
  bool may_step = false;    // forward, one family
  uint32_t near_jumps = 0;  // in a row that led at most kNear steps on
  uint32_t near_steps = 0;  // made instead of a jump
  std::string bound;
  std::string row_storage;

  std::unique_ptr<filter::FilterState> filter;
  uint8_t filter_calls = 0;        // filter::Call
  const Region* region = nullptr;  // that `filter` is for
  bool region_done = false;

  bool in_row = false;        // a row is begun and not yet done
  bool row_entered = false;   // some cursor stands in the row read last
  bool row_returned = false;  // some piece of the row at hand was
  size_t at_reader = 0;
  bool done = false;
  bool paused = false;
  int64_t rows_to_watch = INT64_MAX;  // to be looked at before the watch is asked
  bool simple = false;                // RowReader::ReadSimpleRow may be tried
  bool filtered = false;              // RowReader::ReadFilteredRow may be tried
  bool filtered_simply = false;       // and NextFiltered
  Status failure;

  uint64_t calls = 0;
  uint64_t ticks = 0;  // inside Next
  uint64_t first_ticks = 0;
  std::chrono::steady_clock::time_point first_time;
};

}  // namespace klip::engine
