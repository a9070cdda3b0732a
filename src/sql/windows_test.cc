// Window functions. tests/sql/sqlite_test compares random ones with SQLite.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class WindowsTest : public SessionFixture {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, p VARCHAR, o INTEGER, v INTEGER)"), "0");
    for (const char* row : {"1, 'a', 1, 10", "2, 'a', 2, 1", "3, 'a', 2, 2", "4, 'b', 1, 5", "5, NULL, 1, NULL"}) {
      ASSERT_EQ(Run(std::string("UPSERT INTO t VALUES (") + row + ")"), "1");
    }
  }
};

TEST_F(WindowsTest, RankRows) {
  EXPECT_EQ(
      Run("SELECT k, ROW_NUMBER() OVER (PARTITION BY p ORDER BY o, k), RANK() OVER (PARTITION BY p ORDER BY o DESC), "
          "DENSE_RANK() OVER (ORDER BY o) FROM t ORDER BY k"),
      "1|1|3|1\n2|2|1|2\n3|3|1|2\n4|1|1|1\n5|1|1|1\n");
  EXPECT_EQ(Run("SELECT k, PERCENT_RANK() OVER (ORDER BY o), CUME_DIST() OVER (ORDER BY o), NTILE(2) OVER (ORDER BY k) "
                "FROM t WHERE k < 5 ORDER BY k"),
            "1|0.0|0.5|1\n2|0.6666666666666666|1.0|1\n3|0.6666666666666666|1.0|2\n4|0.0|0.5|2\n");
}

TEST_F(WindowsTest, AggregateFrames) {
  EXPECT_EQ(Run("SELECT k, SUM(v) OVER (PARTITION BY p ORDER BY o) FROM t WHERE k < 5 ORDER BY k"),
            "1|10\n2|13\n3|13\n4|5\n");
  EXPECT_EQ(Run("SELECT k, SUM(v) OVER (PARTITION BY p), COUNT(*) OVER () FROM t ORDER BY k"),
            "1|13|5\n2|13|5\n3|13|5\n4|5|5\n5|null|5\n");
  EXPECT_EQ(
      Run("SELECT k, SUM(v) OVER (ORDER BY k ROWS 1 PRECEDING), SUM(v) OVER (ORDER BY k ROWS BETWEEN 1 FOLLOWING AND "
          "2 FOLLOWING), COUNT(v) OVER (ORDER BY k ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) FROM t ORDER BY "
          "k"),
      "1|10|3|4\n2|11|7|3\n3|3|5|2\n4|7|null|1\n5|5|null|0\n");
  EXPECT_EQ(Run("SELECT k, AVG(v) OVER (PARTITION BY p) FROM t WHERE p = 'a' ORDER BY k"),
            "1|4.3333\n2|4.3333\n3|4.3333\n");
}

TEST_F(WindowsTest, OtherRows) {
  EXPECT_EQ(
      Run("SELECT k, LAG(v) OVER (ORDER BY k), LEAD(v, 2, -1) OVER (ORDER BY k), LAG(p, 0) OVER (ORDER BY k) FROM t "
          "ORDER BY k"),
      "1|null|2|a\n2|10|5|a\n3|1|null|a\n4|2|-1|b\n5|5|-1|null\n");
  EXPECT_EQ(Run("SELECT k, FIRST_VALUE(k) OVER (PARTITION BY o ORDER BY k), LAST_VALUE(k) OVER (PARTITION BY o), "
                "NTH_VALUE(k, 2) OVER (PARTITION BY o ORDER BY k) FROM t ORDER BY k"),
            "1|1|5|null\n2|2|3|null\n3|2|3|3\n4|1|5|4\n5|1|5|4\n");
}

TEST_F(WindowsTest, AfterGroupsAndBeforeDistinctAndLimit) {
  EXPECT_EQ(Run("SELECT p, SUM(v), RANK() OVER (ORDER BY SUM(v) DESC), SUM(SUM(v)) OVER () FROM t GROUP BY p HAVING "
                "COUNT(*) > 0 "
                "ORDER BY p"),
            "null|null|1|18\na|13|2|18\nb|5|3|18\n");
  EXPECT_EQ(Run("SELECT DISTINCT COUNT(*) OVER (PARTITION BY o) FROM t ORDER BY 1"), "2\n3\n");
  EXPECT_EQ(Run("SELECT k FROM t ORDER BY ROW_NUMBER() OVER (ORDER BY v DESC NULLS LAST) LIMIT 2"), "1\n4\n");
  EXPECT_EQ(Run("SELECT 1 + ROW_NUMBER() OVER (ORDER BY k) FROM t LIMIT 2"), "2\n3\n");
  EXPECT_EQ(Run("SELECT k FROM (SELECT k, ROW_NUMBER() OVER (PARTITION BY o ORDER BY k) AS n FROM t) x WHERE n = 1"),
            "1\n2\n");
  EXPECT_EQ(Run("SELECT MAX(k), COUNT(*) OVER () FROM t"), "5|1\n");
  EXPECT_EQ(Run("SELECT k, RANK() OVER (ORDER BY o) FROM t WHERE k > 9"), "");
  EXPECT_EQ(Run("SELECT COUNT(*) OVER (ORDER BY 1)"), "1\n");
  EXPECT_EQ(Run("SELECT COUNT(*) over FROM t"), "5\n");  // an alias
}

