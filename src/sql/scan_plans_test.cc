// What a query needs of a scan: its ends for MIN and MAX of key columns, samples, and the estimates of EXPLAIN.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class ScanPlansTest : public SessionFixture {
 protected:
  // a: 0 ... 9, b: a ... a + 19, n: b % 7, or NULL.
  void Make(const std::string& key) {
    ASSERT_EQ(Run("CREATE TABLE t (a INTEGER NOT NULL, b VARCHAR NOT NULL, n INTEGER CONSTRAINT pk PRIMARY KEY (" +
                  key + "))"),
              "0");
    ASSERT_TRUE(session_->SetAutoCommit(false).ok());
    for (int a = 0; a < 10; ++a) {
      for (int b = a; b < a + 20; ++b) {
        const std::string n = b % 7 == 0 ? "NULL" : std::to_string(b % 7);
        ASSERT_EQ(Run("UPSERT INTO t VALUES (" + std::to_string(a) + ", 'b" + std::to_string(10 + b) + "', " + n + ")"),
                  "1");
      }
    }
    ASSERT_TRUE(session_->SetAutoCommit(true).ok());
  }

  // Whether the query reads so many ends.
  int Ends(const std::string& query) {
    const std::string plan = Run("EXPLAIN " + query);
    int ends = 0;
    for (size_t at = plan.find("1 ROW LIMIT"); at != std::string::npos; at = plan.find("1 ROW LIMIT", at + 1)) {
      ++ends;
    }
    return ends;
  }
};

TEST_F(ScanPlansTest, ReadTheEndsForMinAndMax) {
  for (const std::string key : {"a, b", "a DESC, b", "a, b DESC", "a DESC, b DESC"}) {
    Make(key);
    for (const std::string where :
         {"", " WHERE a > 3", " WHERE a < 0", " WHERE a = 4", " WHERE a = 4 AND b > 'b16'", " WHERE n = 3",
          " WHERE n IS NULL", " WHERE a = 2 AND n = 1", " WHERE a IN (2, 5)", " WHERE b > 'b15' AND a < 8"}) {
      const std::string all = Run("SELECT MIN(a + 0), MAX(a + 0), MIN(b || ''), MAX(b || '') FROM t" + where);
      const std::string of_a = Run("SELECT MIN(a), MAX(a) FROM t" + where);
      const std::string of_b = Run("SELECT MIN(b), MAX(b) FROM t" + where);
      EXPECT_EQ(of_a.substr(0, of_a.size() - 1) + "|" + of_b, all) << key << where;
      EXPECT_EQ(Run("SELECT MAX(a) FROM t" + where) + Run("SELECT MIN(a) FROM t" + where),
                Run("SELECT MAX(a + 0) FROM t" + where) + Run("SELECT MIN(a + 0) FROM t" + where))
          << key << where;
    }
    EXPECT_EQ(Ends("SELECT MIN(a) FROM t WHERE n = 3"), 1);
    EXPECT_EQ(Ends("SELECT MAX(a) - MIN(a) FROM t"), 2);
    EXPECT_EQ(Ends("SELECT MAX(b) FROM t WHERE a = 3"), 1);
    EXPECT_EQ(Ends("SELECT MAX(b) FROM t"), 0);
    EXPECT_EQ(Ends("SELECT MAX(a), COUNT(*) FROM t"), 0);
    EXPECT_EQ(Ends("SELECT MAX(a) FROM t GROUP BY b"), 0);
    EXPECT_EQ(Ends("SELECT MAX(n) FROM t"), 0);
    EXPECT_EQ(Ends("SELECT MAX(a) FROM t WHERE n IN (SELECT n FROM t)"), 0);
    EXPECT_EQ(Run("SELECT MIN(a), MAX(a) FROM t HAVING MAX(a) > 5"), "0|9\n");
    EXPECT_EQ(Run("SELECT a FROM t o WHERE b = (SELECT MAX(b) FROM t i WHERE i.a = o.a) AND a < 2 ORDER BY a"),
              "0\n1\n");
    ASSERT_EQ(Run("DROP TABLE t"), "0");
  }
}

