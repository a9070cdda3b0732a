// DECLARE, OPEN, FETCH and CLOSE.
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class CursorsTest : public SessionFixture {
 protected:
  CursorsTest() {
    Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)");
    for (int k = 1; k <= 5; ++k) {
      Run("UPSERT INTO t VALUES (?, ?)", {Value::Integer(k), Value::Text("v" + std::to_string(k))});
    }
  }

  std::unique_ptr<Rows> Fetch(std::string_view sql) { return *session_->Execute(sql); }
};

TEST_F(CursorsTest, FetchMovesByTheNumberOfRows) {
  EXPECT_EQ(Run("DECLARE c CURSOR FOR SELECT k, v FROM t"), "0");
  EXPECT_EQ(Run("OPEN c"), "0");
  EXPECT_EQ(Run("FETCH NEXT FROM c"), "1|v1\n");
  EXPECT_EQ(Run("FETCH NEXT 0 ROWS FROM c"), "");
  EXPECT_EQ(Run("FETCH NEXT 2 ROWS FROM C"), "2|v2\n3|v3\n");
  EXPECT_EQ(Run("OPEN c"), "0");
  EXPECT_EQ(Run("FETCH NEXT 9 ROWS FROM c"), "4|v4\n5|v5\n");
  EXPECT_EQ(Run("FETCH NEXT ROW FROM c"), "");
  EXPECT_EQ(Run("CLOSE c"), "0");
  EXPECT_EQ(Run("CLOSE c"), "0");
}

TEST_F(CursorsTest, RowsThatWereNotReadAreSkipped) {
  Run("DECLARE c CURSOR FOR SELECT k FROM t");
  Run("OPEN c");
  const std::unique_ptr<Rows> first = Fetch("FETCH NEXT 3 ROWS FROM c");
  EXPECT_TRUE(*first->Next());
  EXPECT_EQ(Run("FETCH NEXT FROM c"), "4\n");
  EXPECT_EQ(ErrorOf(first->Next().status()).number, 1101);
  const std::unique_ptr<Rows> last = Fetch("FETCH NEXT FROM c");
  EXPECT_TRUE(*last->Next());
  Run("CLOSE c");
  EXPECT_EQ(last->value(0).integer(), 5);
  EXPECT_EQ(ErrorOf(last->Next().status()).number, 1101);
}

TEST_F(CursorsTest, Errors) {
  EXPECT_EQ(Run("OPEN c"), "SQL: Cursor C not declared.");
  EXPECT_EQ(Run("FETCH NEXT FROM c"), "SQL: Cursor C not declared.");
  EXPECT_EQ(Run("DECLARE c CURSOR FOR SELECT k FROM t"), "0");
  EXPECT_EQ(Run("FETCH NEXT FROM c"), "SQL: Fetch call on closed cursor 'C'!");
  EXPECT_EQ(Run("DECLARE c CURSOR FOR SELECT v FROM t"),
            "SQL: Can't declare cursor C, cursor identifier already in use.");
  EXPECT_EQ(Run("EXPLAIN FETCH NEXT FROM c").substr(0, 29), "SQL: EXPLAIN of a cursor: EXP");
  EXPECT_EQ(Run("EXPLAIN DECLARE d CURSOR FOR SELECT k FROM t").substr(0, 6), "CLIENT");
  EXPECT_EQ(Run("DECLARE d CURSOR FOR SELECT 1 / k FROM t WHERE k > 'x'").substr(0, 9), "ERROR 203");
}

// An error ends the query: there is no way to continue behind it.
TEST_F(CursorsTest, AFailedQueryStaysFailed) {
  Run("UPSERT INTO t VALUES (0, 'zero')");
  Run("DECLARE c CURSOR FOR SELECT 1 / k FROM t");
  Run("OPEN c");
  const std::string error = Run("FETCH NEXT FROM c");
  EXPECT_EQ(error.substr(0, 9), "ERROR 212");
  EXPECT_EQ(Run("FETCH NEXT FROM c"), error);
  Run("CLOSE c");
  Run("DECLARE c CURSOR FOR SELECT k FROM t");
  Run("OPEN c");
  EXPECT_EQ(Run("FETCH NEXT FROM c"), "0\n");
}

