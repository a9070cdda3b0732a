// UNION, EXCEPT, INTERSECT and WITH. tests/sql/sqlite_test compares random ones with SQLite.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class SetOperationsTest : public SessionFixture {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run("CREATE TABLE a (k INTEGER PRIMARY KEY, x INTEGER, y VARCHAR)"), "0");
    ASSERT_EQ(Run("CREATE TABLE b (k INTEGER PRIMARY KEY, x BIGINT, y VARCHAR)"), "0");
    for (const char* row : {"1, 1, 'p'", "2, 1, 'p'", "3, 2, NULL", "4, NULL, 'q'"}) {
      ASSERT_EQ(Run(std::string("UPSERT INTO a VALUES (") + row + ")"), "1");
    }
    for (const char* row : {"1, 2, NULL", "2, NULL, 'q'", "3, 3, 'r'"}) {
      ASSERT_EQ(Run(std::string("UPSERT INTO b VALUES (") + row + ")"), "1");
    }
  }

  std::string Labels(const std::string& query) {
    std::string labels;
    const auto statement = *session_->Prepare(query);
    for (const Column& column : statement->columns()) {
      labels += column.label + ",";
    }
    return labels;
  }
};

TEST_F(SetOperationsTest, CombineRowsAsSets) {
  EXPECT_EQ(Run("SELECT x FROM a UNION ALL SELECT x FROM b ORDER BY x"), "null\nnull\n1\n1\n2\n2\n3\n");
  EXPECT_EQ(Run("SELECT x FROM a UNION SELECT x FROM b ORDER BY x"), "null\n1\n2\n3\n");
  EXPECT_EQ(Run("SELECT x FROM a UNION DISTINCT SELECT x FROM b ORDER BY x DESC LIMIT 2"), "null\n3\n");
  EXPECT_EQ(Run("SELECT x FROM a EXCEPT SELECT x FROM b ORDER BY x"), "1\n");
  EXPECT_EQ(Run("SELECT x FROM b MINUS SELECT x FROM a"), "3\n");
  EXPECT_EQ(Run("SELECT x FROM a INTERSECT SELECT x FROM b ORDER BY x"), "null\n2\n");
  EXPECT_EQ(Run("SELECT x, y FROM a INTERSECT SELECT x, y FROM b ORDER BY x"), "null|q\n2|null\n");
  EXPECT_EQ(Run("SELECT x FROM a WHERE k > 9 UNION SELECT x FROM b WHERE k > 9"), "");
  EXPECT_EQ(Run("SELECT x FROM a WHERE k > 9 EXCEPT SELECT x FROM b"), "");
  EXPECT_EQ(Run("SELECT x FROM a EXCEPT SELECT x FROM b WHERE k > 9 ORDER BY 1"), "null\n1\n2\n");
}

// From left to right, but INTERSECT first.
TEST_F(SetOperationsTest, BindAsInStandardSql) {
  const std::string one = "SELECT 1 AS n";
  const std::string two = "SELECT 2 AS n";
  const std::string three = "SELECT 3 AS n";
  EXPECT_EQ(Run(one + " UNION " + two + " INTERSECT " + three), "1\n");
  EXPECT_EQ(Run("(" + one + " UNION " + two + ") INTERSECT " + two), "2\n");
  EXPECT_EQ(Run(one + " UNION ALL " + one + " EXCEPT " + two + " UNION ALL " + one), "1\n1\n");
  EXPECT_EQ(Run(one + " EXCEPT (" + two + " EXCEPT " + two + ")"), "1\n");
  EXPECT_EQ(Run(two + " INTERSECT " + two + " UNION ALL " + three), "2\n3\n");
  EXPECT_EQ(Run("(SELECT k FROM a ORDER BY k DESC LIMIT 1) UNION ALL (SELECT k FROM b ORDER BY k LIMIT 1)"), "4\n1\n");
  EXPECT_EQ(Run("(SELECT x, x FROM a WHERE k = 1 LIMIT 1) UNION ALL SELECT 7, 8"), "1|1\n7|8\n");
  EXPECT_EQ(Run("SELECT k FROM a WHERE x IN (SELECT x FROM a EXCEPT SELECT x FROM b)"), "1\n2\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM (SELECT x FROM a UNION SELECT x FROM b) u"), "4\n");
}

