// Rows of values with NULLs, and the numbers of a sequence in a row.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

using RowValuesTest = SessionFixture;

TEST_F(RowValuesTest, GivesEachRowOneNumberOfASequence) {
  ASSERT_EQ(Run("CREATE SEQUENCE s"), "0");
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, a BIGINT, b BIGINT, c BIGINT)"), "0");
  const std::string upsert = "UPSERT INTO t VALUES (NEXT VALUE FOR s, NEXT VALUE FOR s, CURRENT VALUE FOR s, ?)";
  const std::unique_ptr<Statement> statement = *session_->Prepare(upsert);
  for (int i = 0; i < 3; ++i) {
    const std::vector<Value> values = {Value(Type::kBigint, int64_t{i})};
    ASSERT_TRUE(statement->Execute(values).ok());
  }
  EXPECT_EQ(Run("SELECT * FROM t"), "1|1|1|0\n2|2|2|1\n3|3|3|2\n");
  EXPECT_EQ(Run("SELECT k, NEXT VALUE FOR s, NEXT VALUE FOR s * 10, CURRENT VALUE FOR s FROM t"),
            "1|4|40|4\n2|5|50|5\n3|6|60|6\n");
  EXPECT_EQ(Run("SELECT CASE WHEN k = 2 THEN NEXT VALUE FOR s END, CASE WHEN k > 1 THEN NEXT VALUE FOR s END FROM t"),
            "null|null\n7|7\nnull|8\n");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (4, NEXT VALUE FOR s), (5, NEXT VALUE FOR s)"), "2");
  EXPECT_EQ(Run("SELECT k, a FROM t WHERE k > 3"), "4|9\n5|10\n");
}

TEST_F(RowValuesTest, ComparesRowsOfValuesWithNulls) {
  ASSERT_EQ(Run("CREATE TABLE t (a VARCHAR NOT NULL, b VARCHAR, v INTEGER CONSTRAINT pk PRIMARY KEY (a, b))"), "0");
  for (const char* const row : {"'a', NULL, 1", "'a', 'x', 2", "'b', NULL, 3", "'b', 'y', 4"}) {
    ASSERT_EQ(Run("UPSERT INTO t VALUES (" + std::string(row) + ")"), "1");
  }
  EXPECT_EQ(Run("SELECT v FROM t WHERE (a, b) < ('b', 'y')"), "1\n2\n3\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (a, b) > ('a', NULL)"), "2\n3\n4\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (a, b) >= ('b', NULL)"), "3\n4\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (a, b) IN (('a', NULL), ('b', 'y'))"), "1\n4\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (a, b) <> ('a', NULL)"), "2\n3\n4\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE NOT (a, b) > ('a', 'a')"), "1\n");
  std::string pages;
  for (const auto& [a, b] : {std::pair("a", ""), std::pair("a", "x"), std::pair("b", ""), std::pair("b", "y")}) {
    pages +=
        Run("SELECT v FROM t WHERE (a, b) > (?, ?)", {Value::Text(a), *b == '\0' ? Value() : Value::Text(b)}) + ";";
  }
  EXPECT_EQ(pages, "2\n3\n4\n;3\n4\n;4\n;;");
}

// Columns that are never NULL in their table are NULL where an outer join found no match.
TEST_F(RowValuesTest, ComparesRowsOfValuesAfterOuterJoins) {
  for (const std::string table : {"t", "u"}) {
    ASSERT_EQ(
        Run("CREATE TABLE " + table + " (a INTEGER NOT NULL, b INTEGER NOT NULL CONSTRAINT pk PRIMARY KEY (a, b))"),
        "0");
  }
  for (const char* const row : {"t VALUES (1, 1)", "t VALUES (2, 2)", "u VALUES (2, 2)", "u VALUES (3, 3)"}) {
    ASSERT_EQ(Run(std::string("UPSERT INTO ") + row), "1");
  }
  const auto rows = [&](const std::string& join, const std::string& where) {
    return Run("SELECT t.a, u.a FROM t " + join + " JOIN u ON t.a = u.a WHERE " + where + " ORDER BY t.a, u.a");
  };
  EXPECT_EQ(rows("LEFT", "(u.a, u.b) < (2, 3)"), "1|null\n2|2\n");
  EXPECT_EQ(rows("LEFT", "(u.a, u.b) = (NULL, NULL)"), "1|null\n");
  EXPECT_EQ(rows("RIGHT", "(t.a, t.b) < (2, 2)"), "null|3\n");
  EXPECT_EQ(rows("FULL", "(t.a, u.a) < (2, 2)"), "null|3\n1|null\n");
  EXPECT_EQ(rows("INNER", "(t.a, u.a) < (2, 3)"), "2|2\n");
}

}  // namespace
}  // namespace klip::sql