TEST_F(ScanPlansTest, SampleRows) {
  Make("a, b");
  EXPECT_EQ(Run("SELECT * FROM t TABLESAMPLE(100)"), Run("SELECT * FROM t"));
  EXPECT_EQ(Run("SELECT * FROM t TABLESAMPLE(0)"), "");
  const std::string sample = Run("SELECT a, b FROM t TABLESAMPLE(25.5)");
  EXPECT_EQ(sample, Run("SELECT a, b FROM t TABLESAMPLE(25.5)")) << "the same rows each time";
  const int rows = std::stoi(Run("SELECT COUNT(*) FROM t TABLESAMPLE(25.5)"));
  EXPECT_EQ(rows, std::ranges::count(sample, '\n'));
  EXPECT_GT(rows, 25);
  EXPECT_LT(rows, 80);
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t s TABLESAMPLE(25.5) JOIN t ON s.a = t.a AND s.b = t.b"),
            std::to_string(rows) + "\n");
  EXPECT_EQ(Run("SELECT DISTINCT a FROM t TABLESAMPLE(25.5)"), Run("SELECT a FROM t TABLESAMPLE(25.5) GROUP BY a"));
  EXPECT_EQ(std::stoi(Run("SELECT COUNT(DISTINCT a) FROM t TABLESAMPLE(25.5)")),
            std::ranges::count(Run("SELECT DISTINCT a FROM t TABLESAMPLE(25.5)"), '\n'));
  EXPECT_EQ(std::ranges::count(Run("SELECT a FROM t TABLESAMPLE(25.5) LIMIT 20"), '\n'), 20);
  EXPECT_TRUE(Run("SELECT * FROM t TABLESAMPLE(101)").starts_with("ERROR 601"));
  EXPECT_TRUE(Run("SELECT * FROM t TABLESAMPLE('x')").starts_with("ERROR 601"));
  EXPECT_NE(Run("EXPLAIN SELECT * FROM t TABLESAMPLE(50)").find("1-WAY 0.5-SAMPLED FULL SCAN"), std::string::npos);
}

TEST_F(ScanPlansTest, EstimateTheRowsOfExplain) {
  Make("a, b");
  EXPECT_NE(Run("EXPLAIN SELECT * FROM t").find("|null|200|"), std::string::npos) << "rows in memory count";
  EXPECT_NE(Run("EXPLAIN SELECT * FROM t WHERE a = 1 AND b IN ('b12', 'b13')").find("|null|2|"), std::string::npos);
  ASSERT_TRUE(connection_->admin().Flush("T").ok());
  EXPECT_NE(Run("EXPLAIN SELECT * FROM t").find("|null|200|"), std::string::npos) << Run("EXPLAIN SELECT * FROM t");
  EXPECT_NE(Run("EXPLAIN SELECT 1 FROM t x JOIN t y ON x.n = y.n").find("|null|400|"), std::string::npos);
  EXPECT_NE(Run("EXPLAIN SELECT 1 FROM t UNION ALL SELECT 2 FROM t").find("|null|400|"), std::string::npos);
}

// The key of a single row is encoded at once: for all types, orders and values that parameters can have.
TEST_F(ScanPlansTest, TakeFractionsForTheNextWholeNumber) {
  Make("a, b");
  const auto has = [&](const std::string& condition, const std::string& text) {
    const std::string plan = Run("EXPLAIN SELECT * FROM t WHERE " + condition);
    EXPECT_NE(plan.find(text), std::string::npos) << condition << "\n" << plan;
  };
  has("a > 2.5", "RANGE SCAN OVER T [3] - [*]");
  has("a >= 2.5", "RANGE SCAN OVER T [3] - [*]");
  has("2.5e0 > a", "RANGE SCAN OVER T [*] - [2]");
  has("a <= 2.0", "RANGE SCAN OVER T [*] - [2]");
  has("a IN (1.0, 2.5, 4)", "SKIP SCAN ON 2 KEYS OVER T");
  has("a = 2.5", "DEGENERATE SCAN OVER T");
  has("a > 3000000000", "DEGENERATE SCAN OVER T");
  has("a < 3000000000", "FULL SCAN OVER T");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t WHERE n > 4.5"), Run("SELECT COUNT(*) FROM t WHERE n IN (5, 6)"));
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t WHERE n NOT IN (2.5, 1)"), Run("SELECT COUNT(*) FROM t WHERE n > 1"));
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t WHERE n NOT IN (2.5)"), Run("SELECT COUNT(n) FROM t"));
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t WHERE n <> 2.5"), Run("SELECT COUNT(n) FROM t"));
}

