#include "rowkey/planner.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

#include "rowkey/explain_text.h"
#include "rowkey/key_estimate.h"
#include "rowkey/sample_estimate.h"
#include "rowkey/scan_planner.h"

namespace klip::rowkey {
namespace {

using filter::RowBox;
using filter::RowSet;

// TUNING: with statistics, point gets are considered for lists of up to this many rows. For a longer list, a skip scan
// does the same with one iterator and without holding all keys.
constexpr size_t kMaxPoints = 1000;
// TUNING: without statistics, short lists are read by gets: each get costs one seek, and bloom filters may save it.
constexpr size_t kMaxPointsUnknown = 64;
// TUNING: a seek searches each sorted run. Measured with RocksDB 7.8.3, warm: 4 runs cost 2 x, 22 runs 8 x one run.
constexpr double kSeekPerRun = 1.0 / 3;

// TUNING: a scan makes some seeks before it has learnt that steps are cheaper.
constexpr double kFewSeeks = 10;
// TUNING: if a filter drops rows, all wanted ones may be at the end: this share of what a limit saves is counted anyway.
constexpr double kUneven = 0.05;
constexpr double kNearlyAll = 0.9;  // of the rows, for a walk that rarely seeks
constexpr double kSmallPart = 0.1;  // of the rows, to which the first seek leads

RowRange Overlap(const RowRange& a, const RowRange& b) {
  RowRange out = a;
  if (b.start > a.start || (b.start == a.start && !b.include_start)) {
    out.start = b.start;
    out.include_start = b.include_start;
  }
  if (!b.stop.empty() && (a.stop.empty() || b.stop < a.stop || (b.stop == a.stop && !b.include_stop))) {
    out.stop = b.stop;
    out.include_stop = b.include_stop;
  }
  return out;
}

bool IsEmpty(const RowRange& range) {
  return !range.stop.empty() &&
         (range.start > range.stop || (range.start == range.stop && !(range.include_start && range.include_stop)));
}

bool Holds(const RowRange& range, const std::string& row) {
  bool above = range.include_start ? row >= range.start : row > range.start;
  return above && (range.stop.empty() || (range.include_stop ? row <= range.stop : row < range.stop));
}

// Whether the set is a range: then no row inside its bounds needs a check.
bool IsOneRange(const RowSet& rows) {
  if (rows.boxes().size() != 1) {
    return rows.boxes().empty();
  }
  const RowBox& box = rows.boxes()[0];
  return box.segments.empty() && box.ranges.size() <= 1 && box.min_row_bytes == 0 &&
         box.max_row_bytes == std::numeric_limits<size_t>::max();
}

// A literal of the schema is the same in every key: it distinguishes no rows.
bool IsLiteral(const KeySlot& slot) { return slot.field != nullptr && slot.field->type == KeyFieldType::kLiteral; }

class Planner {
 public:
  explicit Planner(const PlanInput& input) : input_(input), path_(*input.path), scan_(*input.scan), rows_(path_.rows) {}

  Plan Make();

 private:
  using Candidate = klip::Explain::Candidate;

  void FindBounds();
  void Estimate();
  size_t FirstJumpSlot() const;
  void ChooseDepth();
  void AskSample();
  double FirstSeek() const;
  double RowsInBounds() const;
  double GapOf(double in_bounds) const;
  double RunsFactor() const;
  double CellsPerRow() const;
  PlanCost Cost(double seeks, double rows_read, double rows_returned) const;
  PlanCost CostToLimit() const;
  double PartRead(double part) const;
  double UpToLimit(double all, double in_run) const;
  void AddBlocks(double seeks, double cells, PlanCost* cost) const;
  void AddCandidates();
  void AddPointGets(double part, double returned);
  void AddJumps(bool bounded, double returned);
  void AddSkipScan(double part, double in_bounds, double returned);
  void Choose();
  void Force(PlanKind kind);
  int RankUnknown(const Candidate& candidate) const;
  void ExplainLosers();
  std::string WhyNot(const Candidate& loser) const;
  void DescribeFields();
  std::string ConditionOf(size_t slot) const;
  std::string NamedConditionOf(const std::string& name) const;
  std::string UseOf(size_t slot) const;
  bool Restricted(size_t slot) const;
  std::string OpenFields() const;
  bool Counted() const { return counts_.rows > 0; }

