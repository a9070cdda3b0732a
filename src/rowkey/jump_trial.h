// JumpTrial: predicts how often a scan will seek. It passes the expected jumps to the scanner's own policy
// (filter/rows/jump_policy.h).
//
// Example: 1,000 jumps over 335 rows each. The policy first walks some of them, learns that seeking is cheaper, and seeks for
// nearly all others. With 1,000 jumps over 2 rows each it soon walks all: some 2,000 steps and a few seeks.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "filter/rows/jump_policy.h"
#include "rowkey/planner.h"

namespace klip::rowkey {

// Returns the same numbers each time.
class FixedRandom {
 public:
  // 0 <= x < 1.
  double Next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<double>(state_ >> 40) * 0x1p-24;
  }
  // A random number of items, out of `of`, of a kind that has this share.
  double Some(double of, double share) {
    if (of * share * (1 - share) > 4) {
      const double normal = Next() + Next() + Next() + Next() - 2;  // with variance 1/3
      return std::clamp(std::round(of * share + normal * std::sqrt(3 * of * share * (1 - share))), 0.0, of);
    }
    if (of > 64) {
      return std::floor(of * share + Next());
    }
    double some = 0;
    for (double i = 0; i < of; ++i) {
      some += Next() < share ? 1 : 0;
    }
    return some;
  }

 private:
  uint64_t state_ = 1;
};

// Jumps over known distances as FamilyCursor does, which learns from some of its jumps what a seek costs.
class TriedJumps {
 public:
  // `costs`: in steps, as far as the scan knows them when it starts.
  explicit TriedJumps(const filter::JumpCosts& costs) : costs_(costs) {}

  struct Jump {
    uint32_t steps;
    bool sought;
  };
  // `seek_steps`: returns the cost of a seek after so many steps.
  template <typename SeekSteps>
  Jump Make(uint32_t distance, filter::JumpPolicy* policy, const SeekSteps& seek_steps) {
    const uint32_t cap = policy->WalkCap(costs_.ratio());
    const Jump jump = {.steps = std::min(cap, distance), .sought = distance > cap};
    const bool timed = ++jumps_ % filter::JumpCosts::kTimedOnceIn == 0;
    if (timed && cap > 0) {
      costs_.ObserveStep(1);
    }
    if (!jump.sought) {
      policy->Arrived(distance);
      return jump;
    }
    policy->Sought(cap);
    if (timed) {
      costs_.ObserveSeek(seek_steps(jump.steps));
    }
    return jump;
  }

 private:
  filter::JumpCosts costs_;
  uint32_t jumps_ = 0;
};

// A jump over rows, and how often it happens.
struct Gap {
  double steps;
  double times;
  bool onward;      // to the next prefix, not within one
  size_t pool = 0;  // jumps of one pool come in any order, before those of the next
};

struct Moves {
  double seeks = 0;
  double steps = 0;
};

class JumpTrial {
 public:
  // `runs_factor`: by which sorted runs increase the cost of a seek. `wanted`: cells read between two jumps.
  // `expected_gap`: the scanner's hint.
  JumpTrial(const CostModel& costs, double runs_factor, double wanted, double expected_gap)
      : model_(costs),
        runs_factor_(runs_factor),
        wanted_(wanted),
        policies_{filter::JumpPolicy(expected_gap), filter::JumpPolicy(expected_gap)},
        jumps_(costs.measured ? filter::JumpCosts(1, SeekSteps(0)) : filter::JumpCosts()) {}

  // The gaps come pool after pool. If there are more jumps than `most_tries`, tries only some; each takes some 0.05 us.
  Moves Run(const std::vector<Gap>& gaps, double most_tries);

 private:
  bool IsFar(const Gap& gap) const;
  void TryPool(std::span<const Gap> gaps);
  void Try(const Gap& gap);

  // The cost of a seek in steps, if so many cells were read since the previous one.
  double SeekSteps(double cells) const { return model_.SeekUs(cells) * runs_factor_ / model_.short_step_us; }

  const CostModel model_;
  const double runs_factor_;
  const double wanted_;
  double each_ = 1;  // jumps that a try stands for
  double owed_ = 0;
  double cells_ = 0;                            // read since the last seek
  std::array<filter::JumpPolicy, 2> policies_;  // jumps of one kind share what they learn
  TriedJumps jumps_;
  FixedRandom random_;
  std::vector<double> sums_;
  Moves moves_;
};

}  // namespace klip::rowkey
