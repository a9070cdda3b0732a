#include "table/read/scan_request.h"

#include <algorithm>
#include <cmath>
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
    if (basis != Basis::kCounts) {
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
  costs.fetch_us = path.fetch_seeks * table.fetch_us +
                   std::max(0.0, path.fetch_rows - path.fetch_seeks) * cells_per_row * table.short_step_us;
  costs.blocks = index.blocks;
  costs.fetch_blocks = table.blocks;
  return costs;
}

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

// The maximum number of rows from an index for which it is expected to beat a full walk. The estimates may be wrong,
// above all if keys are only in memory.
size_t MostRows(engine::Storage* storage, const TableInfo& table, const klip::Explain& explain) {
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
  return static_cast<size_t>(std::clamp(most, kLeast, kMost));
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
  return rowkey::PlanScan(scan, info->name(), NeedsFor(basis, needs.rows.get()), {&path, 1}, kEmbedded).plan;
}

bool ScanRequest::KeysDecide() const {
  return needs.filter == nullptr && scan.columns.empty() && scan.time_range == TimeRange() &&
         scan.family_time_ranges.empty();
}

rowkey::BriefRun ScanRequest::RunOf(std::shared_ptr<const filter::RowSet> rows) const {
  if (scan.limit_rows > 0 && !KeysDecide()) {
    rowkey::BriefRun whole = RunToLimit(rows);
    if (whole.reached_limit()) {
      return whole;
    }
  }
  engine::RowScanSpec spec;
  spec.scan.reversed = scan.reversed;
  spec.scan.limit_rows = KeysDecide() ? scan.limit_rows : 0;
  rowkey::SetRange(plan.has_value() ? plan->bounds : rowkey::RangeOf(scan), &spec.scan);
  spec.rows = std::move(rows);
  spec.expected_gap_rows = plan.has_value() ? plan->expected_gap_rows : 0;
  return RunBriefly(source(), *info, std::move(spec));
}

// With all conditions.
rowkey::BriefRun ScanRequest::RunToLimit(std::shared_ptr<const filter::RowSet> rows) const {
  engine::RowScanSpec spec;
  spec.scan = scan;
  spec.scan.batch = 0;
  spec.scan.allow_partial_results = false;
  rowkey::SetRange(plan.has_value() ? plan->bounds : rowkey::RangeOf(scan), &spec.scan);
  spec.filter = needs.filter;
  spec.rows = std::move(rows);
  spec.expected_gap_rows = plan.has_value() ? plan->expected_gap_rows : 0;
  return RunBriefly(source(), *info, std::move(spec));
}

