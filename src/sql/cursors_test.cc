// DECLARE, OPEN, FETCH and CLOSE by programs. tests/sql has their statements.
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

TEST_F(CursorsTest, ExplainIsThatOfTheQuery) {
  EXPECT_EQ(Run("DECLARE c CURSOR FOR SELECT k FROM t"), "0");
  EXPECT_EQ(Run("EXPLAIN FETCH NEXT FROM c").substr(0, 29), "SQL: EXPLAIN of a cursor: EXP");
  EXPECT_EQ(Run("EXPLAIN DECLARE d CURSOR FOR SELECT k FROM t").substr(0, 6), "CLIENT");
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
