// What statements mean to Phoenix, where another reading would be possible.
#include <string>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class PhoenixDetailsTest : public SessionFixture {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run("CREATE TABLE t (a VARCHAR NOT NULL, b INTEGER NOT NULL, v INTEGER, s VARCHAR "
                  "CONSTRAINT pk PRIMARY KEY (a, b DESC))"),
              "0");
    for (const char* const row : {"'x', 1, 1, 'p'", "'x', 2, 2, 'q'", "'y', 3, 3, 'r'", "'y', 1, 4, NULL"}) {
      ASSERT_EQ(Run("UPSERT INTO t VALUES (" + std::string(row) + ")"), "1");
    }
  }

  std::string ErrorOf(const std::string& statement) { return Run(statement).substr(0, 18); }
};

TEST_F(PhoenixDetailsTest, ContinuesTheShorterRowOfValuesWithNulls) {
  EXPECT_EQ(Run("SELECT v FROM t WHERE (v, s) > (2) ORDER BY v"), "2\n3\n4\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (v, s) >= 4"), "4\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (v, s) = (4)"), "4\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (v, s) = (1)"), "");
  EXPECT_EQ(Run("SELECT v FROM t WHERE v < (2, 'a') ORDER BY v"), "1\n2\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (v, s) IN ((1, 'p'), (4))  ORDER BY v"), "1\n4\n");
}

TEST_F(PhoenixDetailsTest, ComparesNestedRowsAndRangesOfRows) {
  EXPECT_EQ(Run("SELECT v FROM t WHERE (a, (b, s)) = ('x', (2, 'q'))"), "2\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (a, v) BETWEEN ('x', 2) AND ('y', 3) ORDER BY v"), "2\n3\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (a, v) NOT BETWEEN ('x', 2) AND ('y', 3) ORDER BY v"), "1\n4\n");
}

TEST_F(PhoenixDetailsTest, IgnoresNullInListsOfValues) {
  EXPECT_EQ(Run("SELECT v FROM t WHERE v NOT IN (1, NULL) ORDER BY v"), "2\n3\n4\n");
  EXPECT_EQ(Run("SELECT v, v IN (2, NULL) FROM t WHERE v < 3"), "2|true\n1|false\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE v NOT IN (NULL)"), "");
}

TEST_F(PhoenixDetailsTest, LeavesNullOutOfLabels) {
  EXPECT_EQ((*session_->Execute("SELECT s || NULL FROM t"))->columns()[0].label, "(S || )");
}

TEST_F(PhoenixDetailsTest, ReturnsGroupsInTheOrderOfTheKey) {
  EXPECT_EQ(Run("SELECT a, b, COUNT(*) FROM t GROUP BY a, b"), "x|2|1\nx|1|1\ny|3|1\ny|1|1\n");
  EXPECT_EQ(Run("SELECT b, SUM(v) FROM t GROUP BY b"), "3|3\n2|2\n1|5\n");
  EXPECT_EQ(Run("SELECT DISTINCT b FROM t"), "3\n2\n1\n");
  EXPECT_EQ(Run("SELECT DISTINCT b + 0 FROM t"), "1\n2\n3\n");
}

TEST_F(PhoenixDetailsTest, InterpolatesPercentiles) {
  EXPECT_EQ(Run("SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v ASC) FROM t"), "1.5\n");
  EXPECT_EQ(Run("SELECT PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY v DESC) FROM t"), "3.5\n");
  EXPECT_EQ(Run("SELECT PERCENTILE_CONT(0) WITHIN GROUP (ORDER BY v ASC) FROM t"), "1\n");
  EXPECT_EQ(Run("SELECT PERCENTILE_CONT(1) WITHIN GROUP (ORDER BY v ASC) FROM t"), "4\n");
  EXPECT_EQ(ErrorOf("SELECT PERCENTILE_CONT(1.5) WITHIN GROUP (ORDER BY v ASC) FROM t"), "ERROR 213 (22003):");
  EXPECT_EQ(ErrorOf("SELECT PERCENTILE_DISC(0.5) WITHIN GROUP (ORDER BY s ASC) FROM t"), "ERROR 203 (22005):");
  EXPECT_EQ(ErrorOf("SELECT PERCENTILE_DISC(v) WITHIN GROUP (ORDER BY v ASC) FROM t"), "ERROR 203 (22005):");
}

TEST_F(PhoenixDetailsTest, UsesSequencesOnlyInSelectListsAndValues) {
  ASSERT_EQ(Run("CREATE SEQUENCE q"), "0");
  for (const char* const statement :
       {"SELECT v FROM t WHERE v = NEXT VALUE FOR q", "SELECT v FROM t ORDER BY NEXT VALUE FOR q",
        "SELECT COUNT(*) FROM t GROUP BY NEXT VALUE FOR q", "SELECT MAX(NEXT VALUE FOR q) FROM t",
        "SELECT DISTINCT NEXT VALUE FOR q FROM t", "DELETE FROM t WHERE v = NEXT VALUE FOR q"}) {
    EXPECT_EQ(Run(statement).substr(0, 19), "ERROR 1205 (42Z05):") << statement;
  }
  EXPECT_EQ(Run("SELECT v, NEXT VALUE FOR q FROM t WHERE a = 'x' ORDER BY v"), "1|1\n2|2\n");
  EXPECT_EQ(Run("UPSERT INTO t (a, b) VALUES ('z', NEXT VALUE FOR q)"), "1");
}