TEST_F(CursorsTest, SeveralAtOnceAndWritesBesides) {
  Run("DECLARE up CURSOR FOR SELECT k FROM t");
  Run("DECLARE down CURSOR FOR SELECT k FROM t ORDER BY k DESC");
  Run("OPEN up");
  Run("OPEN down");
  EXPECT_EQ(Run("FETCH NEXT 2 ROWS FROM up"), "1\n2\n");
  EXPECT_EQ(Run("FETCH NEXT FROM down"), "5\n");
  EXPECT_EQ(Run("DELETE FROM t"), "5");
  EXPECT_EQ(Run("FETCH NEXT 9 ROWS FROM up"), "3\n4\n5\n");
  EXPECT_EQ(Run("FETCH NEXT 9 ROWS FROM down"), "4\n3\n2\n1\n");
}

TEST_F(CursorsTest, TheQueryStartsWithTheFirstFetch) {
  Run("DECLARE c CURSOR FOR SELECT k FROM t WHERE k > 4");
  Run("UPSERT INTO t VALUES (6, 'six')");
  Run("OPEN c");
  Run("UPSERT INTO t VALUES (7, 'seven')");
  EXPECT_EQ(Run("FETCH NEXT FROM c"), "5\n");
  EXPECT_EQ(Run("FETCH NEXT 9 ROWS FROM c"), "6\n7\n");
}

TEST_F(CursorsTest, PreparedStatements) {
  const auto declare = *session_->Prepare("DECLARE c CURSOR FOR SELECT k FROM t WHERE k >= ?");
  EXPECT_TRUE(declare->columns().empty());
  ASSERT_TRUE(declare->Execute(std::vector<Value>{Value::Integer(3)}).ok());
  Run("OPEN c");
  const auto fetch = *session_->Prepare("FETCH NEXT 2 ROWS FROM c");
  ASSERT_EQ(fetch->columns().size(), 1U);
  EXPECT_EQ(fetch->columns()[0].label, "K");
  EXPECT_EQ(RowsText((*fetch->Execute()).get()), "3\n4\n");
  EXPECT_FALSE(declare->Execute(std::vector<Value>{Value::Integer(1)}).ok());  // leaves the open one as it was
  EXPECT_EQ(RowsText((*fetch->Execute()).get()), "5\n");
  Run("CLOSE c");
  ASSERT_TRUE(declare->Execute(std::vector<Value>{Value::Integer(1)}).ok());
  Run("OPEN c");
  EXPECT_EQ(RowsText((*fetch->Execute()).get()), "1\n2\n");
  Run("CLOSE c");
  Run("DECLARE c CURSOR FOR SELECT v FROM t");
  Run("OPEN c");
  EXPECT_EQ(fetch->Execute().status().message(),
            "SQL: Cursor C was declared again with other columns; prepare FETCH again");
}

TEST_F(CursorsTest, KeepsItsSnapshotInATransaction) {
  Run("BEGIN");
  Run("UPSERT INTO t VALUES (0, 'mine')");
  Run("DECLARE c CURSOR FOR SELECT k FROM t");
  Run("OPEN c");
  EXPECT_EQ(Run("FETCH NEXT 2 ROWS FROM c"), "0\n1\n");
  Run("ROLLBACK");
  EXPECT_EQ(Run("FETCH NEXT FROM c"), "2\n");
}

TEST_F(CursorsTest, CancelEndsTheQuery) {
  Run("DECLARE c CURSOR FOR SELECT k FROM t");
  Run("OPEN c");
  const std::unique_ptr<Rows> rows = Fetch("FETCH NEXT FROM c");
  session_->Cancel();
  EXPECT_EQ(rows->Next().status().code(), Code::kCancelled);
  EXPECT_EQ(session_->Execute("FETCH NEXT FROM c").status().code(), Code::kCancelled);
  EXPECT_EQ(Run("CLOSE c"), "0");
}

}  // namespace
}  // namespace klip::sql
