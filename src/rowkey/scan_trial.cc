#include "rowkey/scan_trial.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "filter/rows/jump_policy.h"
#include "rowkey/jump_trial.h"

namespace klip::rowkey {
namespace {

using filter::JumpPolicy;
using filter::RowCursor;
using filter::RowStretch;

// TUNING: fewer jumps than that may not be typical, nor those of fewer stretches, unless these are a large part of what is scanned.
constexpr double kLeastJumps = 24;
constexpr int kLeastStretches = 5;
constexpr double kLargePart = 0.4;
constexpr double kFirstJumps = 64;  // while the policy learns: a scan makes them once, however long it is
constexpr double kMostTimes = 16;
constexpr size_t kTogetherVisited = 8;  // stretches
constexpr double kEnoughJumps = 16384;  // some 1 ms
constexpr double kShown = 3;            // so many long jumps in stretches are like the others
constexpr double kNoChance = 5;         // drawn rows: so many do not lie in a short jump by chance

// The rows of a stretch in the order of a scan, numbered from 0.
class OrderedRows {
 public:
  OrderedRows(const RowStretch& stretch, bool reversed) : stretch_(stretch), reversed_(reversed) {}

  size_t size() const { return stretch_.size(); }
  size_t StoredAt(size_t i) const { return reversed_ ? size() - 1 - i : i; }
  std::string_view row(size_t i) const { return stretch_.row(StoredAt(i)); }
  // Of the rows before row i. REQUIRES: i <= size().
  uint32_t cells_before(size_t i) const {
    return reversed_ ? stretch_.cells_before(size()) - stretch_.cells_before(size() - i) : stretch_.cells_before(i);
  }
  // The first row from row `from` on that is not before the target of a cursor.
  size_t Find(size_t from, std::string_view target) const {
    if (!reversed_) {
      return stretch_.LowerBound(from, target);
    }
    return target.empty() ? from : std::max(from, size() - stretch_.LowerBound(0, target));
  }
  // The rows [first, stop) of it are in the range.
  std::pair<size_t, size_t> Within(const RowRange& range) const {
    const size_t low = stretch_.LowerBound(0, range.start);
    const size_t high = range.stop.empty() ? size() : stretch_.LowerBound(low, range.stop);
    return reversed_ ? std::pair(size() - high, size() - low) : std::pair(low, high);
  }

 private:
  const RowStretch& stretch_;
  const bool reversed_;
};

// What a cursor says about a row of a stretch.
struct Look {
  bool known = false;
  bool inside = false;
  bool end = false;
  int8_t level = 0;
  uint32_t next = 0;  // row of the stretch
};

// What it says about the rows of a stretch. Each is asked for once.
class Looks {
 public:
  // False: no row is wanted.
  bool Open(const OrderedRows& stretch, size_t first, const filter::RowSet& rows, bool reversed,
            const filter::KnownRows& known) {
    if (!stretch_.has_value()) {
      stretch_.emplace(stretch);
      cursor_ = rows.NewCursor(reversed, known);
      any_ = cursor_->First();
      start_ = any_ ? stretch.Find(first, cursor_->target()) : 0;
      looks_.resize(stretch.size());
    }
    return any_;
  }
  size_t start() const { return start_; }
  // REQUIRES: row >= start(), and no row below it says that the set ends.
  const Look& At(size_t row) {
    if (!looks_[row].known) {
      const RowCursor::Verdict verdict = cursor_->Look(stretch_->row(row));
      Look look = {.known = true,
                   .inside = verdict == RowCursor::Verdict::kInside,
                   .end = verdict == RowCursor::Verdict::kEnd,
                   .level = static_cast<int8_t>(std::min(cursor_->level(), filter::JumpLevels::kCount)),
                   .next = static_cast<uint32_t>(row + 1)};
      if (verdict == RowCursor::Verdict::kJump) {
        look.next = static_cast<uint32_t>(stretch_->Find(row, cursor_->target()));
      }
      std::fill(looks_.begin() + static_cast<ptrdiff_t>(row),
                looks_.begin() + static_cast<ptrdiff_t>(std::max<size_t>(row + 1, look.next)),
                look);  // the cursor does not go back to rows that are jumped over
    }
    return looks_[row];
  }