// EXPLAIN and labels print these calls alike.
TEST_F(WindowsTest, CallsThatDifferInWhatIsNotPrinted) {
  EXPECT_EQ(
      Run("SELECT k, LAG(k, ?) OVER (ORDER BY k), LAG(k, ?) OVER (ORDER BY k) FROM t WHERE k = 3 OR k = 4 OR k = 5 "
          "ORDER BY k",
          {Value::Integer(1), Value::Integer(2)}),
      "3|null|null\n4|3|null\n5|4|3\n");
  EXPECT_EQ(Run("SELECT SUM(k * ?), SUM(k * ?) FROM t", {Value::Integer(1), Value::Integer(2)}), "15|30\n");
  EXPECT_EQ(Run("SELECT SUM((SELECT 1)), SUM((SELECT 2)) FROM t"), "5|10\n");
  EXPECT_EQ(Run("SELECT SUM((SELECT 1)) OVER (), SUM((SELECT 2)) OVER () FROM t LIMIT 1"), "5|10\n");
  EXPECT_EQ(Run("SELECT k, RANK() OVER (ORDER BY k * ?), RANK() OVER (ORDER BY k * ?) FROM t WHERE k < 3 ORDER BY k",
                {Value::Integer(1), Value::Integer(-1)}),
            "1|1|2\n2|2|1\n");
  EXPECT_EQ(Run("SELECT MAX(CAST(k / 4e0 AS DECIMAL(5,1))), MAX(CAST(k / 4e0 AS DECIMAL(5,2))) FROM t"), "1.25|1.25\n");
  EXPECT_EQ(Run("SELECT COUNT(CASE WHEN p LIKE 'A' THEN 1 END), COUNT(CASE WHEN p ILIKE 'A' THEN 1 END) FROM t"),
            "0|3\n");
  EXPECT_EQ(
      Run("SELECT CAST(MAX(k) + 0.25 AS DECIMAL(5,2)), COUNT(*) FROM t GROUP BY CAST(k AS DECIMAL(5,0)) ORDER BY 1 "
          "LIMIT 1"),
      "1.25|1\n");
  EXPECT_EQ(Run("SELECT k + ?, COUNT(*) FROM t WHERE k = 1 GROUP BY k + ?", {Value::Integer(1), Value::Integer(1)}),
            "2|1\n");
}

TEST_F(WindowsTest, RefuseWhatHasNoMeaning) {
  EXPECT_TRUE(
      Run("SELECT k FROM t WHERE RANK() OVER (ORDER BY k) = 1").starts_with("SQL: a window function outside of"));
  EXPECT_TRUE(
      Run("SELECT p FROM t GROUP BY p HAVING RANK() OVER (ORDER BY p) = 1").starts_with("SQL: a window function"));
  EXPECT_TRUE(Run("SELECT SUM(RANK() OVER (ORDER BY k)) FROM t").starts_with("SQL: a window function outside"));
  EXPECT_TRUE(
      Run("SELECT RANK() OVER (ORDER BY RANK() OVER (ORDER BY k)) FROM t").starts_with("SQL: a window function"));
  EXPECT_EQ(Run("SELECT COUNT(DISTINCT p) OVER () FROM t"), "SQL: COUNT(DISTINCT) as a window function");
  EXPECT_EQ(Run("SELECT UPPER(p) OVER () FROM t"), "SQL: UPPER as a window function");
  EXPECT_TRUE(Run("SELECT RANK(1) OVER () FROM t").starts_with("ERROR 605"));
  EXPECT_TRUE(Run("SELECT RANK() FROM t").starts_with("ERROR 6001"));
  EXPECT_TRUE(Run("SELECT NTILE(0) OVER (ORDER BY k) FROM t").starts_with("ERROR 203"));
  EXPECT_TRUE(Run("SELECT NTH_VALUE(k, 0) OVER (ORDER BY k) FROM t").starts_with("ERROR 203"));
  EXPECT_TRUE(Run("SELECT SUM(p) OVER () FROM t").starts_with("ERROR 203"));
  EXPECT_TRUE(Run("SELECT SUM(v) OVER (ORDER BY k RANGE 2 PRECEDING) FROM t").find("RANGE takes only UNBOUNDED") !=
              std::string::npos);
  EXPECT_TRUE(
      Run("SELECT SUM(v) OVER (ORDER BY k ROWS BETWEEN 1 FOLLOWING AND CURRENT ROW) FROM t").find("ends before") !=
      std::string::npos);
}

