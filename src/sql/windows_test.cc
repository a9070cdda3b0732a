// Parameters, plans and limits of window functions. tests/sql has their rows, and compares random ones with SQLite.
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
