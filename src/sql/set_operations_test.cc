// Plans and limits of UNION, EXCEPT, INTERSECT and WITH. tests/sql has their rows, and compares random ones with SQLite.
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
};

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