TEST_F(SetOperationsTest, ShareTypesAndTakeTheFirstLabels) {
  EXPECT_EQ(Labels("SELECT x AS n, y FROM a EXCEPT SELECT x, y FROM b"), "N,Y,");
  EXPECT_EQ(Run("SELECT x FROM a WHERE k = 1 UNION SELECT 1.5 FROM b"), "1\n1.5\n");
  EXPECT_TRUE(Run("SELECT x FROM a UNION SELECT x, y FROM b").starts_with("ERROR 525"));
  EXPECT_TRUE(Run("SELECT x FROM a EXCEPT SELECT y FROM b").starts_with("ERROR 526"));
  EXPECT_TRUE(Run("SELECT x FROM a INTERSECT ALL SELECT x FROM b").starts_with("ERROR 60"));
  EXPECT_TRUE(Run("SELECT x FROM a EXCEPT ALL SELECT x FROM b").starts_with("ERROR 60"));
}

// Only in front of another SELECT do these words have a meaning.
TEST_F(SetOperationsTest, WordsAreNamesElsewhere) {
  EXPECT_EQ(Run("SELECT except.k FROM a except WHERE k = 1"), "1\n");
  EXPECT_EQ(Labels("SELECT k minus FROM a"), "MINUS,");
}

TEST_F(SetOperationsTest, CommonTables) {
  EXPECT_EQ(Run("WITH c AS (SELECT x, COUNT(*) AS n FROM a GROUP BY x) SELECT x, n FROM c WHERE n > 1"), "1|2\n");
  EXPECT_EQ(Run("WITH c (p, q) AS (SELECT k, x FROM a), d AS (SELECT q FROM c WHERE p > 2) SELECT q FROM d ORDER BY q"),
            "null\n2\n");
  EXPECT_EQ(Run("WITH c AS (SELECT k FROM a) SELECT l.k FROM c l JOIN c ON l.k = c.k + 1 ORDER BY l.k"), "2\n3\n4\n");
  // A nearer name hides a farther one, and both hide a table.
  EXPECT_EQ(Run("WITH a AS (SELECT 1 AS k) SELECT k FROM a"), "1\n");
  EXPECT_EQ(Run("WITH c AS (SELECT 1 AS k) SELECT * FROM (WITH c AS (SELECT 2 AS k) SELECT k FROM c) i, c"), "2|1\n");
  EXPECT_EQ(Run("WITH c AS (SELECT x FROM b) SELECT k FROM a WHERE x IN (SELECT x FROM c WHERE x IS NOT NULL)"), "3\n");
  EXPECT_EQ(Run("WITH c AS (SELECT 1 AS n UNION SELECT 2) SELECT n FROM c EXCEPT SELECT n - 1 FROM c"), "2\n");
  EXPECT_EQ(Run("UPSERT INTO a (k, x) WITH c AS (SELECT 70 AS k) SELECT k, 1 FROM c"), "1");
  EXPECT_EQ(Run("SELECT x FROM a WHERE k = 70"), "1\n");
  EXPECT_EQ(Run("WITH c AS (SELECT k FROM a WHERE k > ?) SELECT l.k FROM c l, c r WHERE r.k < ? ORDER BY 1",
                {Value::Integer(2), Value::Integer(4)}),
            "3\n4\n70\n");
}

// The query's ORDER BY does not see the names.
TEST_F(SetOperationsTest, CommonTablesNameColumns) {
  EXPECT_EQ(Run("WITH c (k, p) AS (SELECT x, k FROM a ORDER BY k LIMIT 1) SELECT k, p FROM c"), "1|1\n");
  EXPECT_EQ(Run("WITH c (k, p) AS (SELECT x, k FROM a ORDER BY k DESC LIMIT 1) SELECT k, p FROM c"), "null|4\n");
  EXPECT_EQ(Run("WITH c (p) AS (SELECT k AS q FROM a ORDER BY q DESC LIMIT 1) SELECT p FROM c"), "4\n");
  EXPECT_EQ(Run("WITH c (p) AS (SELECT k FROM a UNION SELECT 9 ORDER BY k DESC LIMIT 2) SELECT p FROM c"), "9\n4\n");
  EXPECT_EQ(Run("WITH c (p) AS ((SELECT k FROM a LIMIT 1) UNION SELECT 9) SELECT p FROM c"), "1\n9\n");
  EXPECT_EQ(Run("WITH c (p, q, r) AS (SELECT * FROM a WHERE k = 2) SELECT r, c.p FROM c"), "p|2\n");
}

