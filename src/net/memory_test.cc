// Who gets memory: greedy clients leave space, and one large call runs beside all others.
#include "net/memory.h"

#include <array>
#include <deque>
#include <limits>
#include <utility>

#include <gtest/gtest.h>

namespace klip::net {
namespace {

constexpr size_t kKb = 1 << 10;
constexpr size_t kMb = 1 << 20;

TEST(MemoryBudgetTest, EachConnectionLeavesAsMuchAsItHas) {
  MemoryBudget budget;
  budget.Limit(12 * kMb, 0);
  std::array<MemoryShare, 3> shares;
  MemoryLease first(&budget, &shares[0]);
  EXPECT_FALSE(first.Hold(6 * kMb + 1));
  EXPECT_TRUE(first.Hold(6 * kMb));
  EXPECT_FALSE(MemoryLease(&budget, &shares[0]).Hold(1)) << "of the same connection";
  MemoryLease second(&budget, &shares[1]);
  EXPECT_FALSE(second.Hold(3 * kMb + 1));
  EXPECT_TRUE(second.Hold(3 * kMb));
  first.Release();
  EXPECT_EQ(shares[0].taken, 0);
  EXPECT_TRUE(MemoryLease(&budget, &shares[2]).Hold(4 * kMb));
  EXPECT_TRUE(second.Hold(4 * kMb));
}

TEST(MemoryBudgetTest, HoweverManyAreGreedyTheSmallGetSome) {
  MemoryBudget budget;
  budget.Limit(4 * kMb, 0);
  std::deque<MemoryShare> shares(1000);
  std::deque<MemoryLease> leases;
  size_t got = 0;
  for (MemoryShare& share : shares) {
    leases.emplace_back(&budget, &share);
    for (size_t bytes = kKb; leases.back().Hold(bytes); bytes += kKb) {
    }
    got += leases.back().held();
    if (&share == &shares[10]) {
      MemoryShare other;
      EXPECT_TRUE(MemoryLease(&budget, &other).Hold(64 * kKb)) << "ten greedy ones";
    }
  }
  EXPECT_LE(got, 5 * kMb);
}

TEST(MemoryBudgetTest, OneLargeCallRunsBesideAllOthers) {
  MemoryBudget budget;
  int times = 0;
  budget.Limit(kMb, 8 * kMb, [&times] { ++times; });
  std::array<MemoryShare, 3> shares;
  MemoryLease large(&budget, &shares[0]);
  EXPECT_TRUE(large.Hold(kKb));
  EXPECT_TRUE(large.Hold(8 * kMb));
  EXPECT_FALSE(large.Hold(8 * kMb + 1));
  EXPECT_TRUE(large.is_large());
  EXPECT_EQ(shares[0].taken, 0) << "it is not of the ordinary account";
  EXPECT_EQ(times, 1);
  MemoryLease other(&budget, &shares[1]);
  EXPECT_FALSE(other.Hold(kMb));
  EXPECT_TRUE(other.Hold(kMb / 2));
  EXPECT_EQ(budget.largest(), 8 * kMb);
  large.Shrink(kMb);
  EXPECT_TRUE(large.is_large()) << "so much is not left of the ordinary account";
  large.Shrink(kMb / 4);
  EXPECT_FALSE(large.is_large());
  EXPECT_TRUE(other.Hold(2 * kMb));
  EXPECT_TRUE(other.is_large());
}

TEST(MemoryBudgetTest, WhatIsSparedLeavesHalfToCalls) {
  MemoryBudget budget;
  budget.Limit(10 * kMb, 0);
  MemoryLease spare(&budget, nullptr);
  EXPECT_FALSE(spare.HoldSpare(6 * kMb));
  EXPECT_TRUE(spare.HoldSpare(5 * kMb));
  EXPECT_FALSE(MemoryLease(&budget, nullptr).HoldSpare(1));
  MemoryShare share;
  EXPECT_TRUE(MemoryLease(&budget, &share).Hold(2 * kMb));
  spare.Release();
  EXPECT_TRUE(MemoryLease(&budget, nullptr).HoldSpare(1));
}

TEST(MemoryBudgetTest, WhatIsSparedIsBoundedWithoutALimitToo) {
  MemoryBudget budget;
  MemoryLease spare(&budget, nullptr);
  EXPECT_TRUE(spare.HoldSpare(256 * kMb));
  EXPECT_FALSE(MemoryLease(&budget, nullptr).HoldSpare(1));
  MemoryShare share;
  EXPECT_TRUE(MemoryLease(&budget, &share).Hold(1024 * kMb));
  EXPECT_TRUE(MemoryLease().Hold(std::numeric_limits<size_t>::max())) << "of no budget";
}

TEST(MemoryLeaseTest, HoldsInStepsAndWhatIsThereAnyway) {
  MemoryBudget budget;
  budget.Limit(kMb, 0);
  MemoryShare share;
  MemoryLease lease(&budget, &share);
  EXPECT_TRUE(lease.HoldInSteps(64 * kKb + 1));
  EXPECT_EQ(lease.held(), 128 * kKb);
  lease.HoldAnyway(2 * kMb);
  EXPECT_EQ(share.taken, 2 * kMb);
  MemoryShare other;
  EXPECT_FALSE(MemoryLease(&budget, &other).Hold(1));
  MemoryLease moved = std::move(lease);
  moved.Shrink(kKb);
  EXPECT_EQ(share.taken, kKb);
  EXPECT_TRUE(MemoryLease(&budget, &other).Hold(1));
}

}  // namespace
}  // namespace klip::net
