#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class SqlTransactionTest : public SessionFixture {
 protected:
  SqlTransactionTest() {
    other_ = *Session::Open(connection_.get());
    EXPECT_EQ(Run("CREATE TABLE t (k INTEGER NOT NULL PRIMARY KEY, v VARCHAR, n BIGINT)"), "0");
    EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 'one', 10), (2, 'two', 20)"), "2");
  }

  static std::string RunBy(Session* session, std::string_view sql) { return RunText(session, sql, {}, ' '); }
  std::string Run(std::string_view sql) { return RunBy(session_.get(), sql); }
  std::string Other(std::string_view sql) { return RunBy(other_.get(), sql); }

  std::unique_ptr<Session> other_;
};

// As in Phoenix: changes of a session without auto-commit wait, invisible, and cause no conflicts.
TEST_F(SqlTransactionTest, WithoutAutoCommitChangesWait) {
  EXPECT_TRUE(session_->SetAutoCommit(false).ok());
  EXPECT_EQ(Run("UPSERT INTO t (k, n) VALUES (1, 11)"), "1");
  EXPECT_EQ(Other("UPSERT INTO t (k, n) VALUES (1, 12)"), "1");
  EXPECT_EQ(Run("SELECT n FROM t WHERE k = 1"), "12 ");
  EXPECT_TRUE(session_->Commit().ok());
  EXPECT_EQ(Other("SELECT n FROM t WHERE k = 1"), "11 ");
}

TEST_F(SqlTransactionTest, WithoutAutoCommitTransactionalTablesBeginOne) {
  EXPECT_EQ(Run("CREATE TABLE x (k INTEGER NOT NULL PRIMARY KEY, n BIGINT) TRANSACTIONAL = true"), "0");
  EXPECT_TRUE(session_->SetAutoCommit(false).ok());
  EXPECT_EQ(Run("UPSERT INTO x VALUES (1, 11)"), "1");
  EXPECT_EQ(Run("SELECT n FROM x"), "11 ");
  EXPECT_EQ(Other("UPSERT INTO x VALUES (1, 12)"), "1");
  EXPECT_EQ(ErrorOf(session_->Commit()).number, 523);
  EXPECT_EQ(Run("UPSERT INTO x VALUES (1, 13)"), "1");
  EXPECT_TRUE(session_->Rollback().ok());
  EXPECT_EQ(Run("SELECT n FROM x"), "12 ");
}

TEST_F(SqlTransactionTest, AnIsolationLevelMakesAllStatementsParts) {
  EXPECT_EQ(Run("SET TRANSACTION ISOLATION LEVEL SNAPSHOT"), "0");
  EXPECT_TRUE(session_->SetAutoCommit(false).ok());
  EXPECT_EQ(Run("SELECT n FROM t WHERE k = 1"), "10 ");
  EXPECT_EQ(Other("UPSERT INTO t (k, n) VALUES (1, 12)"), "1");
  EXPECT_EQ(Run("SELECT n FROM t WHERE k = 1"), "10 ");
  EXPECT_TRUE(Run("SET TRANSACTION ISOLATION LEVEL READ COMMITTED").starts_with("SQL: SET TRANSACTION"));
  EXPECT_TRUE(session_->SetAutoCommit(true).ok());
  EXPECT_EQ(Run("SELECT n FROM t WHERE k = 1"), "12 ");
}

// The same statement, run in a transaction and after it.
TEST_F(SqlTransactionTest, PreparedStatementsGoWithTheSession) {
  const auto select = *session_->Prepare("SELECT n FROM t WHERE k = 1");
  const auto value = [&] {
    const auto rows = *select->Execute();
    return *rows->Next() ? rows->value(0).ToString() : std::string("none");
  };
  EXPECT_EQ(value(), "10");
  EXPECT_EQ(Run("BEGIN"), "0");
  EXPECT_EQ(Run("UPDATE t SET n = 11 WHERE k = 1"), "1");
  EXPECT_EQ(value(), "11");
  EXPECT_EQ(Run("ROLLBACK"), "0");
  EXPECT_EQ(value(), "10");
}

}  // namespace
}  // namespace klip::sql