TEST_F(SetOperationsTest, RefuseWrongCommonTables) {
  EXPECT_EQ(Run("WITH c (p) AS (SELECT k, x FROM a) SELECT p FROM c"),
            "ERROR 601 (42P00): Syntax error. WITH C names 1 columns, but the query has 2.");
  EXPECT_EQ(Run("WITH c (p) AS (SELECT * FROM a) SELECT p FROM c"),
            "ERROR 601 (42P00): Syntax error. WITH C names 1 columns, but the query has 3.");
  EXPECT_EQ(Run("WITH RECURSIVE c AS (SELECT 1) SELECT * FROM c"), "SQL: WITH RECURSIVE");
  EXPECT_TRUE(Run("WITH c AS (SELECT k FROM c) SELECT k FROM c").starts_with("ERROR 1012"));  // its name is not visible
  EXPECT_TRUE(
      Run("SELECT k FROM (WITH c AS (SELECT 1 AS k) SELECT k FROM c) i JOIN c ON 1 = 1").starts_with("ERROR 1012"));
}

// Each common table uses the one before it twice.
// Those of one kind are one operator, others are nested.
TEST_F(SetOperationsTest, LongChains) {
  const auto chain = [](const std::vector<std::string>& words, int count) {
    std::string query = "SELECT 0";
    for (int i = 1; i < count; ++i) {
      query += " " + words[static_cast<size_t>(i) % words.size()] + " SELECT " + std::to_string(i / 2);
    }
    return query;
  };
  EXPECT_EQ(Run("SELECT COUNT(*) FROM (" + chain({"UNION"}, 20'000) + ") u"), "10000\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM (" + chain({"UNION ALL"}, 20'000) + ") u"), "20000\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM (" + chain({"UNION ALL", "UNION"}, 200) + ") u"), "100\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM (" + chain({"EXCEPT", "UNION ALL"}, 200) + ") u"), "100\n");
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"EXCEPT"}, {"INTERSECT"}, {"UNION", "UNION ALL"}, {"EXCEPT", "UNION ALL"}}) {
    EXPECT_TRUE(Run(chain(words, 20'000)).ends_with("more than 250 joins and set operations.")) << words[0];
  }
}

TEST_F(SetOperationsTest, DropDuplicatesOnce) {
  const auto count_of = [&](const std::string& query) {
    const std::string plan = Run("EXPLAIN " + query);
    int count = 0;
    for (size_t at = plan.find("DISTINCT"); at != std::string::npos; at = plan.find("DISTINCT", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(count_of("SELECT x FROM a UNION SELECT x FROM b UNION SELECT k FROM b"), 1);
  EXPECT_EQ(count_of("SELECT x FROM a EXCEPT SELECT x FROM b EXCEPT SELECT k FROM b INTERSECT SELECT 1"), 2);
  EXPECT_EQ(count_of("SELECT x FROM a UNION SELECT x FROM b UNION ALL SELECT k FROM b"), 1);
  EXPECT_EQ(count_of("SELECT x FROM a UNION SELECT x FROM b UNION ALL SELECT k FROM b UNION SELECT 1"), 2);
}

TEST_F(SetOperationsTest, CopiesAreLimited) {
  std::string query = "WITH c0 AS (SELECT 1 AS n)";
  for (int i = 1; i < 40; ++i) {
    const std::string before = "c" + std::to_string(i - 1);
    query += ", c" + std::to_string(i) + " AS (SELECT n FROM " + before + " UNION ALL SELECT n FROM " + before + ")";
  }
  EXPECT_TRUE(Run(query + " SELECT n FROM c39").ends_with("The statement's common tables are too large."));
  std::string deep = "WITH c0 AS (SELECT 1 AS n)";
  for (int i = 1; i < 300; ++i) {
    deep += ", c" + std::to_string(i) + " AS (SELECT n FROM c" + std::to_string(i - 1) + ")";
  }
  EXPECT_TRUE(Run(deep + " SELECT n FROM c299").ends_with("levels deep.")) << Run(deep + " SELECT n FROM c299");
}

}  // namespace
}  // namespace klip::sql