  const PlanInput& input_;
  const AccessPath& path_;
  const Scan& scan_;
  std::shared_ptr<const RowSet> rows_;  // null: all within the bounds
  Plan plan_;
  std::vector<KeySlot> slots_;
  std::vector<std::vector<SlotCondition>> lines_;
  std::vector<SlotCondition> bounds_;  // the conditions that the bounds imply for each slot
  KeyCounts counts_;                   // rows = 0: the key is not known well enough to estimate
  std::vector<DepthEstimate> depths_;  // of all lines together
  size_t depth_ = 0;                   // slots used to jump
  size_t bound_slots_ = 0;             // slots that the bounds restrict
  double read_part_ = 1;               // the part of the path that the scan's limit lets it read
  double found_ = 0;                   // rows that an index finds and the table is read for
  bool one_run_ = false;               // the wanted rows are adjacent
};

Plan Planner::Make() {
  klip::Explain& explain = plan_.explain;
  explain.table = input_.table;
  explain.threads = input_.threads;
  explain.reversed = scan_.reversed;
  explain.filter = input_.residual_filter;
  explain.index = path_.name;
  explain.has_statistics = path_.statistics.has_value() && path_.statistics->rows > 0;
  if (const CostModel& costs = path_.costs; costs.measured) {
    explain.costs = {.seek_us = costs.seek_us,
                     .far_seek_us = costs.far_seek_us,
                     .step_us = costs.step_us,
                     .short_step_us = costs.short_step_us,
                     .return_us = costs.return_us};
  }
  if (rows_ != nullptr && rows_->all()) {
    rows_ = nullptr;
  }
  explain.boxes = rows_ == nullptr ? 0 : static_cast<int>(rows_->boxes().size());
  FindBounds();
  Estimate();
  plan_.counted = Counted();
  AddCandidates();
  Choose();
  plan_.possible = explain.candidates.size();
  ExplainLosers();
  DescribeFields();
  plan_.rows = rows_ != nullptr && IsOneRange(*rows_) ? nullptr : rows_;
  if (explain.kind == PlanKind::kEmpty) {
    plan_.rows = RowSet::None();
  }
  const RowRange& bounds = plan_.bounds;
  explain.start_row = bounds.start + (bounds.include_start || bounds.start.empty() ? "" : std::string(1, '\0'));
  explain.stop_row = bounds.stop + (bounds.include_stop && !bounds.stop.empty() ? std::string(1, '\0') : "");
  return std::move(plan_);
}

void Planner::FindBounds() {
  plan_.bounds = path_.range.has_value() ? *path_.range : RangeOf(scan_);
  if (rows_ != nullptr && !rows_->empty()) {
    plan_.bounds = Overlap(plan_.bounds, rows_->Bounds());
  }
  slots_ = SlotsOf(path_.schema, rows_.get());
  bounds_ = ConditionsOf(slots_, plan_.bounds);
  bound_slots_ = BoundSlots(bounds_);
  if (rows_ != nullptr) {
    lines_ = ConditionsOf(slots_, *rows_);
  }
  one_run_ = rows_ == nullptr || IsOneRange(*rows_);
  one_run_ = one_run_ || (lines_.size() == 1 && !slots_.empty() && FirstJumpSlot() == slots_.size());
}

// Sums over all alternatives. Overlapping ones are counted twice, but the boxes of one query seldom overlap.
void Planner::Estimate() {
  if (!plan_.explain.has_statistics) {
    return;
  }
  const TableStatistics& statistics = *path_.statistics;
  bool keys_counted = path_.schema != nullptr && !statistics.fields.empty();
  bool plain = rows_ == nullptr && IsOpen(plan_.bounds);
  if (!keys_counted && !plain) {
    return;
  }
  if (keys_counted) {
    counts_ = CountsOf(slots_, *path_.schema, statistics);
  } else {
    counts_.rows = static_cast<double>(statistics.rows);
    counts_.distinct_prefixes.assign(slots_.size(), counts_.rows);
  }
  if (path_.keys.sample != nullptr && !path_.keys.sample->empty()) {
    counts_.rows = StoredRows(*path_.keys.sample, counts_.rows);
  }
  depths_.assign(slots_.size() + 1, {.seeks = 0, .rows = 0});
  for (const std::vector<SlotCondition>& line : lines_) {
    std::vector<DepthEstimate> of_line = EstimateDepths(slots_, line, counts_);
    for (size_t i = 0; i < depths_.size(); ++i) {
      depths_[i].seeks += of_line[i].seeks;
      depths_[i].rows = std::min(counts_.rows, depths_[i].rows + of_line[i].rows);
    }
  }
  ChooseDepth();
  AskSample();
}

void Planner::AskSample() {
  if ((rows_ != nullptr && rows_->empty()) || IsEmpty(plan_.bounds)) {
    return;
  }
  if (path_.sampled != nullptr || input_.before != nullptr) {
    plan_.sampled = path_.sampled != nullptr ? path_.sampled : input_.before->sampled;
    return;
  }
  std::optional<SampleAnswer> answer = EstimateFromSample(path_.keys, {.slots = &slots_,
                                                                       .lines = &lines_,
                                                                       .bounds = &bounds_,
                                                                       .rows = rows_.get(),
                                                                       .range = plan_.bounds,
                                                                       .costs = path_.costs,
                                                                       .runs_factor = RunsFactor(),
                                                                       .cells_per_row = CellsPerRow(),
                                                                       .table_rows = counts_.rows,
                                                                       .expected_gap = GapOf(RowsInBounds()),
                                                                       .run = path_.run,
                                                                       .reversed = scan_.reversed});
  if (answer.has_value()) {
    plan_.sampled = std::make_shared<const SampleAnswer>(*std::move(answer));
  }
}

// The first slot for which a jump can be made: restricted, and not part of the one run with which every line starts.
size_t Planner::FirstJumpSlot() const {
  for (size_t i = 0; i < slots_.size(); ++i) {
    auto jumps = [&](const std::vector<SlotCondition>& line) {
      bool in_run = lines_.size() == 1 && i < BoundSlots(line) && line[i].mask.empty() && line[i].intervals.size() == 1;
      return line[i].restricted && !IsLiteral(slots_[i]) && !in_run;
    };
    if (std::any_of(lines_.begin(), lines_.end(), jumps)) {
      return i;
    }
  }
  return slots_.size();
}

// If jumping for the conditions on later fields costs more than the rows it saves, the scan reads on instead.
void Planner::ChooseDepth() {
  double best = std::numeric_limits<double>::max();
  for (size_t i = FirstJumpSlot() + 1; i < depths_.size(); ++i) {
    double cost = Cost(depths_[i].seeks, depths_[i].rows + depths_[i].seeks, 0).time_us;
    if (cost < best) {
      best = cost;
      depth_ = i;
    }
  }
}

double Planner::RunsFactor() const {
  const int runs = path_.statistics.has_value() ? path_.statistics->sorted_runs : 1;
  return path_.costs.measured ? 1 : 1 + kSeekPerRun * std::max(0, runs - 1);
}

double Planner::CellsPerRow() const {
  if (!path_.statistics.has_value()) {
    return 1;
  }
  const TableStatistics& statistics = *path_.statistics;
  const double rows = Counted() ? counts_.rows : static_cast<double>(statistics.rows);
  return std::max(1.0, static_cast<double>(statistics.cells) / std::max(1.0, rows));
}

PlanCost Planner::CostToLimit() const {
  const BriefRun& run = path_.to_limit;
  PlanCost cost{.seeks = run.seeks,
                .entries_read = path_.entries_to_limit,
                .rows_read = run.rows_read,
                .rows_returned = run.rows};
  cost.time_us = run.seeks * RunsFactor() * path_.costs.SeekUs(0) + run.rows * path_.costs.return_us +
                 (path_.entries_to_limit + run.rows_read * CellsPerRow()) * path_.costs.step_us;
  cost.cold_time_us = cost.time_us;
  return cost;
}

PlanCost Planner::Cost(double seeks, double rows_read, double rows_returned) const {
  if (path_.to_limit.reached_limit()) {
    return CostToLimit();
  }
  PlanCost cost{.seeks = seeks, .rows_read = rows_read, .rows_returned = rows_returned};
  const double cells = rows_read * CellsPerRow();
  cost.time_us = seeks * RunsFactor() * path_.costs.SeekUs(cells / std::max(1.0, seeks)) + cells * path_.costs.step_us +
                 rows_returned * path_.costs.return_us;
  if (!one_run_) {
    cost.time_us += std::max(0.0, rows_read - rows_returned) * path_.costs.look_us;
  }
  cost.cold_time_us = cost.time_us;
  AddBlocks(seeks, cells, &cost);
  if (path_.name.empty()) {
    cost.seeks += rows_read * path_.run.dropping;  // their time is that of the cells that they skip
  } else {
    cost.entries_read = rows_read;
    const double fetched = path_.needs_fetch ? std::max(found_, rows_returned) : 0;
    const double apart =
        path_.fetched_together > 0 ? std::min(1.0, path_.fetched_together / std::max(1.0, fetched)) : 1;
    const double fetch_seeks = fetched * path_.fetch_seeks * apart;
    const double fetch_us = fetched * std::lerp(path_.costs.adjacent_us, path_.costs.fetch_us, apart);
    const CostModel::Blocks& blocks = path_.costs.fetch_blocks;
    const double fetched_blocks = fetch_seeks * (1 - blocks.cached);
    cost.rows_read = fetched * std::lerp(1.0, path_.fetch_rows, apart);
    cost.time_us += fetch_us;
    cost.cold_time_us += fetch_us + fetched_blocks * blocks.far_us;
    cost.seeks += fetch_seeks;
    cost.blocks += fetch_seeks;
    cost.blocks_read += fetched_blocks;
  }
  if (path_.costs.blocks.cells <= 0) {
    cost.cold_time_us = cost.blocks = cost.blocks_read = 0;
  }
  return cost;
}

// A seek that skips more than a block leads to another one; cells that are read lie in blocks side by side.
//
//   1,000 seeks over 2,190 cells each, 400 cells in a block: 1,000 far blocks, and 7,000 / 400 = 17 near ones
//   1,000 seeks over 100 cells each: they lead to 250 far blocks
void Planner::AddBlocks(double seeks, double cells, PlanCost* cost) const {
  const CostModel::Blocks& blocks = path_.costs.blocks;
  if (blocks.cells <= 0 || !path_.statistics.has_value()) {
    return;
  }
  const double in_bounds = CellsPerRow() * (plan_.sampled != nullptr ? plan_.sampled->in_range : RowsInBounds());
  const double skipped = std::max(0.0, in_bounds - cells) / std::max(1.0, seeks);
  const double runs = std::max(1, path_.statistics->sorted_runs);  // a seek reads a block of each
  const double far = runs * (seeks <= 1 ? seeks : std::min(seeks, seeks * skipped / blocks.cells));
  const double near = cells / blocks.cells;
  const double most = runs + std::max(in_bounds, cells) / blocks.cells;  // no block is read twice
  const double part = std::min(1.0, most / std::max(1.0, far + near));
  cost->blocks = (far + near) * part;
  cost->blocks_read = cost->blocks * (1 - blocks.cached);
  cost->cold_time_us += (far * blocks.far_us + near * blocks.near_us) * part * (1 - blocks.cached);
}

// 0: the scan sees without reading that no row has wanted values.
double Planner::FirstSeek() const { return plan_.sampled != nullptr && plan_.sampled->seeks == 0 ? 0 : 1; }

double Planner::RowsInBounds() const { return Counted() ? EstimateDepths(slots_, bounds_, counts_).back().rows : 0; }

// The scanner's hint about jumps, with or without the sample. At least 1: 0 means that nothing is known.
double Planner::GapOf(double in_bounds) const {
  return std::max(1.0, (in_bounds - depths_.back().rows) / std::max(1.0, depths_.back().seeks));
}

void Planner::AddCandidates() {
  std::vector<Candidate>& candidates = plan_.explain.candidates;
  if ((rows_ != nullptr && rows_->empty()) || IsEmpty(plan_.bounds)) {
    candidates.push_back({.kind = PlanKind::kEmpty});
    return;
  }
  double in_bounds = RowsInBounds();
  double returned = !Counted() || rows_ == nullptr ? in_bounds : std::min(in_bounds, depths_.back().rows);
  if (plan_.sampled != nullptr) {
    in_bounds = plan_.sampled->in_range;
    returned = plan_.sampled->rows;
  }
  plan_.matching = returned;
  returned = std::min(returned, input_.matching.value_or(returned));
  returned = path_.run.reached_limit() ? std::max(returned, path_.run.limit) : returned;
  // With a limit, the scan stops early.
  double part =
      scan_.limit_rows > 0 && returned > 0 ? std::min(1.0, static_cast<double>(scan_.limit_rows) / returned) : 1;
  const bool drops = returned < kNearlyAll * plan_.matching;
  const double found = PartRead(part);
  const double reached = drops ? found + kUneven * (1 - found) : found;
  read_part_ = path_.runs > 0 ? std::min(1.0, reached * path_.runs) : 1;
  found_ = plan_.matching * (path_.runs > 0 ? reached : part);
  AddPointGets(part, returned);
  const bool of_index = !path_.name.empty();
  // Delimited fields bound a run as well, but no slot shows it.
  bool bounded = slots_.empty() || of_index ? !IsOpen(plan_.bounds) : bound_slots_ > 0 || (one_run_ && Restricted(0));
  if (one_run_ && rows_ != nullptr && plan_.sampled != nullptr) {
    in_bounds = plan_.sampled->stored_wanted;
  } else if (one_run_ && (of_index || rows_ != nullptr)) {
    in_bounds = plan_.matching;
  }
  if (plan_.sampled != nullptr && !one_run_) {
    AddJumps(bounded, returned * part);
    return;
  }
  if (bounded) {
    candidates.push_back({.kind = PlanKind::kRange,
                          .cost = Cost(FirstSeek(), UpToLimit(in_bounds, path_.run.rows_read), returned * part)});
  }
  if (!one_run_) {
    AddSkipScan(part, in_bounds, returned);
  }
  if (of_index && bounded) {
    return;  // reading unwanted entries is never better
  }
  candidates.push_back(
      {.kind = PlanKind::kFullWalk,
       .cost = Cost(FirstSeek(), bounded ? counts_.rows : UpToLimit(in_bounds, path_.run.rows_read), returned * part)});
}

// The part of the range that has this part of the wanted rows, from where the scan starts. Without a sample, they are assumed to be evenly
// spread.
double Planner::PartRead(double part) const {
  if (part >= 1 || plan_.sampled == nullptr || path_.run.ended || plan_.sampled->in_range < 1) {
    return part;
  }
  const SampleAnswer& scan = *plan_.sampled;
  return std::min(1.0, ReachOf(scan.places, scan.part, part * plan_.matching) / scan.in_range);
}

// Of all that the scan would read without its limit, and what its first part read: what it reads up to the limit.
double Planner::UpToLimit(double all, double in_run) const {
  const BriefRun& run = path_.run;
  if (run.reached_limit()) {
    return in_run;
  }
  if (run.limit <= 0 || run.ended || plan_.sampled == nullptr) {
    return all * read_part_;
  }
  const SampleAnswer& scan = *plan_.sampled;
  return std::min(std::max(all, in_run), MetUntil(scan.places, scan.part, in_run, all, read_part_ * scan.in_range));
}

void Planner::AddPointGets(double part, double returned) {
  if (rows_ == nullptr) {
    return;
  }
  plan_.points = rows_->Points(Counted() ? kMaxPoints : kMaxPointsUnknown);
  std::erase_if(plan_.points, [this](const std::string& row) { return !Holds(plan_.bounds, row); });
  if (plan_.points.empty()) {
    return;
  }
  std::sort(plan_.points.begin(), plan_.points.end());
  if (scan_.reversed) {
    std::reverse(plan_.points.begin(), plan_.points.end());
  }
  double gets = static_cast<double>(plan_.points.size()) * part;
  plan_.explain.candidates.push_back(
      {.kind = PlanKind::kPointGets, .cost = Cost(gets, gets, std::min(gets, returned * part))});
}

// A scan with a row set steps to near rows and seeks far ones, whatever its plan is called. It is called a skip scan if
// it will seek, else it is named after the rows that it reads. A full walk is listed for comparison.
void Planner::AddJumps(bool bounded, double returned) {
  std::vector<Candidate>& candidates = plan_.explain.candidates;
  const SampleAnswer& scan = *plan_.sampled;
  const PlanKind walk = bounded ? PlanKind::kRange : PlanKind::kFullWalk;
  // The rows of one value of a delimited field are adjacent, but not between bounds.
  const double all = bounded ? scan.in_range : std::max(scan.in_range, counts_.rows);
  const bool seeks = scan.seeks >= kFewSeeks || (scan.seeks > 1 && scan.rows_read < kNearlyAll * scan.in_range) ||
                     scan.rows_read < kSmallPart * all;
  const double first = FirstSeek();
  const PlanCost adapts = Cost(std::max(first, UpToLimit(scan.seeks, path_.run.seeks)),
                               UpToLimit(scan.rows_read, path_.run.rows_read), returned);
  PlanCost reads_all = Cost(1, all * read_part_, returned);
  reads_all.time_us = std::max(reads_all.time_us, adapts.time_us);  // not an alternative
  candidates.push_back({.kind = seeks ? PlanKind::kSkipScan : walk, .cost = adapts});
  if (seeks) {
    candidates.push_back({.kind = walk, .cost = reads_all});
  }
  if (bounded && path_.name.empty()) {
    PlanCost reads_table = Cost(1, counts_.rows, returned);
    reads_table.time_us = std::max(reads_table.time_us, adapts.time_us);
    candidates.push_back({.kind = PlanKind::kFullWalk, .cost = reads_table});
  }
  plan_.expected_gap_rows = GapOf(RowsInBounds());
}

void Planner::AddSkipScan(double part, double in_bounds, double returned) {
  PlanCost cost;
  if (Counted()) {
    const DepthEstimate& used = depths_[depth_];
    cost = Cost(std::max(1.0, used.seeks * read_part_), std::min(in_bounds, used.rows + used.seeks) * read_part_,
                returned * part);
    plan_.expected_gap_rows = GapOf(in_bounds);
  }
  plan_.explain.candidates.push_back({.kind = PlanKind::kSkipScan, .cost = cost});
}

// Without statistics: gets for a short list, the range if the rows are adjacent, else a skip scan, which steps if jumps
// do not pay off.
int Planner::RankUnknown(const Candidate& candidate) const {
  switch (candidate.kind) {
    case PlanKind::kEmpty:
    case PlanKind::kPointGets:
      return 0;
    case PlanKind::kRange:
      return one_run_ ? 1 : 3;
    case PlanKind::kSkipScan:
      return 2;
    case PlanKind::kFullWalk:
      break;
  }
  return 4;
}

void Planner::Choose() {
  std::vector<Candidate>& candidates = plan_.explain.candidates;
  // Of trivial plans, the one that reads the fewest rows is taken.
  bool trivial = std::all_of(candidates.begin(), candidates.end(),
                             [](const Candidate& candidate) { return candidate.cost.time_us < kTrivialUs; });
  std::stable_sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    if (!Counted()) {
      return RankUnknown(a) < RankUnknown(b);
    }
    return trivial ? a.cost.rows_read < b.cost.rows_read : a.cost.time_us < b.cost.time_us;
  });
  if (input_.forced.has_value()) {
    Force(*input_.forced);
  }
  plan_.explain.kind = candidates[0].kind;
  plan_.explain.estimated = candidates[0].cost;
  if (plan_.explain.kind != PlanKind::kPointGets) {
    plan_.points.clear();
  }
}

