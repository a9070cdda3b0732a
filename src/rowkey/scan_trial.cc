#include "rowkey/scan_trial.h"

#include <algorithm>
#include <cstdint>
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
constexpr int kMostPasses = 4;
constexpr double kEnoughJumps = 4096;

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
  bool Open(const RowStretch& stretch, size_t first, const filter::RowSet& rows, const filter::KnownRows& known) {
    if (stretch_ == nullptr) {
      stretch_ = &stretch;
      cursor_ = rows.NewCursor(/*reversed=*/false, known);
      any_ = cursor_->First();
      start_ = any_ ? stretch.LowerBound(first, cursor_->target()) : 0;
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
        look.next = static_cast<uint32_t>(stretch_->LowerBound(row, cursor_->target()));
      }
      std::fill(looks_.begin() + static_cast<ptrdiff_t>(row),
                looks_.begin() + static_cast<ptrdiff_t>(std::max<size_t>(row + 1, look.next)),
                look);  // the cursor does not go back to rows that are jumped over
    }
    return looks_[row];
  }

 private:
  const RowStretch* stretch_ = nullptr;
  std::unique_ptr<RowCursor> cursor_;
  bool any_ = false;
  size_t start_ = 0;
  std::vector<Look> looks_;
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
  void Visit(const RowStretch& stretch, bool from_start, bool to_end);
  bool StepsOver(const RowStretch& stretch, size_t row);
  void Jump(int level, uint32_t cells);
  Counts* NextCounts() { return first_.jumps < kFirstJumps ? &first_ : &later_; }
  TriedScan Result(double jumps) const;
  TriedScan WithRows(TriedScan tried) {
    tried.rows = std::move(rows_of_);
    tried.wanted = std::move(wanted_of_);
    tried.live = std::move(live_of_);
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
  std::vector<Looks> looks_at_;  // [stretch]
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
      jumps_(setup.costs.measured ? filter::JumpCosts(1, seek_steps_) : filter::JumpCosts()),
      levels_(setup.expected_gap),
      looks_at_(all_.stretches.size()) {
  for (const RowStretch& stretch : all_.stretches) {
    for (size_t i = 0; i < stretch.size(); ++i) {
      known_.shortest_row_bytes = std::min(known_.shortest_row_bytes, stretch.row(i).size());
    }
  }
}

// Visits the stretches again if they are a small part of the scan and show few jumps, as a policy does not do the same each time.
TriedScan Trial::Try() {
  const size_t count = all_.stretches.size();
  double rows_once = 0;
  double jumps_once = 0;
  for (int pass = 1; pass == 1 || (pass <= kMostPasses && rows_ < setup_.rows_in_range && tried() < kEnoughJumps);
       ++pass) {
    for (size_t i = 0; i < count; ++i) {
      Visit(all_.stretches[i], i == 0 && all_.from_start, i + 1 == count && all_.to_end);
    }
    if (pass == 1) {
      rows_once = rows_;
      jumps_once = tried();
      if (all_.whole()) {
        return Result(jumps_once);
      }
      const double part = std::min(1.0, rows_once / std::max(1.0, setup_.rows_in_range));
      if (jumps_once < kLeastJumps || (stretches_ < kLeastStretches && part < kLargePart)) {
        TriedScan few = Result(jumps_once);
        few.is_typical = false;
        few.looks = looks_;
        return few;
      }
    }
  }
  return Result(jumps_once * std::max(1.0, setup_.rows_in_range / rows_once));
}

void Trial::Visit(const RowStretch& stretch, bool from_start, bool to_end) {
  const RowRange& range = setup_.range;
  const size_t first = stretch.LowerBound(0, range.start);
  const size_t stop = range.stop.empty() ? stretch.size() : stretch.LowerBound(first, range.stop);
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
    live += keys_.IsLive(stretch, row) ? 1 : 0;
  };
  Looks& looks = looks_at_[static_cast<size_t>(&stretch - all_.stretches.data())];
  if (!looks.Open(stretch, first, *setup_.rows, known_)) {
    return;
  }
  size_t at = looks.start();
  bool looked_at = at > 0 || from_start;  // by the scan, for sure
  const double before = tried();
  while (at < last) {
    looks_ += looked_at ? 1 : 0;
    if (near_.only_asks() && looked_at && !looks.At(at).end) {
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
      Jump(look.level, stretch.cells_before(next) - stretch.cells_before(at));
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

bool Trial::StepsOver(const RowStretch& stretch, size_t row) {
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

void Trial::Jump(int level, uint32_t cells) {
  Counts& counts = *NextCounts();
  const TriedJumps::Jump jump = jumps_.Make(cells, &levels_[level], [this](uint32_t) { return seek_steps_; });
  ++counts.jumps;
  counts.skipped += cells;
  counts.steps += jump.steps;
  counts.seeks += jump.sought ? 1 : 0;
  near_.Jumped(jump.sought ? UINT32_MAX : jump.steps);
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
