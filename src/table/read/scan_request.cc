#include "table/read/scan_request.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <utility>

#include "engine/read/block_costs.h"
#include "engine/read/read_costs.h"
#include "rowkey/column_filter.h"
#include "rowkey/explain_text.h"
#include "rowkey/key_parts.h"
#include "rowkey/query_names.h"
#include "table/read/brief_run.h"
#include "table/read/index_entry.h"
#include "table/read/tested_rows.h"

namespace klip::table {
namespace {

constexpr rowkey::Capabilities kEmbedded = {.jumps = true, .parallel = true};

double CellsPerRow(const TableStatistics& statistics) {
  return static_cast<double>(statistics.cells) / std::max(1.0, static_cast<double>(statistics.rows));
}

// Null: the defaults.
rowkey::CostModel CostsOf(const engine::MeasuredCosts* known, const TableStatistics& statistics) {
  static_assert(rowkey::CostModel::kFarCells == engine::kFarCells);
  if (known == nullptr) {
    return {};
  }
  const engine::ReadCosts& measured = known->costs;
  return {.seek_us = measured.seek_us,
          .far_seek_us = measured.far_seek_us,
          .step_us = measured.step_us,
          .short_step_us = measured.short_step_us,
          .return_us = measured.return_us,
          .fetch_us = measured.far_seek_us + measured.step_us * CellsPerRow(statistics),
          .measured = true};
}

// Of the rows that a scan may read. `rows` null: all of `range`.
rowkey::CostModel::Blocks BlocksOf(const engine::Store& store, const TableInfo& keys,
                                   std::shared_ptr<const filter::RowSet> rows, const RowRange& range) {
  rows = rows == nullptr ? filter::RowSet::FromRanges({range}) : rows;
  if (rows->empty()) {
    return {};
  }
  const engine::BlockCosts costs = engine::MeasureBlocks(store, keys.view, *rows);
  return {.cells = costs.cells_per_block, .cached = costs.cached, .near_us = costs.near_us, .far_us = costs.far_us};
}

// To try a scan out on. Of a small table, the sample has all rows; null: nothing is known.
std::shared_ptr<const filter::RowStretches> StretchesOf(engine::Storage* storage, const TableInfo& keys,
                                                        const filter::KeySample* sample,
                                                        const TableStatistics& statistics) {
  if (sample == nullptr || sample->empty() || !sample->rows.all()) {
    return engine::KnownStretches(storage, *keys.view);
  }
  auto all = std::make_shared<filter::RowStretches>();
  all->from_start = all->to_end = true;
  filter::RowStretch& rows = all->stretches.emplace_back();
  const double cells = static_cast<double>(statistics.cells) / static_cast<double>(sample->rows.items.size());
  for (const filter::KeySample::Row& row : sample->rows.items) {
    rows.Add(row.bytes, std::max(1U, static_cast<uint32_t>(std::lround(cells))));
  }
  return all;
}

// If the known stretches show little of the wanted rows' range: others, within it.
void AddStretches(const engine::Store& store, const TableInfo& keys, rowkey::AccessPath* path) {
  constexpr size_t kPlaces = 12;
  constexpr int kRows = 128;  // TUNING: some 0.4 ms for all of them
  constexpr double kLargePart = 0.4;
  filter::SampledKeys& known = path->keys;
  if (known.stretches == nullptr || path->rows == nullptr || path->rows->empty() || known.sample->rows.all() ||
      path->run.ended || path->run.reached_limit()) {
    return;
  }
  const RowRange range = path->rows->Bounds();
  std::vector<std::string> drawn;
  for (const filter::KeySample::Row& row : known.sample->rows.items) {
    if (row.bytes >= range.start && (range.stop.empty() || row.bytes <= range.stop) &&
        row.bytes.size() < filter::KeySample::kMaxBytes) {
      drawn.push_back(row.bytes);
    }
  }
  double shown = 0;
  for (const filter::RowStretch& stretch : known.stretches->stretches) {
    const size_t first = stretch.LowerBound(0, range.start);
    const size_t stop = range.stop.empty() ? stretch.size() : stretch.LowerBound(first, range.stop);
    shown += static_cast<double>(stop - first);
  }
  const double in_range = static_cast<double>(drawn.size()) * known.sample->rows.Weight();
  if (drawn.size() >= kPlaces && shown < std::min<double>(kPlaces * kRows, kLargePart * in_range)) {
    known.stretches = engine::ReadStretchesAt(store, keys.view, SomeOf(drawn, kPlaces), kRows);
  }
}

// The access path by the keys of a table, or of an index as a table. `range`: of these keys.
rowkey::AccessPath PathOf(const engine::Store& store, const TableInfo& keys, std::shared_ptr<const filter::RowSet> rows,
                          const RowRange& range, Basis basis) {
  engine::Storage* const storage = &store.storage();
  rowkey::AccessPath path;
  path.schema = keys.schema.has_value() ? &*keys.schema : nullptr;
  path.rows = std::move(rows);
  if (Expected<TableStatistics> statistics = StatisticsOf(storage, keys); statistics.ok()) {
    path.statistics = *std::move(statistics);
    if (basis == Basis::kCounts) {  // the fixed costs are those of a row of one cell
      path.costs.fetch_us += (CellsPerRow(*path.statistics) - 1) * path.costs.step_us;
    } else {
      path.keys = storage->SampleOf(*keys.view);
      const auto known = engine::KnownCosts(storage, *keys.view, *path.statistics);
      path.costs = CostsOf(known.get(), *path.statistics);
      if (basis == Basis::kTrial) {
        path.keys.stretches = StretchesOf(storage, keys, path.keys.sample.get(), *path.statistics);
        path.costs.blocks = BlocksOf(store, keys, path.rows, range);
      }
    }
  }
  return path;
}

// The costs of an index, which finds rows of `table`: measured ones only if those of the table are, so that they compare.
rowkey::CostModel CostsOfIndex(const rowkey::AccessPath& path, const rowkey::AccessPath& of_table) {
  const rowkey::CostModel& index = path.costs;
  const rowkey::CostModel& table = of_table.costs;
  const double cells_per_row = of_table.statistics.has_value() ? CellsPerRow(*of_table.statistics) : 1;
  const bool measured = table.measured && index.measured;
  rowkey::CostModel costs = measured ? index : table;
  costs.measured = measured;
  costs.return_us = table.return_us;
  // A scan learns what is cheaper, so on the whole it takes no longer than by seeks.
  costs.adjacent_us = std::min(table.fetch_us, cells_per_row * table.short_step_us);
  costs.fetch_us = std::min(table.fetch_us, path.fetch_seeks * table.fetch_us +
                                                std::max(0.0, path.fetch_rows - path.fetch_seeks) * costs.adjacent_us);
  costs.blocks = index.blocks;
  costs.fetch_blocks = table.blocks;
  return costs;
}

constexpr size_t kFirstEntries = 1024;  // TUNING: some 0.2 ms

constexpr double kBytesPerCell = 100;  // TUNING: in memory, where cells are not counted

// Assumes that cells in memory are like those in files.
void AssumeMemory(engine::Storage* storage, const TableInfo& keys, std::optional<TableStatistics>* statistics) {
  if (statistics->has_value() && (*statistics)->cells > 0) {
    TableStatistics& one = **statistics;
    const double factor = 1 + static_cast<double>(storage->UncountedCells(*keys.view)) / static_cast<double>(one.cells);
    one.rows = static_cast<int64_t>(static_cast<double>(one.rows) * factor);
    one.cells = static_cast<int64_t>(static_cast<double>(one.cells) * factor);
  }
}

// The maximum number of entries of an index for which it is expected to beat a full walk. The estimates may be wrong,
// above all if keys are only in memory.
size_t MostEntries(engine::Storage* storage, const TableInfo& table, const klip::Explain& explain, bool covers) {
  constexpr size_t kCoveredPerFetched = 8;  // TUNING: so many covered rows cost as much as looking up one row
  constexpr double kLeast = 256;
  constexpr double kMost = 1'000'000;  // which are kept in memory
  rowkey::CostModel costs;
  const auto of_table = std::ranges::find(explain.candidates, std::string(), &klip::Explain::Candidate::index);
  double walk_us = of_table == explain.candidates.end() ? 0 : of_table->cost.time_us;
  if (const Expected<TableStatistics> statistics = storage->Statistics(*table.view); statistics.ok()) {
    costs = CostsOf(engine::KnownCosts(storage, *table.view, *statistics).get(), *statistics);
    walk_us = walk_us != 0 ? walk_us
                           : costs.step_us * (static_cast<double>(statistics->cells) +
                                              static_cast<double>(statistics->bytes_in_memory) / kBytesPerCell);
  }
  constexpr double kWrong = 4;  // the assumed maximum error of an estimate
  const double most = std::max(walk_us / costs.fetch_us, kWrong * explain.estimated.entries_read);
  return static_cast<size_t>(std::clamp(most, kLeast, kMost)) * (covers ? kCoveredPerFetched : 1);
}

Status NoSuchPlan(const std::string& plan, const std::string& names, const IndexPaths& indexes) {
  std::string message = "no plan '" + plan + "' for this scan; possible plans: " + names;
  for (const klip::Explain::Candidate& index : indexes.cannot_tell) {
    message += "; not " + index.Name() + ": " + index.why_not;
  }
  return {Code::kInvalidArgument, message};
}

}  // namespace

Expected<TableStatistics> StatisticsOf(engine::Storage* storage, const TableInfo& info) {
  KLIP_ASSIGN_OR_RETURN(TableStatistics statistics, storage->Statistics(*info.view));
  if (info.schema.has_value()) {
    const std::vector<rowkey::KeyPart> parts = rowkey::KeyParts(*info.schema);
    // Files written under another schema may have counted other parts.
    statistics.fields.resize(std::min(statistics.fields.size(), parts.size()));
    for (size_t i = 0; i < statistics.fields.size(); ++i) {
      statistics.fields[i].name = parts[i].name;
    }
  } else {
    statistics.fields.clear();
  }
  return statistics;
}

rowkey::Plan ScanRequest::MakePlan(Basis basis) const {
  rowkey::AccessPath path = PathOf(*shared->store, *info, needs.rows, rowkey::RangeOf(scan), basis);
  if (basis == Basis::kTrial) {
    path.run = RunOf(needs.rows);
    AddStretches(*shared->store, *info, &path);
  }
  return rowkey::PlanScan(scan, info->name(), NeedsFor(basis, path), {&path, 1}, kEmbedded).plan;
}

bool ScanRequest::KeysDecide() const {
  return needs.filter == nullptr && scan.columns.empty() && scan.time_range == TimeRange() &&
         scan.family_time_ranges.empty();
}

engine::RowScanSpec ScanRequest::SpecFor(const klip::Scan& base, std::shared_ptr<const filter::RowSet> rows) const {
  const bool planned =
      plan.has_value() && by_index.rows == nullptr;  // otherwise it is a plan for the rows that the index has found
  engine::RowScanSpec spec;
  spec.scan = base;
  spec.scan.reversed = scan.reversed;
  rowkey::SetRange(planned ? plan->bounds : rowkey::RangeOf(scan), &spec.scan);
  spec.rows = std::move(rows);
  spec.expected_gap_rows = planned ? plan->expected_gap_rows : 0;
  return spec;
}

rowkey::BriefRun ScanRequest::RunOf(std::shared_ptr<const filter::RowSet> rows) const {
  rowkey::BriefRun whole;
  if (!KeysDecide()) {
    whole = RunToLimit(rows);
    if (whole.reached_limit()) {
      return whole;
    }
  }
  const bool all = rows == nullptr;
  rowkey::BriefRun run =
      RunBriefly(source(), *info, SpecFor({.limit_rows = KeysDecide() ? scan.limit_rows : 0}, std::move(rows)));
  if (all && whole.rows_read > 0) {
    run.dropping = (whole.seeks - 1) / whole.rows_read * (1 - whole.rows / whole.rows_read);
  }
  return run;
}

// With all conditions.
rowkey::BriefRun ScanRequest::RunToLimit(std::shared_ptr<const filter::RowSet> rows) const {
  engine::RowScanSpec spec = SpecFor(scan, std::move(rows));
  spec.scan.batch = 0;
  spec.scan.allow_partial_results = false;
  spec.filter = needs.filter;
  return RunBriefly(source(), *info, std::move(spec));
}

// All that the scan does, if it then has its rows.
FetchedRow ScanRequest::FetchToLimit(const IndexPath& index, size_t most_entries) const {
  const auto limit = static_cast<size_t>(std::max<int64_t>(0, scan.limit_rows));
  if (limit == 0 || limit > most_entries || index.set.runs.empty()) {
    return {};
  }
  const Expected<IndexedRows> first = RowsByIndex(source(), *info, index, scan, most_entries, 0);
  if (!first.ok() || first->rows == nullptr) {
    return {};
  }
  const auto both = key_rows == nullptr ? nullptr : filter::RowSet::Intersect(*key_rows, *first->rows);
  rowkey::BriefRun run = RunToLimit(both != nullptr ? both : first->rows);
  run.seeks += static_cast<double>(first->read.seeks);
  return {.to_limit = std::move(run), .entries_to_limit = static_cast<double>(first->read.entries_read)};
}

// Some of the rows of the first entries, to see how far they are from one another.
FetchedRow ScanRequest::FetchBriefly(const IndexPath& index) const {
  constexpr size_t kFew = 16;
  constexpr size_t kPieces = 4;
  constexpr size_t kRows = 32;  // of a piece; TUNING: some 0.5 ms for all
  if (index.covers) {
    return {};
  }
  if (FetchedRow all = FetchToLimit(index, kFirstEntries); all.to_limit.reached_limit()) {
    return all;
  }
  std::vector<std::string> found = FirstRows(source(), *info, index, kFirstEntries);
  std::ranges::sort(found);
  if (found.size() > kPieces * kRows) {
    std::vector<std::string> pieces;
    for (size_t piece = 0; piece < kPieces; ++piece) {
      const auto first = found.begin() + static_cast<ptrdiff_t>(piece * (found.size() - kRows) / (kPieces - 1));
      pieces.insert(pieces.end(), first, first + kRows);
    }
    found = std::move(pieces);
  }
  if (found.size() < kFew) {
    return {};
  }
  rowkey::AccessPath table = PathOf(*shared->store, *info, filter::RowSet::FromRows(found), RowRange(), Basis::kCounts);
  const rowkey::Plan fetch = rowkey::MakePlan({.scan = &scan, .path = &table});
  engine::RowScanSpec spec = {.rows = table.rows, .expected_gap_rows = fetch.expected_gap_rows};
  rowkey::SetRange(fetch.bounds, &spec.scan);
  const rowkey::BriefRun run = RunBriefly(source(), *info, std::move(spec));
  const auto looked_up = static_cast<double>(
      run.stopped_at.empty() ? found.size() : std::ranges::count_if(found, [&run](const std::string& row) {
        return row <= run.stopped_at;
      }));
  if (looked_up < kFew) {
    return {};
  }
  return {.seeks = run.seeks / looked_up, .rows = run.rows_read / looked_up};  // found or not: entries may be stale
}

rowkey::ScanNeeds ScanRequest::NeedsFor(Basis basis, const rowkey::AccessPath& path) const {
  rowkey::ScanNeeds out = needs;
  if (basis == Basis::kTrial) {
    out.tested = TestRows(*this, path);
  }
  return out;
}

rowkey::AccessPath ScanRequest::PathOfIndex(const IndexPath& index, Basis basis) const {
  const TableInfo& entries = *index.index->entries;
  rowkey::AccessPath path = PathOf(*shared->store, entries, index.set.entries, RowRange(), basis);
  path.name = index.index->name();
  path.columns = index.set.columns;
  path.only_by_cost = index.set.fields == 0;
  path.range = RowRange();
  path.runs = index.covers && index.set.runs.size() > 1 ? 0 : static_cast<double>(index.set.runs.size());
  path.needs_fetch = !index.covers;
  if (basis == Basis::kTrial) {
    path.run = RunBriefly(source(), entries, {.rows = index.set.entries});
    AddStretches(*shared->store, entries, &path);
  }
  return path;
}

rowkey::ScanPlan ScanRequest::PlanPaths(Basis basis, std::string_view before) const {
  const engine::Store& store = *shared->store;
  std::vector<rowkey::AccessPath> paths = {PathOf(store, *info, key_rows, rowkey::RangeOf(scan), basis)};
  if (basis == Basis::kTrial) {
    paths.front().run = RunOf(key_rows);
    AddStretches(store, *info, &paths.front());
  }
  for (const IndexPath& one : indexes.usable) {
    rowkey::AccessPath& path = paths.emplace_back(PathOfIndex(one, basis));
    if (basis >= Basis::kFound) {
      const FetchedRow fetched = one.fetched.has_value() ? *one.fetched : FetchBriefly(one);
      path.fetch_seeks = fetched.seeks;
      path.fetch_rows = fetched.rows;
      path.fetched_together = one.set.runs.empty() ? kFirstEntries : 0;
      path.to_limit = fetched.to_limit;
      path.entries_to_limit = fetched.entries_to_limit;
    }
    path.costs = CostsOfIndex(path, paths.front());
  }
  for (size_t i = 0; i < paths.size(); ++i) {
    const TableInfo& keys = i == 0 ? *info : *indexes.usable[i - 1].index->entries;
    // As if explain had not counted memory: a scan takes the same path before and after it.
    if (basis != Basis::kTrial && !store.storage().HasRowsInFiles(*keys.view)) {
      paths[i].statistics.reset();
    }
    AssumeMemory(&store.storage(), keys, &paths[i].statistics);
    paths[i].sampled = basis == Basis::kFound ? sampled[i] : nullptr;
  }
  return rowkey::PlanScan(scan, info->name(), NeedsFor(basis, paths.front()), paths, kEmbedded, before);
}

Status ScanRequest::TakePath(size_t first_entries) {
  for (const Basis basis : {Basis::kCounts, Basis::kSample, Basis::kFound, Basis::kTrial}) {
    KLIP_ASSIGN_OR_RETURN(const bool done, TryPath(basis, first_entries));
    if (done) {
      break;
    }
  }
  return Status::Ok();
}

// Whether reading all rows that its keys select takes no longer than choosing an index.
bool ScanRequest::KeysAreFew() const {
  constexpr int64_t kFewSteps = 256;  // TUNING: some 50 us
  return RunBriefly(source(), *info, SpecFor({}, key_rows), kFewSteps).ended;
}

// Whether a better choice would take longer than it can save. By counts, that of an index is only sure if its conditions have one value
// each. What the sample does not show is how near the rows are that an index finds: if they are adjacent, it takes a quarter of the time.
//
// Example: by the sample, a full walk takes 1.5 ms, and an index 1.6 ms. To read some of its rows takes 0.5 ms, and may save 1.1.
bool ScanRequest::IsSure(const rowkey::ScanPlan& chosen, Basis basis) const {
  constexpr double kCheapByRunUs = 200;
  constexpr double kCheapUs = 1000;
  constexpr double kClear = 8;
  constexpr double kClearUs = 3000;
  constexpr double kFetchUs = 500;  // TUNING: to read some of the rows that indexes find
  constexpr double kIfAdjacent = 0.25;
  constexpr double kCheapBySampleUs = 10'000;
  constexpr double kCheapByFoundUs = 30'000;  // TUNING: a trial takes some ms
  constexpr double kMostEntries = 8192;
  if (basis == Basis::kTrial || !scan.plan.empty() || !chosen.plan.counted) {
    return true;
  }
  const klip::Explain& explain = chosen.plan.explain;
  const double time_us = explain.estimated.time_us;
  if (basis == Basis::kCounts && chosen.path == 0) {
    return time_us <= kCheapByRunUs && KeysAreFew();
  }
  if (explain.estimated.entries_read > kMostEntries ||
      time_us > (basis == Basis::kFound ? kCheapByFoundUs : kCheapBySampleUs)) {
    return false;
  }
  double others_us = std::numeric_limits<double>::max();  // the least that they may take
  for (const klip::Explain::Candidate& other : explain.candidates) {
    if (other.index != explain.index && other.cost.time_us > 0) {  // otherwise it is not possible
      const bool may_be_adjacent = basis == Basis::kSample && !other.index.empty();
      others_us = std::min(others_us, other.cost.time_us * (may_be_adjacent ? kIfAdjacent : 1));
    }
  }
  if (basis == Basis::kCounts) {
    return !indexes.usable[chosen.path - 1].set.runs.empty() && (scan.limit_rows <= 0 || indexes.usable.size() == 1) &&
           (time_us <= kCheapUs || (time_us <= kClearUs && kClear * time_us <= others_us));
  }
  return basis == Basis::kFound || time_us - others_us <= kFetchUs;
}

// An index that seems cheap is read up to a few times the expected entries. If it has more, better estimates decide. False: they have to.
Expected<bool> ScanRequest::TryPath(Basis basis, size_t first_entries) {
  constexpr double kFewEntries = 256;
  constexpr double kWrong = 4;
  if (basis == Basis::kFound) {
    for (IndexPath& one : indexes.usable) {
      one.fetched = FetchBriefly(one);
    }
  }
  const rowkey::ScanPlan chosen = PlanPaths(basis);
  const klip::Explain& explain = chosen.plan.explain;
  if (!scan.plan.empty() && explain.kind != PlanKind::kEmpty && explain.candidates.front().Name() != scan.plan) {
    return NoSuchPlan(scan.plan, chosen.names, indexes);
  }
  if (!IsSure(chosen, basis)) {
    sampled = chosen.sampled;
    return false;
  }
  taken = explain.candidates.front().Name();
  const bool decided = !scan.plan.empty() || basis == Basis::kTrial;
  if (only_explained && basis == Basis::kTrial) {
    tried = explain;
  }
  if (chosen.path == 0) {
    return true;
  }
  const IndexPath& path = indexes.usable[chosen.path - 1];
  if (only_explained && decided) {
    index_only = path.covers;
    return true;
  }
  const bool is_try = !decided && chosen.plan.counted;
  const size_t most = is_try              ? static_cast<size_t>(kFewEntries + kWrong * explain.estimated.entries_read)
                      : scan.plan.empty() ? MostEntries(&shared->store->storage(), *info, explain, path.covers)
                                          : SIZE_MAX;
  KLIP_ASSIGN_OR_RETURN(by_index, RowsByIndex(source(), *info, path, scan, most, first_entries));
  if (by_index.index.empty() && is_try) {
    return false;
  }
  index_only = by_index.covered != nullptr;
  if (by_index.index.empty()) {
    GiveUp(chosen, most);
  } else if (only_explained) {
    by_index = {};
  } else {
    TakeRows(*path.index);
  }
  return true;
}

// Those that the index has found.
void ScanRequest::TakeRows(const TableIndex& index) {
  IndexCounters::Add(&index.counters->reads, 1);
  IndexCounters::Add(&index.counters->entries_read, by_index.read.entries_read);
  if (by_index.rows != nullptr) {
    auto both = needs.rows == nullptr ? by_index.rows : filter::RowSet::Intersect(*needs.rows, *by_index.rows);
    needs.rows = both != nullptr ? std::move(both) : std::move(needs.rows);
  }
}

// Called when the index has more rows than that.
void ScanRequest::GiveUp(const rowkey::ScanPlan& chosen, size_t most) {
  const klip::Explain& explain = chosen.plan.explain;
  indexes.cannot_tell.push_back(
      {.kind = explain.kind,
       .cost = explain.estimated,
       .why_not = "has more than " + rowkey::FormatCount(static_cast<double>(most)) + " rows: reading all is faster",
       .index = explain.index});
  indexes.usable.erase(indexes.usable.begin() + static_cast<ptrdiff_t>(chosen.path) - 1);
  const auto of_table = std::ranges::find(explain.candidates, std::string(), &klip::Explain::Candidate::index);
  taken = of_table == explain.candidates.end() ? "" : of_table->Name();
}

const rowkey::Plan& ScanRequest::Plan() {
  if (!plan.has_value()) {
    plan = MakePlan(Basis::kCounts);
  }
  return *plan;
}

void ScanRequest::MeasureCosts() const {
  const auto measure = [this](const engine::TablePtr& keys) {
    shared->store->storage().CountMemory(*keys);
    engine::MeasureCosts(*shared->store, keys);
  };
  measure(info->view);
  for (const IndexPath& one : indexes.usable) {
    measure(one.index->entries->view);
  }
}

// Within a row set, a scan steps to near rows and seeks far ones, whatever the plan is called. Only point gets differ;
// they are chosen without the sample, as planning with it takes longer than many scans.
klip::Explain ScanRequest::Explain() const {
  MeasureCosts();
  klip::Explain out = tried.has_value()        ? *tried
                      : indexes.usable.empty() ? MakePlan(Basis::kTrial).explain
                                               : PlanPaths(Basis::kTrial, taken).plan.explain;
  const auto gets = [](const klip::Explain& explain) { return explain.kind == PlanKind::kPointGets; };
  if (out.index.empty() && plan.has_value() && gets(plan->explain) != gets(out)) {
    out = plan->explain;
  }
  out.index_only = index_only;
  if (columns.has_value() && out.index.empty()) {
    rowkey::DescribeColumns(*columns, "check", &out);
  }
  out.candidates.insert(out.candidates.end(), indexes.cannot_tell.begin(), indexes.cannot_tell.end());
  return out;
}

std::optional<double> ScanRequest::EstimatedRows() const {
  const rowkey::Plan made = indexes.usable.empty() ? MakePlan(Basis::kSample) : PlanPaths(Basis::kSample, taken).plan;
  return made.counted ? std::optional(made.explain.estimated.rows_returned) : std::nullopt;
}

engine::RowScanSpec ScanRequest::Spec() const {
  engine::RowScanSpec spec;
  spec.scan = scan;
  spec.filter = needs.filter;
  spec.watch = watch;
  if (!watch && cancel.armed()) {
    spec.watch = [token = cancel](std::string_view) {
      return token.cancelled() ? engine::ScanAdvice::kEnd : engine::ScanAdvice::kGoOn;
    };
  }
  if (plan.has_value()) {
    rowkey::SetRange(plan->bounds, &spec.scan);
    spec.rows = plan->rows;
    spec.every_row = plan->every_row;
    spec.expected_gap_rows = plan->expected_gap_rows;
  } else {
    spec.rows = needs.rows;
  }
  return spec;
}

Expected<ScanRequest> PrepareScan(Shared* shared, InfoPtr info, engine::ReadViewPtr view, const klip::Scan& asked,
                                  size_t first_entries, bool explains) {
  if (rowkey::HasWhereAttribute(asked)) [[unlikely]] {
    KLIP_ASSIGN_OR_RETURN(const rowkey::QueryNames names, rowkey::QueryNamesOf(info->view->descriptor));
    KLIP_ASSIGN_OR_RETURN(const klip::Scan scan, rowkey::WithWhereOfAttribute(names, asked));
    return PrepareScan(shared, std::move(info), std::move(view), scan, first_entries, explains);
  }
  const RowKeySchema* schema = info->schema.has_value() ? &*info->schema : nullptr;
  ScanRequest request = {.shared = shared, .info = std::move(info), .view = std::move(view), .scan = asked};
  if (asked.where.has_value() && rowkey::AsksColumns(*asked.where)) {
    KLIP_ASSIGN_OR_RETURN(request.scan, rowkey::WithColumnFilter(asked, schema, /*mixed=*/true));
    request.columns = asked.where;
  }
  request.has_filter = request.scan.filter != nullptr;
  request.cancel = CancelToken::Current();
  KLIP_ASSIGN_OR_RETURN(request.needs, rowkey::NeedsOf(request.scan, request.info->name(), schema, kEmbedded));
  if (request.view != nullptr) {
    request.needs.threads = 1;  // other threads would not see what the transaction writes meanwhile
  }
  if (request.info->indexes != nullptr || !asked.plan.empty()) [[unlikely]] {
    request.key_rows = request.needs.rows;
    request.indexes = IndexPathsOf(*request.info, request.scan, request.key_rows.get());
    if (!request.indexes.usable.empty() || !asked.plan.empty()) {
      if (explains) {
        request.MeasureCosts();
        request.only_explained = true;
      }
      KLIP_RETURN_IF_ERROR(request.TakePath(first_entries));
    }
  }
  request.scan.filter = nullptr;  // `where` stays: the plan names the conditions by field
  // To find out how to read that many rows takes longer than the best way can save.
  constexpr int64_t kManyFound = 256;
  const bool found_many = request.by_index.rows != nullptr && request.by_index.read.entries_read > kManyFound;
  if ((request.needs.rows != nullptr || !asked.plan.empty()) && request.by_index.covered == nullptr && !found_many) {
    request.Plan();
  }
  return request;
}

}  // namespace klip::table
