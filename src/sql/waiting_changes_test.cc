// Without auto-commit, statements that change rows see and follow those before them, and ROLLBACK undoes all of them.
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class WaitingChangesTest : public SessionFixture {
 protected:
  WaitingChangesTest() : SessionFixture(TempDirectory::Where::kMemory) {
    for (const char* const table : {"t", "u"}) {
      EXPECT_EQ(
          Run("CREATE TABLE " + std::string(table) + " (k INTEGER PRIMARY KEY, b INTEGER, s VARCHAR) VERSIONS = 1"),
          "0");
    }
    waiting_ = *Session::Open(connection_.get(), {.auto_commit = false});
  }

  std::string Wait(const std::string& sql, const std::vector<Value>& values = {}) {
    return RunText(waiting_.get(), sql, values);
  }

  std::unique_ptr<Session> waiting_;
};

TEST_F(WaitingChangesTest, OnDuplicateKeyFollowsOtherChanges) {
  const std::string more = "UPSERT INTO t (k, b) VALUES (1, 100) ON DUPLICATE KEY UPDATE b = b + 1";
  Wait(more);  // 100
  Wait("UPSERT INTO t (k, b) VALUES (1, 50)");
  Wait(more);
  EXPECT_EQ(Run("SELECT b FROM t"), "");
  ASSERT_EQ(waiting_->Commit().ToString(), "ok");
  EXPECT_EQ(Run("SELECT b FROM t"), "51\n");
  Wait("UPSERT INTO t (k, b) VALUES (1, 7)");
  Wait(more);
  Wait("UPDATE t SET b = b * 10");
  Wait(more);
  ASSERT_EQ(waiting_->Commit().ToString(), "ok");
  EXPECT_EQ(Run("SELECT b FROM t"), "81\n");
  Wait("DELETE FROM t WHERE k = 1");
  EXPECT_EQ(Wait("UPSERT INTO t (k, b) VALUES (1, 3) ON DUPLICATE KEY IGNORE"), "1");
  EXPECT_EQ(Wait("UPSERT INTO t (k, b) VALUES (1, 4) ON DUPLICATE KEY IGNORE"), "0");
  Wait(more);
  ASSERT_EQ(waiting_->Commit().ToString(), "ok");
  EXPECT_EQ(Run("SELECT b FROM t"), "4\n");
}

TEST_F(WaitingChangesTest, RollbackUndoesAll) {
  Run("UPSERT INTO t VALUES (1, 10, 'x'), (2, 20, 'y')");
  for (const char* const change :
       {"UPSERT INTO t (k, b) VALUES (1, 1) ON DUPLICATE KEY UPDATE b = b + 1", "UPDATE t SET b = 0", "DELETE FROM t",
        "UPSERT INTO t (k, b) VALUES (3, 1) ON DUPLICATE KEY IGNORE", "UPSERT INTO t SELECT k + 10, b, s FROM t"}) {
    Wait(change);
    Wait("UPSERT INTO t VALUES (2, 2, NULL)");
    ASSERT_TRUE(waiting_->Rollback().ok());
    ASSERT_EQ(waiting_->Commit().ToString(), "ok");
    EXPECT_EQ(Run("SELECT * FROM t"), "1|10|x\n2|20|y\n") << change;
  }
}

// Several sessions may count in one row, as with Phoenix: nothing conflicts.
TEST_F(WaitingChangesTest, OnDuplicateKeyIsComputedByCommit) {
  const std::unique_ptr<Session> other = *Session::Open(connection_.get(), {.auto_commit = false});
  const std::string more = "UPSERT INTO t (k, b) VALUES (1, 1) ON DUPLICATE KEY UPDATE b = b + 1";
  Wait(more);
  RunText(other.get(), more);
  Wait(more);
  ASSERT_EQ(waiting_->Commit().ToString(), "ok");
  ASSERT_TRUE(other->Commit().ok());
  EXPECT_EQ(Run("SELECT b FROM t"), "3\n");
}

TEST_F(WaitingChangesTest, AFailedStatementLeavesNoChanges) {
  Wait("UPSERT INTO t VALUES (1, 1, '5')");
  EXPECT_NE(Wait("UPSERT INTO t SELECT k + 1, TO_NUMBER(s) / (b - 1), s FROM t"), "1");
  EXPECT_NE(Wait("UPSERT INTO t VALUES (5, 5, 'x'), (NULL, 1, 'y')"), "2");
  ASSERT_EQ(waiting_->Commit().ToString(), "ok");
  EXPECT_EQ(Run("SELECT * FROM t"), "1|1|5\n");
}

// The same statements give the same rows with auto-commit and with a COMMIT now and then.
TEST_F(WaitingChangesTest, AreTheSameAsWithAutoCommit) {
  std::mt19937 random(11);
  const auto pick = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  const auto number = [&](int below) { return std::to_string(pick(below)); };
  const auto value = [&] { return pick(4) == 0 ? std::string("NULL") : number(9); };
  const auto where = [&]() -> std::string {
    switch (pick(5)) {
      case 0:
        return " WHERE k = " + number(12);
      case 1:
        return " WHERE k IN (" + number(12) + ", " + number(12) + ", " + number(12) + ")";
      case 2:
        return " WHERE k > " + number(12);
      case 3:
        return " WHERE b = " + number(9);
      default:
        return " WHERE s IS NULL OR b > " + number(9);
    }
  };
  for (int step = 0; step < 600; ++step) {
    const auto statement = [&](const std::string& table, int kind, const std::string& row, const std::string& some) {
      switch (kind) {
        case 0:
          return "UPSERT INTO " + table + " VALUES " + row;
        case 1:
          return "UPSERT INTO " + table + " VALUES " + row +
                 " ON DUPLICATE KEY UPDATE b = COALESCE(b, 0) + 1, s = NULL";
        case 2:
          return "UPSERT INTO " + table + " VALUES " + row + " ON DUPLICATE KEY IGNORE";
        case 3:
          return "UPDATE " + table + " SET b = k + b, s = 'u'" + some;
        case 4:
          return "DELETE FROM " + table + some;
        case 5:
          return "UPSERT INTO " + table + " SELECT k + 1, b, NULL FROM " + table + some;
        default:
          return "DELETE FROM " + table + some + " ORDER BY k DESC LIMIT 2";
      }
    };
    const int kind = pick(7);
    const std::string row = "(" + number(12) + ", " + value() + ", " + (pick(3) == 0 ? "NULL" : "'v'") + ")";
    const std::string some = where();
    const std::string sql = statement("t", kind, row, some);
    EXPECT_EQ(Wait(sql), Run(statement("u", kind, row, some))) << sql;
    if (pick(6) == 0) {
      ASSERT_EQ(waiting_->Commit().ToString(), "ok");
      ASSERT_EQ(Run("SELECT * FROM t"), Run("SELECT * FROM u")) << "after " << sql;
    }
  }
}

// Of one row in one COMMIT, the last change counts.
TEST_F(WaitingChangesTest, ChangesOfARowFollowOneAnother) {
  Wait("UPSERT INTO t VALUES (1, NULL, 'a'), (1, 5, NULL), (2, 1, 'b')");
  Wait("DELETE FROM t WHERE k = 2");
  Wait("UPSERT INTO t (k, s) VALUES (2, 'c')");
  ASSERT_EQ(waiting_->Commit().ToString(), "ok");
  EXPECT_EQ(Run("SELECT * FROM t"), "1|5|null\n2|null|c\n");
}

}  // namespace
}  // namespace klip::sql