void Planner::Force(PlanKind kind) {
  std::vector<Candidate>& candidates = plan_.explain.candidates;
  const auto at = std::ranges::find(candidates, kind, &Candidate::kind);
  if (at == candidates.end()) {
    return;
  }
  std::rotate(candidates.begin(), at, at + 1);
  plan_.every_row = kind == PlanKind::kRange || kind == PlanKind::kFullWalk;
  if (kind == PlanKind::kFullWalk) {
    plan_.bounds = path_.range.has_value() ? *path_.range : RangeOf(scan_);
  }
}

void Planner::ExplainLosers() {
  std::vector<Candidate>& candidates = plan_.explain.candidates;
  for (size_t i = 1; i < candidates.size(); ++i) {
    candidates[i].why_not = WhyNot(candidates[i]);
  }
  if (plan_.explain.kind == PlanKind::kEmpty) {
    return;
  }
  auto missing = [&candidates](PlanKind kind) {
    return std::none_of(candidates.begin(), candidates.end(),
                        [kind](const Candidate& other) { return other.kind == kind; });
  };
  if (missing(PlanKind::kPointGets)) {
    std::string open = OpenFields();
    candidates.push_back(
        {.kind = PlanKind::kPointGets,
         .why_not = open.empty() ? "the keys are not a list, or a long one" : "keys are not known whole: " + open});
  }
  if (missing(PlanKind::kRange)) {
    candidates.push_back(
        {.kind = PlanKind::kRange, .why_not = "the rows wanted may lie anywhere from the first to the last"});
  }
  if (missing(PlanKind::kSkipScan)) {
    candidates.push_back({.kind = PlanKind::kSkipScan,
                          .why_not = one_run_ ? "nothing to jump over: the rows wanted are neighbours"
                                              : "the rows between those wanted are so few that stepping costs less"});
  }
}

