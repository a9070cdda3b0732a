#include "copy/throttle.h"

#include <chrono>

#include <gtest/gtest.h>

namespace klip::copy {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;

TEST(Throttle, WhatPassesDelaysWhatComesAfterIt) {
  Throttle throttle(/*bytes_per_s=*/1000, /*rows_per_s=*/10);
  const auto now = Throttle::Clock::now() + hours(1);
  EXPECT_EQ(throttle.Reserve(now, 500, 1), now);                    // by bytes: 500 ms
  EXPECT_EQ(throttle.Reserve(now, 1, 2), now + milliseconds(500));  // by rows: 200 ms
  EXPECT_EQ(throttle.Reserve(now, 0, 0), now + milliseconds(700));
  EXPECT_EQ(throttle.Reserve(now + milliseconds(900), 0, 0), now + milliseconds(900));  // unused time is not saved up
}

TEST(Throttle, ZeroIsNoLimit) {
  Throttle throttle(/*bytes_per_s=*/0, /*rows_per_s=*/100);
  const auto now = Throttle::Clock::now() + hours(1);
  throttle.Reserve(now, 1'000'000, 1);
  EXPECT_EQ(throttle.Reserve(now, 0, 0), now + milliseconds(10));
  Throttle(0, 0).Pass(1'000'000'000, 1'000'000'000);  // does not wait
}

}  // namespace
}  // namespace klip::copy
