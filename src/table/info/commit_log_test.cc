#include "table/info/commit_log.h"

#include <string>

#include <gtest/gtest.h>

namespace klip::table {
namespace {

TEST(CommitLogTest, ForgottenRowsMayBeAnyRow) {
  engine::LockTable locks;
  CommitLog log;
  const auto never = [](const CommitLog::Row&) { return false; };
  CommitLog::Row which;
  const CommitLog::Place begin = log.Open(&locks, [] {});
  EXPECT_TRUE(log.open());
  const CommitLog::Place first = log.Add({{"t", "r"}});
  EXPECT_FALSE(log.Any(begin, log.Add({{"t", "s"}}), never, &which));
  EXPECT_TRUE(log.Any(begin, first + 1, [](const CommitLog::Row& row) { return row.row == "r"; }, &which));
  EXPECT_EQ(which.row, "r");
  log.TakeBack(first);
  EXPECT_FALSE(log.Any(begin, first + 1, [](const CommitLog::Row& row) { return row.row == "r"; }, &which));
  CommitLog::Place last = first;
  for (int i = 0; i < 2100; ++i) {  // 66 MB
    last = log.Add({{"t", std::string(32 << 10, 'x')}});
  }
  EXPECT_TRUE(log.Any(begin, last, never, &which));
  EXPECT_EQ(which.row, "");
  EXPECT_FALSE(log.Any(last, last, never, &which));
  log.Close(begin);
  EXPECT_FALSE(log.open());
}

TEST(CommitLogTest, KeepsWhatTheOldestOpenTransactionNeeds) {
  engine::LockTable locks;
  CommitLog log;
  CommitLog::Row which;
  const CommitLog::Place oldest = log.Open(&locks, [] {});
  log.Add({{"t", "r"}});
  const CommitLog::Place younger = log.Open(&locks, [] {});
  const CommitLog::Place end = log.Add({{"t", "s"}});
  log.Close(younger);
  const auto is_first = [](const CommitLog::Row& row) { return row.row == "r"; };
  EXPECT_TRUE(log.Any(oldest, end, is_first, &which));
  EXPECT_EQ(which.row, "r");
  log.Close(oldest);
}

}  // namespace
}  // namespace klip::table