std::string Planner::WhyNot(const Candidate& loser) const {
  const PlanCost& chosen = plan_.explain.estimated;
  if (!Counted()) {
    bool one = loser.kind == PlanKind::kFullWalk || loser.kind == PlanKind::kRange;
    return one ? "would read rows that are not wanted" : "costs cannot be compared without statistics";
  }
  std::string time = FormatTime(loser.cost.time_us) + " instead of " + FormatTime(chosen.time_us);
  if (loser.cost.time_us < chosen.time_us) {
    time += input_.forced.has_value() ? WhyForced(*input_.scan)
                                      : ", too small a difference: klip takes the plan that reads fewer rows";
  }
  switch (loser.kind) {
    case PlanKind::kPointGets:
      return "takes " + FormatCount(loser.cost.seeks, "get") + ": " + time;
    case PlanKind::kSkipScan:
      return "takes " + FormatCount(loser.cost.seeks, "jump") + " over " +
             FormatCount(plan_.sampled != nullptr ? plan_.sampled->gap : plan_.expected_gap_rows, "row") +
             " each: " + time;
    case PlanKind::kRange:
    case PlanKind::kFullWalk:
    case PlanKind::kEmpty:
      break;
  }
  return "reads " + FormatCount(loser.cost.rows_read, "row") + " to return " + FormatCount(loser.cost.rows_returned) +
         ": " + time;
}