// The rows of the first entries, to see how far they are from one another.
void ScanRequest::FetchBriefly(const IndexPath& index, rowkey::AccessPath* path) const {
  constexpr size_t kFew = 16;
  constexpr size_t kRows = 128;  // TUNING: some 0.5 ms
  if (index.covers) {
    return;
  }
  const std::vector<std::string> found = FirstRows(source(), *info, index, kRows);
  if (found.size() < kFew) {
    return;
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
  if (looked_up >= kFew) {  // found or not: entries may be stale
    path->fetch_seeks = run.seeks / looked_up;
    path->fetch_rows = run.rows_read / looked_up;
  }
}

rowkey::ScanNeeds ScanRequest::NeedsFor(Basis basis, const filter::RowSet* wanted) const {
  rowkey::ScanNeeds out = needs;
  if (basis == Basis::kTrial) {
    out.tested = TestRows(*this, wanted);
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
    if (basis == Basis::kTrial) {
      FetchBriefly(one, &path);
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
  }
  return rowkey::PlanScan(scan, info->name(), NeedsFor(basis, key_rows.get()), paths, kEmbedded, before);
}

Status ScanRequest::TakePath(size_t first_entries) {
  KLIP_ASSIGN_OR_RETURN(const bool done, TryPath(/*by_sample=*/false, first_entries));
  return done ? Status::Ok() : TryPath(/*by_sample=*/true, first_entries).status();
}

// Planning takes some 10 us without a sample of the keys and some 100 us with one, longer than many look-ups. So an index
// is taken without a sample if its conditions have one value each and it is expected to be cheap. If it then has more
// entries than expected, or in all other cases, samples decide. False: they have to.
Expected<bool> ScanRequest::TryPath(bool by_sample, size_t first_entries) {
  constexpr double kCheapUs = 1000;
  constexpr double kFewEntries = 256;
  constexpr double kWrong = 4;
  const rowkey::ScanPlan chosen = PlanPaths(by_sample ? Basis::kSample : Basis::kCounts);
  const klip::Explain& explain = chosen.plan.explain;
  if (!scan.plan.empty() && explain.kind != PlanKind::kEmpty && explain.candidates.front().Name() != scan.plan) {
    return NoSuchPlan(scan.plan, chosen.names, indexes);
  }
  const IndexPath* const path = chosen.path == 0 ? nullptr : &indexes.usable[chosen.path - 1];
  const bool is_try = !by_sample && scan.plan.empty() && chosen.plan.counted;
  if (is_try && (path == nullptr || path->set.runs.empty() || explain.estimated.time_us > kCheapUs ||
                 (scan.limit_rows > 0 && indexes.usable.size() > 1))) {
    return false;
  }
  taken = explain.candidates.front().Name();
  if (path == nullptr) {
    return true;
  }
  const size_t most = !scan.plan.empty() ? SIZE_MAX
                      : is_try           ? static_cast<size_t>(kFewEntries + kWrong * explain.estimated.entries_read)
                                         : MostRows(&shared->store->storage(), *info, explain);
  if (only_explained) {
    KLIP_ASSIGN_OR_RETURN(const bool gives_up, WouldGiveUp(*path, most));
    by_index.index = gives_up ? "" : path->index->name();
    index_only = path->covers && !gives_up;
  } else {
    KLIP_ASSIGN_OR_RETURN(by_index, RowsByIndex(source(), *info, *path, scan, most, first_entries));
    index_only = by_index.covered != nullptr;
  }
  if (by_index.index.empty() && is_try) {
    return false;
  }
  if (by_index.index.empty()) {
    GiveUp(chosen, most);
  } else if (by_index.rows != nullptr) {
    auto both = needs.rows == nullptr ? by_index.rows : filter::RowSet::Intersect(*needs.rows, *by_index.rows);
    needs.rows = both != nullptr ? std::move(both) : std::move(needs.rows);
  }
  return true;
}

Expected<bool> ScanRequest::WouldGiveUp(const IndexPath& path, size_t most) const {
  if (path.set.with_skipped && most < SIZE_MAX) {
    KLIP_ASSIGN_OR_RETURN(const std::vector<std::string> rows, IncompleteRows(source(), *path.index, most + 1));
    if (rows.size() > most) {
      return true;
    }
  }
  const auto most_entries = static_cast<double>(path.covers ? MostCovered(most) : most);
  if (!path.set.runs.empty() && scan.limit_rows > 0 && static_cast<double>(scan.limit_rows) <= most_entries) {
    return false;
  }
  rowkey::AccessPath entries = PathOfIndex(path, Basis::kTrial);
  if (entries.run.ended || entries.run.rows > most_entries) {
    return entries.run.rows > most_entries;
  }
  const rowkey::Plan all = rowkey::MakePlan({.scan = &scan, .path = &entries});
  return all.matching > most_entries;
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
  klip::Explain out =
      indexes.usable.empty() ? MakePlan(Basis::kTrial).explain : PlanPaths(Basis::kTrial, taken).plan.explain;
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
  if ((request.needs.rows != nullptr || !asked.plan.empty()) && request.by_index.covered == nullptr) {
    request.Plan();
  }
  return request;
}

}  // namespace klip::table
