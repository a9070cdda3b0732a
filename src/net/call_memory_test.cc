#include "net/call_memory.h"

#include <gtest/gtest.h>

namespace klip::net {
namespace {

constexpr int64_t kMb = 1 << 20;

TEST(CallMemoryTest, RowsAddUpUnlessTheGatewayCounts) {
  MemoryBudget budget;
  budget.Limit(/*ordinary=*/64 * kMb, /*large=*/64 * kMb);
  CallMemory call(&budget);
  EXPECT_TRUE(call.HoldRow(2 * kMb).ok());
  EXPECT_TRUE(call.HoldRow(4 * kMb).ok()) << "of the same row";
  EXPECT_TRUE(call.HoldRow(1 * kMb).ok()) << "of the next one";
  EXPECT_TRUE(call.HoldAnswer(1 * kMb).ok()) << "the filter had dropped the first";
  EXPECT_TRUE(call.HoldRow(14 * kMb).ok()) << "as the only large one";
  EXPECT_EQ(call.HoldRow(16 * kMb).code(), Code::kRowTooBig);
}

TEST(CallMemoryTest, WhatIsTakenIsRefusedAndGoesBack) {
  MemoryBudget budget;
  budget.Limit(/*ordinary=*/64 * kMb, /*large=*/64 * kMb);
  MemoryLease sent;
  {
    CallMemory large(&budget);
    EXPECT_TRUE(large.HoldAnswer(12 * kMb).ok());
    CallMemory first(&budget);
    EXPECT_TRUE(first.HoldRequest(8 * kMb).ok());
    CallMemory second(&budget);
    EXPECT_EQ(second.HoldRequest(20 * kMb).code(), Code::kRegionTooBusy);
    sent = first.PassOn(2 * kMb);
  }
  EXPECT_EQ(sent.held(), static_cast<size_t>(2 * kMb));
  CallMemory again(&budget);
  EXPECT_TRUE(again.HoldRequest(9 * kMb).ok());
}

TEST(CallMemoryTest, WithoutABudgetNothingIsRefused) {
  CallMemory call(nullptr);
  EXPECT_TRUE(call.HoldRequest(INT64_MAX / 8).ok());
  EXPECT_EQ(call.PassOn(1000).held(), 0U);
}

}  // namespace
}  // namespace klip::net