std::string Planner::OpenFields() const {
  std::string names;
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (!Restricted(i) && !slots_[i].name.empty()) {
      names += (names.empty() ? "any " : ", ") + slots_[i].name;
    }
  }
  return names;
}

bool Planner::Restricted(size_t slot) const {
  return bounds_[slot].restricted ||
         std::any_of(lines_.begin(), lines_.end(), [slot](const auto& line) { return line[slot].restricted; });
}

void Planner::DescribeFields() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].name.empty()) {
      continue;
    }
    bool known = Counted() && !path_.statistics->fields.empty();
    plan_.explain.fields.push_back({.name = slots_[i].name,
                                    .condition = ConditionOf(i),
                                    .use = UseOf(i),
                                    .distinct = known ? counts_.DistinctOf(i) : 0});
  }
}

// As in the query, if it names the field once.
std::string Planner::NamedConditionOf(const std::string& name) const {
  std::string out;
  if (!scan_.where || scan_.where->any_of.size() != 1) {
    return out;
  }
  for (const auto& [field, match] : scan_.where->any_of[0].fields) {
    if (field == name) {
      out += (out.empty() ? "" : " and ") + ConditionText(match);
    }
  }
  return out;
}

std::string Planner::ConditionOf(size_t slot) const {
  const KeySlot& of = slots_[slot];
  if (std::string named = NamedConditionOf(of.name); !named.empty()) {
    return named;
  }
  if (lines_.empty()) {
    return ConditionText(of, bounds_[slot]);
  }
  SlotCondition all = lines_[0][slot];
  for (const std::vector<SlotCondition>& line : lines_) {
    const SlotCondition& one = line[slot];
    if (one.restricted != all.restricted || one.mask != all.mask) {
      return "differs in " + std::to_string(lines_.size()) + " boxes";
    }
    all.intervals.insert(all.intervals.end(), one.intervals.begin(), one.intervals.end());
  }
  std::sort(all.intervals.begin(), all.intervals.end(),
            [](const auto& a, const auto& b) { return std::tie(a.low, a.high) < std::tie(b.low, b.high); });
  all.intervals.erase(std::unique(all.intervals.begin(), all.intervals.end()), all.intervals.end());
  bool computed = all.restricted && of.field != nullptr && of.field->derived();
  return ConditionText(of, all) + (computed ? " (computed)" : "");
}

std::string Planner::UseOf(size_t slot) const {
  if (!Restricted(slot)) {
    return "-";
  }
  bool bound = slot < bound_slots_;
  switch (plan_.explain.kind) {
    case PlanKind::kPointGets:
      return "bound";
    case PlanKind::kRange:
      return bound ? "bound" : "check";
    case PlanKind::kSkipScan:
      if (bound && lines_.size() == 1 && lines_[0][slot].intervals.size() <= 1 && lines_[0][slot].mask.empty()) {
        return "bound";
      }
      return !Counted() || (plan_.sampled != nullptr ? plan_.sampled->jumps[slot] : slot < depth_) ? "jump" : "check";
    case PlanKind::kEmpty:
    case PlanKind::kFullWalk:
      break;
  }
  return plan_.explain.kind == PlanKind::kEmpty ? "-" : "check";
}

}  // namespace

std::string_view WhyForced(const Scan& scan) {
  return scan.plan.empty() ? ": the scan took its plan by quicker estimates" : ": another plan was requested";
}

Plan MakePlan(const PlanInput& input) { return Planner(input).Make(); }

}  // namespace klip::rowkey