 private:
  std::optional<OrderedRows> stretch_;
  std::unique_ptr<RowCursor> cursor_;
  bool any_ = false;
  size_t start_ = 0;
  std::vector<Look> looks_;
};

// A jump in which several drawn rows lie.
struct LongJump {
  std::string_view from;  // the first of these
  int level;
};

// Of the jumps that were tried.
struct Counts {
  double jumps = 0;
  double seeks = 0;
  double steps = 0;
  double skipped = 0;
};

class Trial {
 public:
  Trial(const TrialSetup& setup, const filter::SampledKeys& keys);

  TriedScan Run() { return WithRows(Try()); }

 private:
  TriedScan Try();
  void VisitAll(int times);
  void VisitAt(size_t at);
  TriedJumps UntriedJumps() const;
  void FindLongJumps();
  void MakeLongJumpsBefore(std::string_view row);
  bool IsBefore(std::string_view a, std::string_view b) const { return setup_.reversed ? b < a : a < b; }
  bool IsLong(uint32_t cells, bool to_end) const {
    return makes_long_jumps_ && (static_cast<double>(cells) >= long_cells_ || to_end);
  }
  void Visit(size_t number, bool from_start, bool to_end);
  bool StepsOver(const OrderedRows& stretch, size_t row);
  TriedJumps::Jump Make(int level, uint32_t cells);
  void Jump(int level, uint32_t cells);
  Counts* NextCounts() { return first_.jumps < kFirstJumps ? &first_ : &later_; }
  TriedScan Result(double jumps) const;
  TriedScan WithRows(TriedScan tried) {
    tried.rows = std::move(rows_of_);
    tried.wanted = std::move(wanted_of_);
    tried.live = std::move(live_of_);
    tried.long_jumps = static_cast<double>(long_jumps_.size());
    tried.seeks += makes_long_jumps_ ? tried.long_jumps : 0;
    return tried;
  }
  double tried() const { return first_.jumps + later_.jumps; }

