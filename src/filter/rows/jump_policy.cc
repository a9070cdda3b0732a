// How far to walk before seeking: a ski-rental problem with learnt distances.
//
// If the distance to the target were known to be d steps, one would walk if d < r and seek otherwise (r: a seek's cost in
// steps). It is unknown, so the policy keeps, for each power of two, the hazard: how often a walk that came so far ended
// there. From these, Choose computes the expected cost of every cap c: walk c steps, then seek if the target was not
// reached. A walk that was cut at c steps is still evidence that the distance exceeds c. A mean of distances could not
// use it.
//
// Example: r = 10, and of 100 distances 60 were 1 and 40 were 500. Bucket 0 (distance 1) has the hazard 0.6, the others
// up to the full cap (4 r, rounded up to the power of two 64) about 0.
//   cap 0    always seek:            10
//   cap 1    1 + 0.4 * 10          =  5
//   cap 64   1 + 0.4 * 63 + 0.4 * 10 = 30.2
// It takes cap 1. If all distances were 500, cap 0 would win. If all were 3, seeking would not be clearly cheaper than
// walking: the policy takes the full cap, and each walk ends after 3 steps.
//
// A policy that seeks sees no distances. So it probes: now and then it walks the full cap. How often depends on saved_,
// the steps saved so far compared with walking everything. So probes cost at most a part of what seeking has saved. A
// probe that contradicts the estimate (kSurprise) makes it forget most of its history and probe again at once. Then, or if
// the cap would not have reached the probe's target, the intervals grow again from the shortest one.
#include "filter/rows/jump_policy.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <utility>

