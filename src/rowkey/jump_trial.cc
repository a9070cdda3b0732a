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
  const auto distance = static_cast<uint32_t>(std::clamp(gap.steps + 0.5, 1.0, 1e9));
  cells_ += wanted_;
  const TriedJumps::Jump jump = jumps_.Make(distance, &policies_[gap.onward ? 1 : 0],
                                            [this](uint32_t steps) { return SeekSteps(cells_ + steps); });
  moves_.steps += each_ * jump.steps;
  cells_ = jump.sought ? 0 : cells_ + jump.steps;
  moves_.seeks += jump.sought && !IsFar(gap) ? each_ : 0;
}

}  // namespace klip::rowkey