  const TrialSetup& setup_;
  const filter::SampledKeys& keys_;
  const filter::RowStretches& all_;
  const double seek_steps_;  // the cost of a seek in steps
  const uint32_t ahead_;     // cells
  filter::KnownRows known_;
  TriedJumps jumps_;
  filter::JumpLevels levels_;
  filter::NearRows near_;
  Counts first_;
  Counts later_;
  std::vector<Looks> looks_at_;       // [stretch]
  std::vector<LongJump> long_jumps_;  // in the order of the scan
  double long_cells_ = 0;             // the least that they skip
  double part_ = 1;                   // of the range that the stretches show
  bool makes_long_jumps_ = false;
  size_t next_long_ = 0;
  double owed_ = 0;
  double rows_ = 0;              // where jumps could start
  double looks_ = 0;             // at rows, where jumps would have counted
  int stretches_ = 0;            // where some did
  std::vector<double> rows_of_;  // [stretch], in the first pass
  std::vector<double> wanted_of_;
  std::vector<double> live_of_;
};

Trial::Trial(const TrialSetup& setup, const filter::SampledKeys& keys)
    : setup_(setup),
      keys_(keys),
      all_(*keys.stretches),
      seek_steps_(setup.costs.SeekUs(0) * setup.runs_factor / setup.costs.short_step_us),
      ahead_(JumpPolicy::LongestWalk(setup.costs.measured ? seek_steps_
                                                          : std::max(seek_steps_, filter::JumpCosts::kDefaultRatio))),
      known_{.shortest_row_bytes = SIZE_MAX, .leads = keys.leads},
      jumps_(UntriedJumps()),
      levels_(setup.expected_gap),
      looks_at_(all_.stretches.size()) {
  for (const RowStretch& stretch : all_.stretches) {
    for (size_t i = 0; i < stretch.size(); ++i) {
      known_.shortest_row_bytes = std::min(known_.shortest_row_bytes, stretch.row(i).size());
    }
  }
}

// Of so many drawn rows that the jump is longer than any walk.
void Trial::FindLongJumps() {
  if (keys_.sample == nullptr || keys_.sample->rows.all() || all_.whole()) {
    return;
  }
  double rows = 0;
  double cells = 0;
  double in_range = 0;
  for (const RowStretch& stretch : all_.stretches) {
    const auto [first, stop] = OrderedRows(stretch, setup_.reversed).Within(setup_.range);
    in_range += static_cast<double>(stop - first);
    rows += static_cast<double>(stretch.size());
    cells += stretch.cells_before(stretch.size());
  }
  part_ = std::min(1.0, in_range / std::max(1.0, setup_.rows_in_range));
  const double each = keys_.sample->rows.Weight() * cells / std::max(1.0, rows);
  long_cells_ = std::max(kNoChance * each, 2.0 * ahead_);
  const auto& drawn = keys_.sample->rows.items;
  const std::unique_ptr<RowCursor> cursor = setup_.rows->NewCursor(setup_.reversed, known_);
  if (!cursor->First()) {
    return;
  }
  const size_t count = drawn.size();
  const auto row = [&](size_t i) { return std::string_view(drawn[setup_.reversed ? count - 1 - i : i].bytes); };
  for (size_t i = 0; i < count;) {
    const size_t from = i++;
    const RowRange& range = setup_.range;
    if (row(from) < range.start || (!range.stop.empty() && row(from) >= range.stop)) {
      continue;
    }
    const RowCursor::Verdict verdict = cursor->Look(row(from));
    if (verdict == RowCursor::Verdict::kEnd) {
      break;
    }
    if (verdict == RowCursor::Verdict::kInside) {
      continue;
    }
    while (i < count && (setup_.reversed ? row(i) >= cursor->target() : row(i) < cursor->target())) {
      ++i;
    }
    const auto passed = static_cast<double>(i - from);
    if (passed >= kNoChance && passed * each >= long_cells_) {
      long_jumps_.push_back({row(from), cursor->level()});
    }
  }
  makes_long_jumps_ = !long_jumps_.empty() && static_cast<double>(long_jumps_.size()) * part_ < kShown;
}

// As many of those before the row as the stretches show of the range.
void Trial::MakeLongJumpsBefore(std::string_view row) {
  for (; makes_long_jumps_ && next_long_ < long_jumps_.size(); ++next_long_) {
    const LongJump& jump = long_jumps_[next_long_];
    if (!row.empty() && !IsBefore(jump.from, row)) {
      return;
    }
    if (owed_ += part_; owed_ >= 1) {
      --owed_;
      Make(std::min<int>(jump.level, filter::JumpLevels::kCount), static_cast<uint32_t>(long_cells_));
    }
  }
}

// Neighbouring stretches so many times in succession.
void Trial::VisitAll(int times) {
  const size_t count = all_.stretches.size();
  next_long_ = 0;
  for (size_t first = 0; first < count; first += kTogetherVisited) {
    const size_t end = std::min(count, first + kTogetherVisited);
    for (int time = 0; time < times; ++time) {
      for (size_t i = first; i < end; ++i) {
        VisitAt(i);
      }
    }
  }
  MakeLongJumpsBefore("");
}

// `at`: in the order of the scan.
void Trial::VisitAt(size_t at) {
  const size_t count = all_.stretches.size();
  const size_t number = setup_.reversed ? count - 1 - at : at;
  const bool from_start = number == 0 && all_.from_start;
  const bool to_end = number + 1 == count && all_.to_end;
  MakeLongJumpsBefore(OrderedRows(all_.stretches[number], setup_.reversed).row(0));
  Visit(number, setup_.reversed ? to_end : from_start, setup_.reversed ? from_start : to_end);
}

TriedJumps Trial::UntriedJumps() const {
  return TriedJumps(setup_.costs.measured ? filter::JumpCosts(1, seek_steps_) : filter::JumpCosts());
}

// What a policy does depends on how many jumps of a kind it has made, and what it has saved by them. So if the stretches are a small part
// of the scan, each stands for its neighbours as well: a second time, the trial visits it as often as there are rows like it.
TriedScan Trial::Try() {
  FindLongJumps();
  VisitAll(1);
  const double rows = rows_;
  const double jumps = tried();
  if (all_.whole()) {
    return Result(jumps);
  }
  const double part = std::min(1.0, rows / std::max(1.0, setup_.rows_in_range));
  if (jumps < kLeastJumps || (stretches_ < kLeastStretches && part < kLargePart)) {
    TriedScan few = Result(jumps);
    few.is_typical = false;
    few.looks = looks_;
    return few;
  }
  const double times = std::ceil(std::min({setup_.rows_in_range / rows, kMostTimes, 1 + kEnoughJumps / jumps}));
  if (times > 1) {
    levels_ = filter::JumpLevels(setup_.expected_gap);
    jumps_ = UntriedJumps();
    near_ = {};
    first_ = later_ = {};
    owed_ = 0;
    part_ = std::min(1.0, part_ * times);
    VisitAll(static_cast<int>(times));
  }
  return Result(jumps * std::max(1.0, setup_.rows_in_range / rows));
}

void Trial::Visit(size_t number, bool from_start, bool to_end) {
  const OrderedRows stretch(all_.stretches[number], setup_.reversed);
  const auto [first, stop] = stretch.Within(setup_.range);
  size_t last = stop;  // excluded
  if (stop == stretch.size() && !to_end) {
    const uint32_t cells = stretch.cells_before(stop);
    while (last > first && cells - stretch.cells_before(last) <= ahead_) {
      --last;
    }
  }
  rows_ += static_cast<double>(last - first);
  double wanted = 0;
  double live = 0;
  const auto count = [&](size_t row) {
    near_.Wanted();
    ++wanted;
    live += keys_.IsLive(all_.stretches[number], stretch.StoredAt(row)) ? 1 : 0;
  };
  Looks& looks = looks_at_[number];
  if (!looks.Open(stretch, first, *setup_.rows, setup_.reversed, known_)) {
    return;
  }
  size_t at = looks.start();
  bool looked_at = at > 0 || from_start;  // by the scan, for sure
  const double before = tried();
  while (at < last) {
    looks_ += looked_at ? 1 : 0;
    if (!setup_.reversed && near_.only_asks() && looked_at && !looks.At(at).end) {
      const bool holds = looks.At(at).inside;
      if (holds) {
        count(at);
      }
      if (holds || StepsOver(stretch, at)) {
        ++at;
        continue;
      }
    }
    const Look look = looks.At(at);
    if (look.end) {
      break;
    }
    const size_t next = std::min(stop, size_t{look.next});
    if (look.inside) {
      count(at);
    } else if (looked_at) {
      const uint32_t cells = stretch.cells_before(next) - stretch.cells_before(at);
      if (!IsLong(cells, next == stretch.size() && !to_end)) {
        Jump(look.level, cells);
      }
    }
    looked_at = true;
    at = next;
  }
  stretches_ += tried() > before ? 1 : 0;
  if (rows_of_.size() < all_.stretches.size()) {
    rows_of_.push_back(static_cast<double>(last - first));
    wanted_of_.push_back(wanted);
    live_of_.push_back(live);
  }
}

bool Trial::StepsOver(const OrderedRows& stretch, size_t row) {
  if (!near_.StepsOver()) {
    return false;
  }
  const uint32_t cells = stretch.cells_before(row + 1) - stretch.cells_before(row);
  near_.SteppedOver(cells == 1);
  Counts& counts = *NextCounts();
  ++counts.jumps;
  counts.skipped += cells;
  counts.steps += cells;
  return true;
}

TriedJumps::Jump Trial::Make(int level, uint32_t cells) {
  const TriedJumps::Jump jump = jumps_.Make(cells, &levels_[level], [this](uint32_t) { return seek_steps_; });
  near_.Jumped(jump.sought ? UINT32_MAX : jump.steps);
  return jump;
}

void Trial::Jump(int level, uint32_t cells) {
  Counts& counts = *NextCounts();
  const TriedJumps::Jump jump = Make(level, cells);
  ++counts.jumps;
  counts.skipped += cells;
  counts.steps += jump.steps;
  counts.seeks += jump.sought ? 1 : 0;
}

// Of a scan that makes so many jumps. If the trial ended while the policy learnt, its jumps stand for all.
TriedScan Trial::Result(double jumps) const {
  const double each =
      later_.jumps > 0 ? std::max(0.0, jumps - first_.jumps) / later_.jumps : jumps / std::max(1.0, first_.jumps);
  const auto all = [&](double first, double later) { return later_.jumps > 0 ? first + later * each : first * each; };
  return {.jumps = jumps,
          .seeks = all(first_.seeks, later_.seeks),
          .steps = all(first_.steps, later_.steps),
          .skipped = all(first_.skipped, later_.skipped),
          .is_typical = true};
}

}  // namespace

TriedScan TryScan(const filter::SampledKeys& keys, const TrialSetup& setup) { return Trial(setup, keys).Run(); }

}  // namespace klip::rowkey
