// JumpPolicy: step or seek. A jump leads from one cell to a target an unknown number of cells ahead. A step costs one
// unit; a seek costs r units at any distance. The policy learns the distances, and decides how far to walk before
// seeking. Pure: costs and outcomes are its input.
//
// It learns distances as survival rates over powers of two, so a walk that was cut still contributes what it saw. If the
// policy has stopped walking, it probes now and then. The number of probes is limited by what jumping has saved so far,
// so a table whose distances change costs at most a part of the savings. Total cost: at most about 1.25 × walking
// everything, and about 1.1 × seeking everything where distances are long (jump_policy_test.cc).
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace klip::filter {

// The cost of a seek in steps, learnt from timings.
class JumpCosts {
 public:
  static constexpr double kDefaultRatio = 10;
  // One jump in so many is timed: timing each would cost as much as a step.
  static constexpr uint32_t kTimedOnceIn = 16;

  JumpCosts() = default;
  // What was measured before, in ticks.
  JumpCosts(double step_ticks, double seek_ticks) : step_(step_ticks), seek_(seek_ticks) {}

  void ObserveStep(double ticks) { Blend(&step_, ticks); }
  void ObserveSeek(double ticks) { Blend(&seek_, ticks); }
  double ratio() const;

  // While frozen, no timing changes the costs of any scan: scans of the same rows make the same jumps. For tests.
  static void Freeze(bool frozen);

 private:
  static void Blend(double* average, double ticks);

  double step_ = 0;  // 0: not measured yet
  double seek_ = 0;
};

// One level of jumps; jumps of one level have similar distances.
class JumpPolicy {
 public:
  // `expected_gap`: expected steps per jump; 0: unknown.
  explicit JumpPolicy(double expected_gap = 0) : expected_gap_(expected_gap) {}

  // The most steps that it makes before seeking, for a seek that costs `ratio` steps.
  static uint32_t LongestWalk(double ratio);

  // The number of steps before seeking.
  uint32_t WalkCap(double ratio);

  // Then call exactly one of these. Arrived: the target was reached by the last of `steps` (>= 1) steps. Sought: `steps`
  // steps did not reach it, and a seek was made.
  void Arrived(uint32_t steps) { Learn(steps, true); }
  void Sought(uint32_t steps) { Learn(steps, false); }

 private:
  static constexpr int kBuckets = 12;  // [k]: distances above 2^(k-1), up to 2^k
  // What no walk has seen ends as often as not, as if a part of a walk had shown it: else walks would never reach it.
  static constexpr float kGuess = 0.1F;
  static constexpr uint32_t kShortestInterval = 16;  // jumps between probes

  void Learn(uint32_t steps, bool arrived);
  void Choose();
  void ScheduleProbe(uint32_t steps, bool arrived);
  uint32_t FullCap() const { return LongestWalk(ratio_); }
  double Hazard(int bucket) const {
    const auto at = static_cast<size_t>(bucket);
    return (ended_[at] + kGuess / 2) / (reached_[at] + kGuess);
  }

  double expected_gap_;
  double ratio_ = JumpCosts::kDefaultRatio;
  std::array<float, kBuckets> reached_ = {};  // decayed counts: walks that saw the bucket to its end or ended in it
  std::array<float, kBuckets> ended_ = {};
  uint32_t cap_ = 0;
  double walk_estimate_ = 0;  // of a jump, at most FullCap()
  double saved_ = 0;          // steps, compared with 1.2 x walking everything
  uint32_t since_probe_ = 0;  // jumps made on the estimate
  uint32_t learnt_ = 0;       // jumps
  uint32_t first_seeks_ = 0;
  bool started_ = false;
  bool probing_ = false;
  uint32_t until_probe_ = 0;
  uint32_t interval_ = kShortestInterval;  // the longest one before the next probe
};

// Where wanted rows are close together, finding the target of a jump costs more than the step that it saves. After kJumps consecutive
// short jumps a walk only asks whether a row is wanted, and steps over it if not. Some such steps in succession without a wanted
// row end that mode, and so does a row of several cells.
class NearRows {
 public:
  bool only_asks() const { return jumps_ >= kJumps; }
  // While it only asks: whether it steps over a row that is not wanted; false: it looks for the next one that may be.
  bool StepsOver() {
    jumps_ = ++steps_ <= kMostSteps ? jumps_ : 0;
    return jumps_ > 0;
  }
  void Wanted() { steps_ = 0; }
  void SteppedOver(bool one_cell) { jumps_ = one_cell ? jumps_ : 0; }
  void Jumped(uint32_t steps) { jumps_ = steps <= kJumpSteps ? jumps_ + 1 : 0; }

 private:
  static constexpr uint32_t kJumps = 16;
  static constexpr uint32_t kJumpSteps = 2;
  static constexpr uint32_t kMostSteps = 3;

  uint32_t jumps_ = 0;  // the number of consecutive short ones
  uint32_t steps_ = 0;  // made instead of jumps since the last wanted row
};

// The policies of jumps between rows, by level.
class JumpLevels {
 public:
  static constexpr int kCount = 8;          // higher levels share the last one
  static constexpr int kHint = kCount - 1;  // whose distances nobody expects

  explicit JumpLevels(double expected_gap) {
    policies_.fill(JumpPolicy(expected_gap));
    policies_[kHint] = JumpPolicy();
  }

  JumpPolicy& operator[](int level) { return policies_[static_cast<size_t>(std::clamp(level, 0, kCount - 1))]; }

 private:
  std::array<JumpPolicy, kCount> policies_;
};

}  // namespace klip::filter
