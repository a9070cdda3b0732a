#include "rowkey/jump_trial.h"

namespace klip::rowkey {
Moves JumpTrial::Run(const std::vector<Gap>& gaps, double most_tries) {
  double all = 0;
  for (const Gap& gap : gaps) {
    all += gap.times;
    moves_.seeks += IsFar(gap) ? gap.times : 0;
  }
  each_ = std::max(1.0, all / most_tries);
  for (auto pool = gaps.begin(); pool != gaps.end();) {
    const auto end = std::find_if(pool, gaps.end(), [pool](const Gap& gap) { return gap.pool != pool->pool; });
    TryPool({pool, end});
    pool = end;
  }
  return moves_;
}

// No walk reaches its end, so it is always a seek, tried or not.
bool JumpTrial::IsFar(const Gap& gap) const {
  return gap.steps > std::min(2048.0, 8 * SeekSteps(CostModel::kFarCells));
}

void JumpTrial::TryPool(std::span<const Gap> gaps) {
  sums_.clear();
  double all = 0;
  for (const Gap& gap : gaps) {
    sums_.push_back(all += gap.times);
  }
  for (owed_ += all; owed_ >= each_; owed_ -= each_) {
    const auto found = std::upper_bound(sums_.begin(), sums_.end(), random_.Next() * all);
    Try(gaps[std::min(gaps.size() - 1, static_cast<size_t>(found - sums_.begin()))]);
  }
}

void JumpTrial::Try(const Gap& gap) {
  constexpr uint32_t kTimed = 16;  // one in so many, see FamilyCursor
  filter::JumpPolicy& policy = policies_[gap.onward ? 1 : 0];
  const auto distance = static_cast<uint32_t>(std::clamp(gap.steps + 0.5, 1.0, 1e9));
  const uint32_t cap = policy.WalkCap(costs_.ratio());
  const double walked = std::min(cap, distance);
  const bool timed = ++tries_ % kTimed == 0;
  moves_.steps += each_ * walked;
  cells_ += wanted_ + walked;
  if (timed && cap > 0) {
    costs_.ObserveStep(1);
  }
  if (distance <= cap) {
    policy.Arrived(distance);
    return;
  }
  policy.Sought(cap);
  moves_.seeks += IsFar(gap) ? 0 : each_;
  if (timed) {
    costs_.ObserveSeek(SeekSteps(cells_));
  }
  cells_ = 0;
}

}  // namespace klip::rowkey
