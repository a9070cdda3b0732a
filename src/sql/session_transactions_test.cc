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

constexpr std::string_view kConflict =
    "ERROR 523 (42900): Transaction aborted due to conflict with other mutations. row ";

TEST_F(SqlTransactionTest, StatementsSeeThoseBeforeThem) {
  EXPECT_EQ(Run("BEGIN"), "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (3, 'three', 30)"), "1");
  EXPECT_EQ(Run("DELETE FROM t WHERE k = 1"), "1");
  EXPECT_EQ(Run("UPDATE t SET n = n + 1 WHERE k >= 2"), "2");
  EXPECT_EQ(Run("SELECT k, n FROM t"), "2|21 3|31 ");
  EXPECT_EQ(Run("SELECT n FROM t WHERE k = 3"), "31 ");
  EXPECT_EQ(Run("SELECT k FROM t WHERE k IN (1, 2, 3) ORDER BY k DESC"), "3 2 ");
  EXPECT_EQ(Run("SELECT COUNT(*), SUM(n) FROM t"), "2|52 ");
  EXPECT_EQ(Other("SELECT k, n FROM t"), "1|10 2|20 ");
  EXPECT_EQ(Run("COMMIT"), "0");
  EXPECT_EQ(Other("SELECT k, n FROM t"), "2|21 3|31 ");
}

TEST_F(SqlTransactionTest, IndexesAreRead) {
  EXPECT_EQ(Run("CREATE INDEX by_v ON t (v) INCLUDE (n)"), "0");
  EXPECT_EQ(Run("BEGIN"), "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (3, 'two', 30)"), "1");
  EXPECT_EQ(Run("UPSERT INTO t (k, v) VALUES (2, 'zwei')"), "1");
  EXPECT_EQ(Run("SELECT k, n FROM t WHERE v = 'two'"), "3|30 ");
  EXPECT_EQ(Run("SELECT k FROM t WHERE v = 'zwei'"), "2 ");
  EXPECT_EQ(Other("SELECT k, n FROM t WHERE v = 'two'"), "2|20 ");
  EXPECT_EQ(Run("ROLLBACK"), "0");
  EXPECT_EQ(Run("SELECT k, n FROM t WHERE v = 'two'"), "2|20 ");
}

TEST_F(SqlTransactionTest, OnDuplicateKeySeesWhatWasWritten) {
  EXPECT_EQ(Run("BEGIN"), "0");
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Run("UPSERT INTO t (k, n) VALUES (9, 1) ON DUPLICATE KEY UPDATE n = n + 1"), "1");
  }
  EXPECT_EQ(Run("UPSERT INTO t (k, n) VALUES (9, 100) ON DUPLICATE KEY IGNORE"), "0");
  EXPECT_EQ(Run("SELECT n FROM t WHERE k = 9"), "3 ");
  EXPECT_EQ(Other("SELECT n FROM t WHERE k = 9"), "");
  EXPECT_EQ(Run("COMMIT"), "0");
  EXPECT_EQ(Other("SELECT n FROM t WHERE k = 9"), "3 ");
}

TEST_F(SqlTransactionTest, AStatementDoesNotMeetItsOwnRows) {
  EXPECT_EQ(Run("BEGIN"), "0");
  EXPECT_EQ(Run("UPSERT INTO t (k, v, n) SELECT k + 2, v, n FROM t"), "2");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t"), "4 ");
}

TEST_F(SqlTransactionTest, AConflictIsPhoenixs) {
  EXPECT_EQ(Run("BEGIN"), "0");
  EXPECT_EQ(Run("UPDATE t SET n = 11 WHERE k = 1"), "1");
  EXPECT_EQ(Other("UPDATE t SET n = 12 WHERE k = 1"), "1");
  EXPECT_TRUE(Run("COMMIT").starts_with(kConflict));
  EXPECT_EQ(Run("SELECT n FROM t WHERE k = 1"), "12 ");
  EXPECT_EQ(Run("BEGIN"), "0");  // the other transaction has ended
}

TEST_F(SqlTransactionTest, SavepointsAndStatementsThatFail) {
  EXPECT_EQ(Run("BEGIN"), "0");
  EXPECT_EQ(Run("UPSERT INTO t (k, n) VALUES (3, 3)"), "1");
  EXPECT_EQ(Run("SAVEPOINT a"), "0");
  EXPECT_EQ(Run("UPSERT INTO t (k, n) VALUES (4, 4)"), "1");
  EXPECT_EQ(Run("ROLLBACK TO a"), "0");
  EXPECT_TRUE(Run("INSERT INTO t (k, n) VALUES (5, 5), (1, 5)").starts_with("ERROR 301"));
  EXPECT_EQ(Run("SELECT k FROM t"), "1 2 3 ");
  EXPECT_TRUE(Run("ROLLBACK TO b").starts_with("SQL: ROLLBACK TO: no savepoint named B"));
  EXPECT_TRUE(Run("CREATE TABLE u (k INTEGER NOT NULL PRIMARY KEY)")
                  .starts_with("SQL: definitions cannot change inside a transaction"));
  EXPECT_TRUE(Run("BEGIN").starts_with("SQL: BEGIN: a transaction is open"));
  EXPECT_EQ(Run("COMMIT"), "0");
  EXPECT_EQ(Other("SELECT k FROM t"), "1 2 3 ");
}

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
