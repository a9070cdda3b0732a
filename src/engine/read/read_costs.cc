// Measures seeks and steps with the cursor that scans use, at sampled rows that are spread over the table.
//
//   pass 1   one seek to each row. Blocks come from the disk: (this pass - the seeks of pass 2) / blocks read is a block's cost.
//   pass 2   at each row: a seek after a walk of kFarCells cells, that walk itself, and seeks to rows two apart, each after one step.
//   pass 3   scans of kRowsPerScan rows. What they take beyond the steps is the cost of handing out rows.
//
// Medians: a measurement that was interrupted has no influence.
//
// Example, at one of 32 rows: 256 steps in 64 us (0.25 us each), the next seek in 6 us, and seeks to the second, fourth, ... row in 1 us
// each. Then seek_us is 1, far_seek_us 6 and step_us 0.25.
#include "engine/read/read_costs.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/db.h"
#include "rocksdb/perf_context.h"

#include "engine/layout/cell_key.h"
#include "engine/read/family_cursor.h"
#include "engine/read/row_scanner.h"
#include "engine/store/storage.h"

namespace klip::engine {
namespace {

constexpr size_t kPlaces = 32;
constexpr int64_t kLeastRows = 500;  // TUNING: smaller tables are read in less time than it takes to measure them
constexpr int kNearSeeks = 8;
constexpr int64_t kRowsPerScan = 128;
constexpr size_t kScans = 4;

using Clock = std::chrono::steady_clock;

double MedianOf(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

const Family* LargestFamily(const Store& store, const TableView& table) {
  const Family* largest = nullptr;
  int64_t most = -1;
  for (const Family& family : table.families) {
    if (const int64_t bytes = store.storage().BytesOf(family, {}, {}, /*memory=*/false); bytes > most) {
      most = bytes;
      largest = &family;
    }
  }
  return largest;
}

class Meter {
 public:
  Meter(const Store& store, const Family& family)
      : cursor_(std::unique_ptr<rocksdb::Iterator>(store.db()->NewIterator(Options(), family.handle.get())),
                /*reversed=*/false, /*expected_gap=*/0, JumpCosts(), &statistics_) {}

  // In ticks.
  double Seek(const std::string& bound) {
    const uint64_t before = Ticks();
    cursor_.SeekToStart(bound);
    return static_cast<double>(Ticks() - before);
  }

  // As a jump walks: it compares each cell's row with the row where it started. Steps up to `most` times.
  int Walk(int most) {
    int steps = 0;
    for (; steps < most && !cursor_.at_end() && cursor_.LocateRow(); ++steps) {
      row_.assign(cursor_.escaped_row());
      cursor_.StepWithin(row_);
    }
    return steps;
  }

  void MeasureFarSeek(const std::string& bound) {
    const uint64_t before = Ticks();
    const int steps = Walk(kFarCells);
    if (steps == kFarCells) {
      step_.push_back(static_cast<double>(Ticks() - before) / steps);
      far_.push_back(Seek(bound));
      return;
    }
    Seek(bound);
  }

  // REQUIRES: the cursor is at a row.
  void MeasureNearSeeks() {
    std::vector<std::string> bounds;
    while (bounds.size() < kNearSeeks && Walk(2) == 2 && !cursor_.at_end()) {
      bounds.emplace_back(cursor_.key());
    }
    for (const std::string& bound : bounds) {
      const double ticks = Seek(bound);
      if (&bound != &bounds.front()) {  // it went back
        near_.push_back(ticks);
      }
      Walk(1);
    }
  }

  double near_ticks() const { return MedianOf(near_); }
  double far_ticks() const { return MedianOf(far_); }
  double step_ticks() const { return MedianOf(step_); }

 private:
  static rocksdb::ReadOptions Options() {
    rocksdb::ReadOptions options;
    options.total_order_seek = true;
    return options;
  }

  ScanStatistics statistics_;
  FamilyCursor cursor_;
  std::string row_;
  std::vector<double> near_;
  std::vector<double> far_;
  std::vector<double> step_;
};

// Of a cell that is read and handed out, in ticks.
Expected<double> TicksPerRow(const Store& store, const TablePtr& table, const std::vector<std::string_view>& rows) {
  std::vector<double> ticks;
  for (size_t i = 0; i < std::min(kScans, rows.size()); ++i) {
    RowScanSpec spec;
    spec.scan.start_row = rows[i * rows.size() / kScans];
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<RowScanner> scanner, RowScanner::Open(store, table, std::move(spec)));
    Result row;
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    const uint64_t before = Ticks();
    int64_t returned = 0;
    while (more && returned < kRowsPerScan) {
      KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
      ++returned;
    }
    if (returned == kRowsPerScan) {
      ticks.push_back(static_cast<double>(Ticks() - before) / static_cast<double>(returned));
    }
  }
  return MedianOf(std::move(ticks));
}

std::optional<MeasuredCosts> Measure(const Store& store, const TablePtr& table, const Family& family,
                                     const filter::KeySample& sample) {
  const std::vector<filter::KeySample::Row>& items = sample.rows.items;
  std::vector<std::string_view> rows;
  std::vector<std::string> bounds;
  for (size_t i = 0; i < std::min(kPlaces, items.size()); ++i) {
    rows.push_back(items[i * items.size() / kPlaces].bytes);
    bounds.push_back(RowLowerBound(rows.back()));
  }
  const Clock::time_point first_time = Clock::now();
  const uint64_t first_ticks = Ticks();
  Meter meter(store, family);
  const uint64_t blocks_before = rocksdb::get_perf_context()->block_read_count;
  double cold_ticks = 0;
  for (const std::string& bound : bounds) {
    cold_ticks += meter.Seek(bound);
  }
  const auto blocks = static_cast<double>(rocksdb::get_perf_context()->block_read_count - blocks_before);
  for (const std::string& bound : bounds) {
    meter.MeasureFarSeek(bound);
    meter.MeasureNearSeeks();
    meter.Seek(bound);
  }
  const Expected<double> row_ticks = TicksPerRow(store, table, rows);
  const double near = meter.near_ticks();
  const double step = meter.step_ticks();
  if (!row_ticks.ok() || *row_ticks <= 0 || near <= 0 || step <= 0) {
    return std::nullopt;
  }
  const double us_per_tick = std::chrono::duration<double, std::micro>(Clock::now() - first_time).count() /
                             static_cast<double>(Ticks() - first_ticks);
  ReadCosts costs = {.seek_us = near * us_per_tick,
                     .far_seek_us = std::max(near, meter.far_ticks()) * us_per_tick,
                     .step_us = step * us_per_tick,
                     .return_us = std::max(0.0, *row_ticks - step) * us_per_tick};
  if (blocks > 0) {
    costs.block_us =
        std::max(0.0, cold_ticks - static_cast<double>(bounds.size()) * meter.far_ticks()) / blocks * us_per_tick;
  }
  return MeasuredCosts{.costs = costs, .step_ticks = step, .seek_ticks = near};
}

}  // namespace

bool KnowsCosts(const TableView& table) {
  return std::ranges::any_of(table.families, [](const Family& family) { return family.state->seek_ticks.load() != 0; });
}

std::optional<ReadCosts> CostsOf(const Store& store, const TablePtr& table) {
  const Family* const family = LargestFamily(store, *table);
  const Expected<TableStatistics> statistics = store.storage().Statistics(*table);
  if (family == nullptr || !statistics.ok() || statistics->rows < kLeastRows) {
    return std::nullopt;
  }
  const auto known = family->state->read_costs.load();
  if (known != nullptr && known->sorted_runs == statistics->sorted_runs && statistics->rows <= 2 * known->rows) {
    return known->costs;
  }
  const filter::SampledKeys keys = store.storage().SampleOf(*table);
  if (keys.sample == nullptr || keys.sample->rows.items.size() < kPlaces) {
    return std::nullopt;
  }
  std::optional<MeasuredCosts> measured = Measure(store, table, *family, *keys.sample);
  if (!measured.has_value()) {
    return std::nullopt;
  }
  measured->rows = statistics->rows;
  measured->sorted_runs = statistics->sorted_runs;
  family->state->step_ticks.store(measured->step_ticks, std::memory_order_relaxed);
  family->state->seek_ticks.store(measured->seek_ticks, std::memory_order_release);
  family->state->read_costs = std::make_shared<const MeasuredCosts>(*measured);
  return measured->costs;
}

}  // namespace klip::engine