TEST_F(PhoenixDetailsTest, KnowsAliasesInHaving) {
  EXPECT_EQ(Run("SELECT a, MAX(v) AS m FROM t GROUP BY a HAVING m > 2"), "y|4\n");
  EXPECT_EQ(Run("SELECT a, MAX(v) > 2 AS big FROM t GROUP BY a HAVING big"), "y|true\n");
  EXPECT_EQ(Run("SELECT a, SUM(v) AS v FROM t GROUP BY a HAVING v > 5").substr(0, 10), "ERROR 1019");
}

TEST_F(PhoenixDetailsTest, WritesTimesInConcatenationsAsJavaDoes) {
  ASSERT_EQ(Run("CREATE TABLE d (k INTEGER PRIMARY KEY, d DATE, t TIME, s TIMESTAMP)"), "0");
  ASSERT_EQ(Run("UPSERT INTO d VALUES (1, TO_DATE('2020-01-02 10:11:12.5'), TO_TIME('2020-01-02 10:11:12.5'), "
                "TO_TIMESTAMP('2020-01-02 10:11:12.5'))"),
            "1");
  ASSERT_EQ(Run("UPSERT INTO d (k, s) VALUES (2, ?)",
                {Value(Type::kTimestamp, Value::Timestamp{.ms = 1'577'959'872'000, .nanos = 1'000})}),
            "1");
  EXPECT_EQ(Run("SELECT 'x' || d, t || 'x', s || '' FROM d"),
            "x2020-01-02|10:11:12x|2020-01-02 10:11:12.5\nx|x|2020-01-02 10:11:12.000001\n");
}

TEST_F(PhoenixDetailsTest, ReadsNegativeNumbersAsBigint) {
  const auto rows = *session_->Execute("SELECT -1, ROUND(1234.5, -2), LPAD('a', -1) FROM t");
  EXPECT_EQ(rows->columns()[0].type.type, Type::kBigint);
  EXPECT_EQ(Run("UPSERT INTO t (a, b, v) VALUES ('n', -5, -6)"), "1");
  EXPECT_EQ(Run("SELECT v FROM t WHERE b = -5"), "-6\n");
}

TEST_F(PhoenixDetailsTest, WritesDynamicColumnsToAFamilyThatTheTableHas) {
  ASSERT_EQ(Run("CREATE TABLE f (k INTEGER PRIMARY KEY, g.a INTEGER)"), "0");
  EXPECT_EQ(Run("UPSERT INTO f (k, a, x VARCHAR) VALUES (1, 2, 'dynamic')"), "1");
  EXPECT_EQ(Run("SELECT k, x FROM f (x VARCHAR) WHERE x = 'dynamic'"), "1|dynamic\n");
}

TEST_F(PhoenixDetailsTest, WritesTimesToUnsignedColumns) {
  ASSERT_EQ(Run("CREATE TABLE u (k INTEGER PRIMARY KEY, d UNSIGNED_DATE, s UNSIGNED_TIMESTAMP)"), "0");
  EXPECT_EQ(Run("UPSERT INTO u VALUES (1, TO_DATE('2020-01-02'), TO_TIMESTAMP('2020-01-02 00:00:01'))"), "1");
  EXPECT_EQ(Run("SELECT * FROM u"), "1|2020-01-02 00:00:00.000|2020-01-02 00:00:01.000\n");
}

TEST_F(PhoenixDetailsTest, RefusesAmbiguousAndMismatchedChanges) {
  EXPECT_EQ(Run("UPSERT INTO t (a, b) VALUES ('x', 1) ON DUPLICATE KEY UPDATE v = 1, v = 2").substr(0, 19),
            "ERROR 1221 (42Z21):");
  EXPECT_EQ(Run("UPSERT INTO t (a, b) VALUES ('x', 1) ON DUPLICATE KEY UPDATE v = SUM(v)").substr(0, 19),
            "ERROR 1222 (42Z22):");
  EXPECT_EQ(ErrorOf("UPSERT INTO t (a, b, v) SELECT a, b, s FROM t"), "ERROR 203 (22005):");
  ASSERT_EQ(Run("CREATE TABLE f (k INTEGER PRIMARY KEY, g.a INTEGER, h.a INTEGER)"), "0");
  EXPECT_EQ(ErrorOf("ALTER TABLE f DROP COLUMN a"), "ERROR 502 (42702):");
  EXPECT_EQ(Run("ALTER TABLE f DROP COLUMN h.a"), "0");
  EXPECT_EQ(Run("SELECT h.* FROM f").substr(0, 19), "ERROR 1001 (42I01):");
}

}  // namespace
}  // namespace klip::sql
