#include "klip/cancel.h"

#include <thread>

#include <gtest/gtest.h>

namespace klip {
namespace {

TEST(Cancel, TokensAndScopes) {
  EXPECT_FALSE(CancelToken().cancelled());
  EXPECT_FALSE(CancelToken::Current().armed());
  const CancelToken outer = CancelToken::New();
  const CancelToken inner = CancelToken::New();
  {
    const CancelScope around(outer);
    EXPECT_TRUE(CancelToken::Current().armed());
    {
      const CancelScope scope(inner);
      const CancelScope of_none((CancelToken()));
      EXPECT_TRUE(CancelToken::Current().status().ok());
      inner.Cancel();
      EXPECT_EQ(CancelToken::Current().status().code(), Code::kCancelled);
    }
    EXPECT_FALSE(CancelToken::Current().cancelled());
    const CancelScope scope(CancelToken::New());
    outer.Cancel();
    EXPECT_TRUE(CancelToken::Current().cancelled());
    std::thread([] { EXPECT_FALSE(CancelToken::Current().armed()); }).join();
  }
  EXPECT_FALSE(CancelToken::Current().armed());
}

TEST(Cancel, AskingRemembersTheFirstYes) {
  int asked = 0;
  const CancelToken token = CancelToken::Asking([&asked] { return ++asked == 2; });
  EXPECT_FALSE(token.cancelled());
  EXPECT_TRUE(token.cancelled());
  EXPECT_TRUE(token.cancelled());
  EXPECT_EQ(asked, 2);
}

TEST(Cancel, WhatIsAskedIsUnderNoToken) {
  CancelToken token = CancelToken::Asking([] { return CancelToken::Current().armed(); });
  const CancelScope scope(token);
  EXPECT_FALSE(token.cancelled());
  EXPECT_TRUE(CancelToken::Current().armed());
}

}  // namespace
}  // namespace klip