TEST_F(WindowsTest, ExplainNamesThem) {
  EXPECT_NE(Run("EXPLAIN SELECT RANK() OVER (PARTITION BY p ORDER BY o DESC) FROM t")
                .find("CLIENT WINDOW RANK() OVER (PARTITION BY P ORDER BY O DESC)"),
            std::string::npos);
}

TEST_F(WindowsTest, AreLimited) {
  const auto query = [](int windows) {
    std::string text = "SELECT ";
    for (int i = 0; i < windows; ++i) {
      text += (i == 0 ? "RANK() OVER (ORDER BY k + " : ", RANK() OVER (ORDER BY k + ") + std::to_string(i) + ")";
    }
    return text + " FROM t WHERE k = 1";
  };
  EXPECT_TRUE(Run(query(100)).starts_with("1|1|1"));
  EXPECT_TRUE(Run(query(251)).ends_with("more than 250 different windows."));
}

// Ranks do not need the partition; other functions say that it is too large.
TEST_F(WindowsTest, MemoryIsLimited) {
  ASSERT_TRUE(session_->SetAutoCommit(false).ok());
  const auto upsert = *session_->Prepare("UPSERT INTO t VALUES (?, 'one', ?, 1)");
  constexpr int kRows = 20'000;
  for (int k = 1; k <= kRows; ++k) {
    const std::vector<Value> values = {Value::Integer(k), Value::Integer(k / 3)};
    ASSERT_TRUE(upsert->Execute(values).ok());
  }
  ASSERT_TRUE(session_->Commit().ok());
  const auto small = *Session::Open(connection_.get(), {.memory_bytes = 200'000});
  const std::string ranks =
      "SELECT MAX(n), MAX(r), MAX(d) FROM (SELECT ROW_NUMBER() OVER (ORDER BY o DESC) AS n, RANK() OVER (ORDER BY o "
      "DESC) AS "
      "r, DENSE_RANK() OVER (ORDER BY o DESC) AS d FROM t) x";
  EXPECT_EQ(RunText(small.get(), ranks, {}), "20000|19999|6667\n");
  EXPECT_TRUE(RunText(small.get(), "SELECT MAX(s) FROM (SELECT SUM(v) OVER (ORDER BY k) AS s FROM t) x", {})
                  .starts_with("ERROR 999"));
  EXPECT_EQ(
      RunText(small.get(), "SELECT MAX(s) FROM (SELECT SUM(v) OVER (PARTITION BY o ORDER BY k) AS s FROM t) x", {}),
      "3\n");
}

// A large text that is the result in many rows is held once, or counts.
TEST_F(WindowsTest, LargeTextsAreLimited) {
  ASSERT_EQ(Run("CREATE TABLE w (k INTEGER PRIMARY KEY, s VARCHAR)"), "0");
  const auto upsert = *session_->Prepare("UPSERT INTO w VALUES (?, ?)");
  constexpr size_t kLarge = 200'000;
  for (int k = 0; k < 300; ++k) {
    const std::vector<Value> values = {Value::Integer(k), Value::Text(k == 0 ? std::string(kLarge, 'x') : "a")};
    ASSERT_TRUE(upsert->Execute(values).ok());
  }
  const auto small = *Session::Open(connection_.get(), {.memory_bytes = 2'000'000});
  const auto longest = [&](const std::string& call) {
    return RunText(small.get(), "SELECT MIN(LENGTH(x)), COUNT(*) FROM (SELECT " + call + " AS x FROM w) y", {});
  };
  EXPECT_EQ(longest("FIRST_VALUE(s) OVER (ORDER BY k)"), "200000|300\n");
  EXPECT_EQ(longest("LAST_VALUE(s) OVER (ORDER BY k DESC ROWS BETWEEN 5 PRECEDING AND UNBOUNDED FOLLOWING)"),
            "200000|300\n");
  EXPECT_EQ(longest("MAX(s) OVER ()"), "200000|300\n");
  EXPECT_TRUE(longest("MAX(s) OVER (ORDER BY k)").starts_with("ERROR 999"));
  EXPECT_EQ(longest("MAX(s) OVER (ORDER BY k DESC)"), "1|300\n");
}

}  // namespace
}  // namespace klip::sql
