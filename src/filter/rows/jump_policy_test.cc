#include "filter/rows/jump_policy.h"

#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace klip::filter {
namespace {

struct Costs {
  double policy = 0;
  double walk = 0;
  double seek = 0;
};

Costs Simulate(const std::vector<uint32_t>& gaps, double ratio, double expected_gap = 0) {
  JumpPolicy policy(expected_gap);
  Costs costs;
  for (uint32_t gap : gaps) {
    const uint32_t cap = policy.WalkCap(ratio);
    if (gap <= cap) {
      policy.Arrived(gap);
      costs.policy += gap;
    } else {
      policy.Sought(cap);
      costs.policy += cap + ratio;
    }
    costs.walk += gap;
    costs.seek += ratio;
  }
  return costs;
}

std::vector<uint32_t> Make(size_t count, const std::function<uint32_t(size_t)>& gap) {
  std::vector<uint32_t> gaps(count);
  for (size_t i = 0; i < count; ++i) {
    gaps[i] = gap(i);
  }
  return gaps;
}

class JumpPolicyTest : public testing::TestWithParam<double> {
 protected:
  void ExpectBounded(const std::string& what, const std::vector<uint32_t>& gaps, double expected_gap = 0) {
    const double ratio = GetParam();
    const Costs costs = Simulate(gaps, ratio, expected_gap);
    EXPECT_LE(costs.policy, 1.25 * costs.walk + 60 * ratio) << what << ", r = " << ratio;
  }
};

TEST_P(JumpPolicyTest, NeverMuchWorseThanWalking) {
  const auto r = static_cast<uint32_t>(GetParam());
  for (uint32_t gap : {1U, 2U, 3U, r / 2 + 1, r - 1, r, r + 1, 2 * r, 3 * r, 4 * r, 5 * r, 100 * r}) {
    ExpectBounded("all " + std::to_string(gap), Make(20000, [&](size_t) { return gap; }));
    ExpectBounded("said to be far, all " + std::to_string(gap), Make(20000, [&](size_t) { return gap; }), 1e6);
  }
  ExpectBounded("alternating near and far", Make(20000, [&](size_t i) { return i % 2 == 0 ? 1 : r + 1; }));
  ExpectBounded("alternating 2 and 3r", Make(20000, [&](size_t i) { return i % 2 == 0 ? 2 : 3 * r; }));
  ExpectBounded("rising", Make(20000, [&](size_t i) { return static_cast<uint32_t>(1 + i % (4 * r)); }));
}

TEST_P(JumpPolicyTest, ChangesOfFaceAreBounded) {
  const auto r = static_cast<uint32_t>(GetParam());
  for (size_t phase : {16U, 64U, 250U, 1000U, 5000U}) {
    for (uint32_t far : {r + 1, 2 * r, 5 * r, 50 * r}) {
      ExpectBounded("phases of " + std::to_string(phase) + " of 1 and " + std::to_string(far),
                    Make(40000, [&](size_t i) { return (i / phase) % 2 == 0 ? far : 1; }));
    }
  }
  ExpectBounded("far for long, then near", Make(30000, [&](size_t i) { return i < 5000 ? 20 * r : 1; }));
}

// Twelve far ones, then a hundred near ones, over and over: what the far ones saved must not keep it seeking.
TEST(JumpPolicy, StopsSeekingWhereJumpsAreNearAgain) {
  constexpr double kRatio = 20;
  uint32_t random = 1;
  double best = 0;
  const std::vector<uint32_t> gaps = Make(30000, [&](size_t i) {
    random = random * 1664525 + 1013904223;
    const uint32_t gap = i % 112 < 12 ? 500 : 1 + (random >> 16) % 4;
    best += std::min<double>(gap, kRatio);
    return gap;
  });
  EXPECT_LE(Simulate(gaps, kRatio).policy, 1.3 * best);
}

TEST_P(JumpPolicyTest, RandomMixesAreBounded) {
  const auto r = static_cast<uint32_t>(GetParam());
  for (int percent : {1, 5, 10, 25, 50, 75, 90, 99}) {
    for (uint32_t far : {r, r + 2, 2 * r, 4 * r, 40 * r}) {
      std::mt19937 random(static_cast<uint32_t>(percent) * 1000 + far);
      ExpectBounded(std::to_string(percent) + "% of " + std::to_string(far), Make(20000, [&](size_t) {
                      return static_cast<int>(random() % 100) < percent ? far : 1 + static_cast<uint32_t>(random() % 3);
                    }));
    }
  }
  std::mt19937 random(7);
  std::geometric_distribution<uint32_t> geometric(1.0 / r);
  ExpectBounded("geometric", Make(20000, [&](size_t) { return 1 + geometric(random); }));
}

TEST_P(JumpPolicyTest, NearlyAsGoodAsSeekingWhereJumpsAreLong) {
  const auto r = static_cast<uint32_t>(GetParam());
  for (uint32_t gap : {5 * r, 50 * r, 10000 * r}) {
    for (double expected : {0.0, static_cast<double>(gap)}) {
      const Costs costs = Simulate(Make(2000, [&](size_t) { return gap; }), GetParam(), expected);
      EXPECT_LE(costs.policy, 1.1 * costs.seek + 24 * GetParam()) << "gap " << gap << ", expected " << expected;
    }
  }
}

TEST_P(JumpPolicyTest, NearlyAsGoodAsTheBestFixedRule) {
  const auto r = static_cast<uint32_t>(GetParam());
  // Half the jumps are one step: walking one step and then seeking is best.
  std::mt19937 random(3);
  const std::vector<uint32_t> gaps = Make(20000, [&](size_t) { return random() % 2 == 0 ? 1U : 100 * r; });
  double best = 0;
  for (uint32_t gap : gaps) {
    best += gap == 1 ? 1 : 1 + GetParam();
  }
  EXPECT_LE(Simulate(gaps, GetParam()).policy, 1.25 * best + 60 * GetParam());
}

INSTANTIATE_TEST_SUITE_P(Ratios, JumpPolicyTest, testing::Values(4.0, 8.0, 11.0, 32.0));

TEST(JumpCosts, LearnsTheRatio) {
  JumpCosts costs;
  EXPECT_EQ(costs.ratio(), JumpCosts::kDefaultRatio);
  for (int i = 0; i < 500; ++i) {
    costs.ObserveStep(100);
    costs.ObserveSeek(i % 100 == 0 ? 1e9 : 2500);  // an interrupted sample
  }
  EXPECT_NEAR(costs.ratio(), 25, 8);
}

}  // namespace
}  // namespace klip::filter