namespace klip::filter {
namespace {

constexpr double kMinRatio = 2;
constexpr double kMaxRatio = 500;
constexpr float kDecay = 0.95F;
constexpr double kForget = 0.25;  // history kept after a surprise
constexpr double kSurprise = 0.7;
constexpr double kClearlyBetter = 0.85;  // a seek is worth its risk below this share of the cost of walking
constexpr double kAllowance = 1.2;       // times the cost of walking everything
constexpr double kFirstDebt = 16;        // seeks on credit, before anything was saved
constexpr uint32_t kLongestInterval = 1024;
constexpr uint32_t kFirstWalks = 3;  // probes made before the first decision
// and seeks before those: some microseconds, and short scans read nothing in between
constexpr uint32_t kFirstSeeks = 4;
constexpr uint32_t kAlwaysChosen = 32;  // after so many jumps, the choice is cached
constexpr uint32_t kChosenOnceIn = 8;   // later: one jump in so many. Choosing costs as much as half a step

std::atomic<bool> jump_costs_frozen = false;

int BucketOf(uint32_t steps) { return steps <= 1 ? 0 : std::bit_width(steps - 1); }

}  // namespace

void JumpCosts::Freeze(bool frozen) { jump_costs_frozen.store(frozen, std::memory_order_relaxed); }

void JumpCosts::Blend(double* average, double ticks) {
  if (jump_costs_frozen.load(std::memory_order_relaxed)) {
    return;
  }
  constexpr double kWeight = 1.0 / 16;
  // An interrupted sample is misleading: its influence is bounded.
  *average = *average == 0 ? ticks : *average + kWeight * (std::min(ticks, *average * 4) - *average);
}

double JumpCosts::ratio() const {
  return step_ > 0 && seek_ > 0 ? std::clamp(seek_ / step_, kMinRatio, kMaxRatio) : kDefaultRatio;
}

uint32_t JumpPolicy::LongestWalk(double ratio) {
  return std::min(std::bit_ceil(static_cast<uint32_t>(4 * ratio)), uint32_t{1} << (kBuckets - 1));
}

uint32_t JumpPolicy::WalkCap(double ratio) {
  ratio_ = ratio;
  if (expected_gap_ == 0 && first_seeks_ < kFirstSeeks) {
    ++first_seeks_;
    return 0;
  }
  if (!started_) {
    started_ = true;
    probing_ = true;
    until_probe_ = 0;
    if (expected_gap_ > FullCap()) {  // expected to be far: seek first, probe soon
      probing_ = false;
      until_probe_ = kFirstWalks;
      walk_estimate_ = FullCap();
      return cap_ = 0;
    }
    return FullCap();
  }
  if (until_probe_ == 0 || saved_ < -kFirstDebt * ratio_) {
    probing_ = true;
    return FullCap();
  }
  --until_probe_;
  ++since_probe_;
  probing_ = false;
  return cap_;
}

void JumpPolicy::Learn(uint32_t steps, bool arrived) {
  const uint32_t seen = std::min(steps, FullCap());
  const int last = arrived ? std::min(BucketOf(seen), kBuckets - 1) : kBuckets;
  for (int k = 0; k < kBuckets; ++k) {
    if (k > last || (!arrived && (seen == 0 || (uint32_t{1} << k) > seen))) {
      break;
    }
    reached_[static_cast<size_t>(k)] = reached_[static_cast<size_t>(k)] * kDecay + 1;
    ended_[static_cast<size_t>(k)] = ended_[static_cast<size_t>(k)] * kDecay + (k == last ? 1.0F : 0.0F);
  }
  const double spent = steps + (arrived ? 0 : ratio_);
  saved_ += kAllowance * (arrived ? steps : std::max<double>(walk_estimate_, seen + 1)) - spent;
  ScheduleProbe(steps, arrived);
  if (probing_ || !arrived || ++learnt_ <= kAlwaysChosen || learnt_ % kChosenOnceIn == 0) {
    Choose();
  }
}

void JumpPolicy::ScheduleProbe(uint32_t steps, bool arrived) {
  if (!probing_) {
    return;
  }
  double beyond = 1;  // the apparent probability that the distance exceeds r
  for (int k = 0; k < kBuckets && (uint32_t{1} << k) <= ratio_; ++k) {
    beyond *= 1 - Hazard(k);
  }
  const bool far = !arrived || steps > ratio_;
  const uint32_t blind = std::exchange(since_probe_, 0);
  if (std::abs((far ? 1 : 0) - beyond) > kSurprise) {
    if (!far) {
      saved_ -= kAllowance * blind * std::max(0.0, walk_estimate_ - steps);  // all of them may have been that near
    }
    for (size_t k = 0; k < kBuckets; ++k) {
      reached_[k] = static_cast<float>(reached_[k] * kForget);
      ended_[k] = static_cast<float>(ended_[k] * kForget);
    }
    until_probe_ = 0;
    interval_ = kShortestInterval;
    return;
  }
  if (reached_[0] < kFirstWalks - 0.5) {
    until_probe_ = 0;
    return;
  }
  until_probe_ = static_cast<uint32_t>(std::clamp<double>(saved_ / (4 * ratio_), kShortestInterval, interval_));
  interval_ = far || steps <= cap_ ? std::min(2 * interval_, kLongestInterval) : kShortestInterval;
}

// Chooses the cap with the lowest expected cost.
void JumpPolicy::Choose() {
  const uint32_t full = FullCap();
  double alive = 1;   // probability that the distance exceeds the steps walked
  double walked = 0;  // expected steps so far
  double best = ratio_;
  cap_ = 0;
  for (int k = 0; k < kBuckets && (uint32_t{1} << k) <= full; ++k) {
    const double width = k == 0 ? 1 : static_cast<double>(uint32_t{1} << (k - 1));
    const double next = alive * (1 - Hazard(k));
    walked += k < 2 ? alive * width : next * width + (alive - next) * (width + 1) / 2;
    alive = next;
    if (const double cost = walked + alive * ratio_; cost < best) {
      best = cost;
      cap_ = uint32_t{1} << k;
    }
  }
  if (best > kClearlyBetter * walked) {
    cap_ = full;
  }
  walk_estimate_ = walked;
}

}  // namespace klip::filter