TEST_F(ScanPlansTest, FindsSingleRowsByTheirWholeKey) {
  const std::string types[] = {"TINYINT", "SMALLINT", "INTEGER", "BIGINT",    "VARCHAR",       "DATE",
                               "TIME",    "CHAR(2)",  "DOUBLE",  "TIMESTAMP", "DECIMAL(9, 2)", "UNSIGNED_INT"};
  const std::string values[] = {"7",
                                "7",
                                "7",
                                "7",
                                "'x'",
                                "TO_DATE('2014-06-28')",
                                "TO_TIME('2014-06-28')",
                                "'x'",
                                "7",
                                "TO_TIMESTAMP('2014-06-28')",
                                "7.5",
                                "7"};
  for (size_t i = 0; i < std::size(types); ++i) {
    for (const std::string order : {"", " DESC"}) {
      for (const std::string salt : {"", " SALT_BUCKETS=3"}) {
        ASSERT_EQ(Run("CREATE TABLE p (a " + types[i] + " NOT NULL, b VARCHAR, n INTEGER CONSTRAINT pk PRIMARY KEY (a" +
                      order + ", b" + order + "))" + salt),
                  "0");
        EXPECT_EQ(Run("UPSERT INTO p VALUES (" + values[i] + ", 'b', 1)"), "1");
        EXPECT_EQ(Run("UPSERT INTO p VALUES (" + values[i] + ", NULL, 2)"), "1");
        const std::string where = "SELECT n FROM p WHERE a = " + values[i] + " AND ";
        EXPECT_EQ(Run(where + "b = ?", {Value::Text("b")}), "1\n") << types[i] << order << salt;
        EXPECT_EQ(Run(where + "? = b", {Value::Text("b")}), "1\n") << types[i] << order << salt;
        EXPECT_EQ(Run(where + "b = ? AND b = 'b'", {Value::Text("c")}), "");
        EXPECT_EQ(Run(where + "b = ?", {Value()}), "");
        EXPECT_EQ(Run(where + "b = ?", {Value::Text(std::string("\0", 1))}), "");
        EXPECT_EQ(Run(where + "b IS NULL"), "2\n") << types[i] << order << salt;
        ASSERT_EQ(Run("DROP TABLE p"), "0");
      }
    }
  }
}

// The row of a whole key meets a condition that only compares the key; any other condition has to be checked.
TEST_F(ScanPlansTest, ChecksWhatTheRowOfAPointDoesNotMeet) {
  Make("a, b DESC");
  const auto point = [&](const std::string& condition, const std::vector<Value>& values = {}) {
    return Run("SELECT a, n FROM t WHERE " + condition, values);
  };
  EXPECT_EQ(point("a = 3 AND b = 'b15'"), "3|5\n");
  EXPECT_EQ(point("b = 'b15' AND a = 3"), "3|5\n");
  EXPECT_EQ(point("a = 3 AND b = 'b15' AND n = 5"), "3|5\n");
  EXPECT_EQ(point("a = 3 AND b = 'b15' AND n = 4"), "");
  EXPECT_EQ(point("a = 3 AND b = 'b15' AND b = 'b16'"), "");
  EXPECT_EQ(point("a = 3 AND b = 'b15' AND b > 'b15'"), "");
  EXPECT_EQ(point("a = 3 AND b = 'b15' AND a + n = 9"), "");
  EXPECT_EQ(point("(a = 3 AND b = 'b15') OR n = 99"), "3|5\n");
  EXPECT_EQ(point("a = 3 AND b = 'none'"), "");
  const auto statement = session_->Prepare("SELECT n FROM t WHERE a = ? AND b = ?");
  ASSERT_TRUE(statement.ok());
  const auto count = [&](const Value& a, const Value& b) {
    const std::vector<Value> values = {a, b};
    const auto rows = *(*statement)->Execute(values);
    int found = 0;
    while (*rows->Next()) {
      ++found;
    }
    return found;
  };
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(count(Value::Integer(3), Value::Text("b15")), 1);
    EXPECT_EQ(count(Value::Integer(3), Value()), 0);
    EXPECT_EQ(count(Value::Integer(3), Value::Text(std::string("b15\xff", 4))), 0) << "no value of a key";
  }
}

}  // namespace
}  // namespace klip::sql
