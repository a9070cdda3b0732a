// Measures seeks and steps with the cursor that scans use, at sampled rows that are spread over the table:
//
//   pass 1   reads up to kFarCells rows or kWalkBytes from each row on, so that the others find their blocks in the cache. The rows
//            are kept: explain tries scans out on them
//   pass 2   at each row: a walk over up to kFarCells cells for the cost of a step, a seek after it, and seeks to cells four apart,
//            each after a walk over two cells
//   pass 3   scans of the rows that were walked over. What they take beyond the steps is the cost of handing out rows
//
// Three passes, because scans do not find the cells that they read in the processor's caches. Medians: a measurement that was
// interrupted has no influence.
//
// Example, at one of 64 rows: 256 steps in 64 us (0.25 us each), the next seek in 6 us, seeks to the fourth, eighth, ... cell in 1 us
// each, and a scan of the 256 rows in 90 us. Then seek_us is 1, far_seek_us 6, step_us 0.25 and return_us 0.1.
#include "engine/read/read_costs.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rocksdb/db.h"

#include "engine/layout/cell_key.h"
#include "engine/read/family_cursor.h"
#include "engine/read/row_scanner.h"
#include "engine/store/storage.h"
#include "engine/view/cell_reads.h"

namespace klip::engine {
namespace {

constexpr size_t kPlaces = filter::RowStretches::kPlaces;
static_assert(kFarCells == filter::RowStretches::kRows);
constexpr size_t kStride = 27;                        // so that the places visited first are spread over the table, too
constexpr size_t kLeastPlaces = 4;                    // measured however long they take
constexpr std::chrono::milliseconds kEnoughTime{30};  // then no further place is measured
constexpr int64_t kLeastRows = 500;       // TUNING: smaller tables are read in less time than it takes to measure them
constexpr size_t kWalkBytes = 128 << 10;  // large cells have left the processor's caches before kFarCells of them
constexpr int kMostCellsPerRow = 4;       // more are not read, on average
constexpr int kNearSeeks = 8;
constexpr int kBetweenSeeks = 4;  // cells

using Clock = std::chrono::steady_clock;

double MedianOf(std::vector<double> values) {
  if (values.empty()) {
    return 0;
  }
  const auto middle = values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// The cells of a row, one after the other.
struct RowTimes {
  uint32_t cells = 0;
  int64_t put_ms = filter::RowStretch::kDeleted;      // the newest one
  int64_t deleted_ms = filter::RowStretch::kDeleted;  // by a marker of the row, up to here

  void Add(std::string_view key) {
    ++cells;
    CellKeyView cell;
    if (!ParseCellKey(key, &cell)) {
      return;
    }
    if (cell.type == CellType::kPut) {
      put_ms = std::max(put_ms, cell.timestamp_ms);
    } else if (cell.type == CellType::kDeleteFamily) {
      deleted_ms = std::max(deleted_ms, cell.timestamp_ms);
    }
  }
  int64_t newest_ms() const { return put_ms > deleted_ms ? put_ms : filter::RowStretch::kDeleted; }
};

// In ticks.
class Meter {
 public:
  Meter(const Store& store, TablePtr table, const Family& family)
      : store_(store),
        table_(std::move(table)),
        family_(family),
        cursor_(store.NewIterator(family, Options(family)),
                /*reversed=*/false, /*known=*/{}, &statistics_) {}

  // Reads so many rows from this one on, which all further measurements are about. Empty: the first row of the table.
  void Visit(std::string_view row, int rows = kFarCells) {
    Place place = {.row = std::string(row), .bound = RowLowerBound(row)};
    cursor_.SeekToStart(place.bound);
    Read(rows, &place);
    if (!cursor_.at_end() && cursor_.LocateRow()) {
      std::string storage;
      place.end = Unescape(cursor_.escaped_row(), &storage);
    }
    place.near_end = place.cells < kFarCells || place.near_end.empty() ? place.end : place.near_end;
    places_.push_back(std::move(place));
  }

  // Of the visited places. Those that overlap become one stretch.
  filter::RowStretches Stretches() {
    std::ranges::sort(places_, {}, &Place::row);
    filter::RowStretches out;
    out.from_start = places_.front().row.empty();
    std::string last;
    for (const Place& place : places_) {
      size_t first = 0;
      if (!out.stretches.empty() && place.row <= last) {
        first = place.read.LowerBound(0, last);
        first += first < place.read.size() && place.read.row(first) == last ? 1 : 0;
      } else if (place.read.size() > 0) {
        out.stretches.emplace_back();
      }
      for (size_t i = first; i < place.read.size(); ++i) {
        out.stretches.back().Add(place.read.row(i), place.read.cells_before(i + 1) - place.read.cells_before(i),
                                 place.read.newest_ms(i));
        last = place.read.row(i);
      }
      out.to_end = place.end.empty() || (place.end <= last && out.to_end);
    }
    return out;
  }

  void MeasureMoves() {
    for (const Place& place : places_) {
      cursor_.SeekToStart(place.bound);
      const uint64_t before = Ticks();
      if (const int steps = Walk(place.cells); steps > 0) {
        step_.push_back(static_cast<double>(Ticks() - before) / steps);
        far_.push_back(Seek(place.bound));
        MeasureNearSeeks(steps);
      }
    }
  }

  // REQUIRES: MeasureMoves was called.
  Status MeasureScans() {
    for (const Place& place : places_) {
      if (place.near_end > place.row) {
        KLIP_RETURN_IF_ERROR(MeasureScan(place.row, place.near_end));
      }
    }
    return Status::Ok();
  }

  double near() const { return near_.empty() ? far() : MedianOf(near_); }  // cells may be large
  double far() const { return MedianOf(far_); }
  double step() const { return MedianOf(step_); }
  double short_step() const { return short_step_.empty() ? step() : MedianOf(short_step_); }
  // Of a row, besides its steps; 0 if rows have so many cells that no walk passed one.
  double handing_out() const { return std::max(0.0, MedianOf(handing_out_)); }

 private:
  struct Place {
    std::string row;
    std::string bound;
    int cells = 0;  // to walk over, of those that were read
    filter::RowStretch read = {};
    std::string end = {};       // the row where reading ended, excluded; empty: the table's end
    std::string near_end = {};  // the row after so many cells
  };

  static rocksdb::ReadOptions Options(const Family& family) {
    rocksdb::ReadOptions options = CellReads(family);
    options.total_order_seek = true;
    return options;
  }

  double Seek(const std::string& bound) {
    const uint64_t before = Ticks();
    cursor_.SeekToStart(bound);
    return static_cast<double>(Ticks() - before);
  }

  // As a jump walks: it compares each cell's row with the row where it started.
  int Walk(int most) {
    int steps = 0;
    for (size_t bytes = 0; steps < most && bytes < kWalkBytes && !cursor_.at_end() && cursor_.LocateRow(); ++steps) {
      bytes += cursor_.key().size() + cursor_.value().size();
      row_.assign(cursor_.escaped_row());
      cursor_.StepWithin(row_);
    }
    return steps;
  }

  // The rows that follow, of a few cells each on average.
  void Read(int most_rows, Place* place) {
    RowTimes row;
    std::string storage;
    int cells = 0;
    for (size_t bytes = 0;
         cells < kMostCellsPerRow * most_rows && place->read.size() < static_cast<size_t>(most_rows) &&
         bytes < kWalkBytes && !cursor_.at_end() && cursor_.LocateRow();
         ++cells) {
      bytes += cursor_.key().size() + cursor_.value().size();
      row_.assign(cursor_.escaped_row());
      if (cells == kFarCells) {
        place->near_end = Unescape(row_, &storage);
      }
      row.Add(cursor_.key());
      if (!cursor_.StepWithin(row_)) {
        place->read.Add(Unescape(row_, &storage), row.cells, row.newest_ms());
        row = {};
      }
    }
    place->cells = std::min(cells, kFarCells);
  }

  // Among the cells that were walked over.
  void MeasureNearSeeks(int walked) {
    std::vector<std::string> bounds;
    const size_t most = static_cast<size_t>(std::min(kNearSeeks, walked / kBetweenSeeks));
    while (bounds.size() < most && Walk(kBetweenSeeks) == kBetweenSeeks && !cursor_.at_end()) {
      bounds.emplace_back(cursor_.key());
    }
    for (const std::string& bound : bounds) {
      const double ticks = Seek(bound);
      if (&bound != &bounds.front()) {  // it went back
        near_.push_back(ticks);
      }
      const uint64_t before = Ticks();
      if (const int steps = Walk(2); steps > 0) {
        short_step_.push_back(static_cast<double>(Ticks() - before) / steps);
      }
    }
  }

  Status MeasureScan(std::string_view start, std::string_view end) {
    RowScanSpec spec;
    spec.scan.start_row = start;
    spec.scan.stop_row = end;
    spec.scan.columns = {{family_.descriptor.name}};  // rows may be far longer in others
    KLIP_ASSIGN_OR_RETURN(const std::unique_ptr<RowScanner> scanner, RowScanner::Open(store_, table_, std::move(spec)));
    Result row;
    KLIP_ASSIGN_OR_RETURN(bool more, scanner->Next(&row));
    const ScanStatistics first = scanner->statistics();
    const uint64_t before = Ticks();
    while (more) {
      KLIP_ASSIGN_OR_RETURN(more, scanner->Next(&row));
    }
    const auto ticks = static_cast<double>(Ticks() - before);
    const ScanStatistics& all = scanner->statistics();
    if (const int64_t rows = all.rows_returned - first.rows_returned; rows > 0) {
      handing_out_.push_back((ticks - static_cast<double>(all.steps - first.steps) * step()) /
                             static_cast<double>(rows));
    }
    return Status::Ok();
  }

  const Store& store_;
  const TablePtr table_;
  const Family& family_;
  ScanStatistics statistics_;
  FamilyCursor cursor_;
  std::string row_;
  std::vector<Place> places_;
  std::vector<double> near_;
  std::vector<double> far_;
  std::vector<double> step_;
  std::vector<double> short_step_;
  std::vector<double> handing_out_;
};

bool HasPlaces(const filter::SampledKeys& keys) {
  return keys.sample != nullptr && keys.sample->rows.items.size() >= kPlaces;
}

// Visits places that are spread over the table, until the time is over.
void VisitPlaces(const filter::KeySample& sample, Clock::duration enough, Meter* meter) {
  const std::vector<filter::KeySample::Row>& rows = sample.rows.items;
  const Clock::time_point start = Clock::now();
  for (size_t i = 0; i < kPlaces && (i < kLeastPlaces || Clock::now() - start < enough); ++i) {
    const size_t place = i * kStride % kPlaces;
    meter->Visit(place == 0 ? std::string() : rows[place * rows.size() / kPlaces].bytes);
  }
}

std::optional<MeasuredCosts> Measure(const Store& store, const TablePtr& table, const Family& family,
                                     const filter::KeySample& sample) {
  const Clock::time_point first_time = Clock::now();
  const uint64_t first_ticks = Ticks();
  Meter meter(store, table, family);
  VisitPlaces(sample, kEnoughTime, &meter);
  store.storage().stretches().Put(family.id, std::make_shared<const filter::RowStretches>(meter.Stretches()));
  meter.MeasureMoves();
  if (!meter.MeasureScans().ok()) {
    return std::nullopt;
  }
  const double near = meter.near();
  const double step = meter.step();
  if (near <= 0 || step <= 0) {
    return std::nullopt;
  }
  const double us_per_tick = std::chrono::duration<double, std::micro>(Clock::now() - first_time).count() /
                             static_cast<double>(Ticks() - first_ticks);
  const ReadCosts costs = {.seek_us = near * us_per_tick,
                           .far_seek_us = std::max(near, meter.far()) * us_per_tick,
                           .step_us = step * us_per_tick,
                           .short_step_us = meter.short_step() * us_per_tick,
                           .return_us = meter.handing_out() * us_per_tick};
  return MeasuredCosts{.costs = costs, .step_ticks = meter.short_step(), .seek_ticks = near};
}

void ReadStretches(const Store& store, const TablePtr& table, const Family& family, const filter::KeySample& sample,
                   Clock::duration enough) {
  Meter meter(store, table, family);
  VisitPlaces(sample, enough, &meter);
  store.storage().stretches().Put(family.id, std::make_shared<const filter::RowStretches>(meter.Stretches()));
}

// REQUIRES: the state's `measuring` is locked.
void Keep(MeasuredCosts costs, const TableStatistics& statistics, FamilyState* state) {
  costs.rows = statistics.rows;
  costs.sorted_runs = statistics.sorted_runs;
  state->step_ticks.store(costs.step_ticks, std::memory_order_relaxed);
  state->seek_ticks.store(costs.seek_ticks, std::memory_order_release);
  state->read_costs = std::make_shared<const MeasuredCosts>(std::move(costs));
}

}  // namespace

std::shared_ptr<const MeasuredCosts> KnownCosts(Storage* storage, const TableView& table,
                                                const TableStatistics& statistics) {
  const Family* const family = storage->FamilyOfMostRows(table);
  auto known = family == nullptr ? nullptr : family->state->read_costs.load();
  const bool holds = known != nullptr && known->sorted_runs == statistics.sorted_runs &&
                     statistics.rows <= 2 * known->rows && known->rows <= 2 * statistics.rows;
  return holds ? std::move(known) : nullptr;
}

std::shared_ptr<const filter::RowStretches> KnownStretches(Storage* storage, const TableView& table) {
  const Family* const family = storage->FamilyOfMostRows(table);
  return family == nullptr ? nullptr : storage->stretches().Find(family->id);
}

std::shared_ptr<const filter::RowStretches> ReadStretchesAt(const Store& store, const TablePtr& table,
                                                            const std::vector<std::string>& places, int rows) {
  const Family* const family = store.storage().FamilyOfMostRows(*table);
  if (family == nullptr || places.empty()) {
    return nullptr;
  }
  Meter meter(store, table, *family);
  for (const std::string& place : places) {
    meter.Visit(place, rows);
  }
  return std::make_shared<const filter::RowStretches>(meter.Stretches());
}

void MeasureCosts(const Store& store, const TablePtr& table) {
  Storage& storage = store.storage();
  const Family* const family = storage.FamilyOfMostRows(*table);
  const Expected<TableStatistics> statistics = storage.Statistics(*table);
  if (family == nullptr || !statistics.ok() || statistics->rows < kLeastRows) {
    return;
  }
  const std::lock_guard lock(family->state->measuring);  // others would disturb it, and wait for its result anyway
  const bool known = KnownCosts(&storage, *table, *statistics) != nullptr;
  if (known && storage.stretches().Find(family->id) != nullptr) {
    return;
  }
  const filter::SampledKeys keys = storage.SampleOf(*table);
  if (!HasPlaces(keys)) {
    return;
  }
  if (known) {
    ReadStretches(store, table, *family, *keys.sample, kEnoughTime);
    return;
  }
  std::optional<MeasuredCosts> measured = Measure(store, table, *family, *keys.sample);
  if (!measured.has_value()) {
    return;
  }
  Keep(*std::move(measured), *statistics, family->state.get());
}

void FixCosts(const Store& store, const TablePtr& table, const ReadCosts& costs, const BlockCosts& blocks) {
  Storage& storage = store.storage();
  const Family* const family = storage.FamilyOfMostRows(*table);
  const Expected<TableStatistics> statistics = storage.Statistics(*table);
  if (family == nullptr || !statistics.ok()) {
    return;
  }
  const std::lock_guard lock(family->state->measuring);
  MeasuredCosts fixed = {
      .costs = costs, .fixed_blocks = blocks, .step_ticks = costs.short_step_us, .seek_ticks = costs.seek_us};
  if (const filter::SampledKeys keys = storage.SampleOf(*table); HasPlaces(keys)) {
    ReadStretches(store, table, *family, *keys.sample, Clock::duration::max());
  }
  Keep(std::move(fixed), *statistics, family->state.get());
}

}  // namespace klip::engine
