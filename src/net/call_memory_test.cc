#include "net/call_memory.h"

#include <gtest/gtest.h>

namespace klip::net {
namespace {

constexpr int64_t kCallMb = 1 << 20;

TEST(CallMemoryTest, RowsAddUpUnlessTheGatewayCounts) {
  MemoryBudget budget;
  budget.Limit(/*ordinary=*/64 * kCallMb, /*large=*/64 * kCallMb);
  CallMemory call(&budget);
  EXPECT_TRUE(call.HoldRow(2 * kCallMb).ok());
  EXPECT_TRUE(call.HoldRow(4 * kCallMb).ok()) << "of the same row";
  EXPECT_TRUE(call.HoldRow(1 * kCallMb).ok()) << "of the next one";
  EXPECT_TRUE(call.HoldAnswer(1 * kCallMb).ok()) << "the filter had dropped the first";
  EXPECT_TRUE(call.HoldRow(14 * kCallMb).ok()) << "as the only large one";
  EXPECT_EQ(call.HoldRow(16 * kCallMb).code(), Code::kRowTooBig);
}

TEST(CallMemoryTest, WhatIsTakenIsRefusedAndGoesBack) {
  MemoryBudget budget;
  budget.Limit(/*ordinary=*/64 * kCallMb, /*large=*/64 * kCallMb);
  MemoryLease sent;
  {
    CallMemory large(&budget);
    EXPECT_TRUE(large.HoldAnswer(12 * kCallMb).ok());
    CallMemory first(&budget);
    EXPECT_TRUE(first.HoldRequest(8 * kCallMb).ok());
    CallMemory second(&budget);
    EXPECT_EQ(second.HoldRequest(20 * kCallMb).code(), Code::kRegionTooBusy);
    sent = first.PassOn(2 * kCallMb);
  }
  EXPECT_EQ(sent.held(), static_cast<size_t>(2 * kCallMb));
  CallMemory again(&budget);
  EXPECT_TRUE(again.HoldRequest(9 * kCallMb).ok());
}

TEST(CallMemoryTest, WithoutABudgetNothingIsRefused) {
  CallMemory call(nullptr);
  EXPECT_TRUE(call.HoldRequest(INT64_MAX / 8).ok());
  EXPECT_EQ(call.PassOn(1000).held(), 0U);
}

}  // namespace
}  // namespace klip::net
