// Indexes of several columns, some of which are NULL: queries give what they give without an index.
#include <map>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "klip/index.h"
#include "klip/table.h"
#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class IndexNullsTest : public SessionFixture {
 protected:
  IndexNullsTest() : SessionFixture(TempDirectory::Where::kMemory) {}

  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  std::string OrNull(const std::string& value) { return Pick(3) == 0 ? "NULL" : value; }
  std::string Text() { return "'v" + std::to_string(Pick(8)) + "'"; }
  std::string Number() { return std::to_string(Pick(40) - 20); }

  // "t" has the indexes, "plain" the same rows.
  void Make(const std::vector<std::string>& indexes, int rows) {
    for (const std::string table : {"t", "plain"}) {
      ASSERT_EQ(Run("CREATE TABLE " + table + " (k INTEGER PRIMARY KEY, a VARCHAR, b INTEGER, c BIGINT, d VARCHAR)"),
                "0");
    }
    for (const std::string& index : indexes) {
      ASSERT_EQ(Run("CREATE INDEX " + index), "0");
    }
    for (int row = 0; row < rows; ++row) {
      Upsert(row);
    }
    ASSERT_TRUE(connection_->admin().Flush("T").ok());
  }
  void Upsert(int row) {
    const std::string values = "(" + std::to_string(row) + ", " + OrNull(Text()) + ", " + OrNull(Number()) + ", " +
                               OrNull(Number()) + ", " + OrNull("'d'") + ")";
    for (const std::string table : {"t", "plain"}) {
      ASSERT_EQ(Run("UPSERT INTO " + table + " VALUES " + values), "1");
    }
  }

  std::string Condition() {
    constexpr const char* kCompare[] = {" = ", " = ", " > ", " <= "};
    switch (Pick(8)) {
      case 0:
        return "b IS NULL";
      case 1:
        return "a IS NOT NULL";
      case 2:
        return "b * 2 > " + Number();
      case 3:
        return "b IN (" + Number() + ", " + Number() + ")";
      case 4:
        return std::string("c") + kCompare[Pick(4)] + Number();
      case 5:
        return std::string("b") + kCompare[Pick(4)] + Number();
      default:
        return std::string("a") + kCompare[Pick(4)] + Text();
    }
  }
  // SELECT ... FROM, and what follows the table.
  std::pair<std::string, std::string> Query() {
    std::string where = " WHERE " + Condition();
    for (int more = Pick(3); more > 0; --more) {
      where += " AND " + Condition();
    }
    if (Pick(2) == 0) {
      return {"SELECT k, a, b, c, d FROM ", where + " ORDER BY k"};
    }
    const std::vector<std::string> terms =
        std::vector<std::vector<std::string>>{{"a", "b"}, {"b * 2", "a"}, {"c", "b"}}[static_cast<size_t>(Pick(3))];
    std::string order;
    for (const std::string& term : terms) {
      order += (order.empty() ? " ORDER BY " : ", ") + term + (Pick(2) == 0 ? " DESC" : "") +
               std::vector<std::string>{"", " NULLS LAST", " NULLS FIRST"}[static_cast<size_t>(Pick(3))];
    }
    return {"SELECT " + terms[0] + ", " + terms[1] + " FROM ",
            where + order + " LIMIT " + std::to_string(1 + Pick(30))};
  }
  // The index in the plan; empty: none.
  std::string IndexOf(const std::string& query) {
    const std::string plan = Run("EXPLAIN " + query);
    for (const std::string index : {"AB", "CB", "EA"}) {
      if (plan.find("    index " + index + ":") != std::string::npos ||
          plan.find("    index " + index + " alone:") != std::string::npos ||
          plan.find("IN THE ORDER OF INDEX " + index) != std::string::npos) {
        return index;
      }
    }
    return {};
  }

  std::mt19937 random_{11};
};

TEST_F(IndexNullsTest, AnswerAsTablesWithoutIndexes) {
  Make({"ab ON t (a, b) INCLUDE (d)", "cb ON t (c DESC, b)", "ea ON t (b * 2, a)"}, 1500);
  std::map<std::string, int> used;
  for (int i = 0; i < 1500; ++i) {
    const auto [select, rest] = Query();
    ASSERT_EQ(Run(select + "t" + rest), Run(select + "plain" + rest)) << select << "t" << rest << "\n"
                                                                      << Run("EXPLAIN " + select + "t" + rest);
    ++used[IndexOf(select + "t" + rest)];
    if (i % 20 == 0) {
      Upsert(Pick(1600));
      const std::string gone = std::to_string(Pick(1500));
      ASSERT_EQ(Run("DELETE FROM t WHERE k = " + gone), Run("DELETE FROM plain WHERE k = " + gone));
    }
  }
  for (const char* const index : {"", "AB", "CB", "EA"}) {
    EXPECT_GT(used[index], 20) << index;
  }
  for (const char* const index : {"AB", "CB", "EA"}) {
    const Expected<IndexCheck> check = (*connection_->admin().indexes())->VerifyIndex("T", index);
    ASSERT_TRUE(check.ok() && check->ok()) << index;
    EXPECT_EQ(std::to_string(check->entries) + "\n", Run("SELECT COUNT(*) FROM t")) << "each row has a marker";
  }
}

TEST_F(IndexNullsTest, ConditionsOnLeadingColumnsSuffice) {
  Make({"ab ON t (a, b)"}, 1500);
  ASSERT_EQ(Run("UPSERT INTO t VALUES (5000, 'rare', NULL, 3, NULL)"), "1");
  ASSERT_TRUE(connection_->admin().Flush("T").ok());
  EXPECT_EQ(Run("SELECT k, b FROM t WHERE a = 'rare'"), "5000|null\n");
  EXPECT_EQ(IndexOf("SELECT k, b FROM t WHERE a = 'rare'"), "AB");
  EXPECT_EQ(IndexOf("SELECT k FROM t WHERE a LIKE 'rar%' AND c = 3"), "AB");
  EXPECT_EQ(IndexOf("SELECT a, b FROM t WHERE a > 'v1' ORDER BY a, b LIMIT 3"), "AB");
  EXPECT_EQ(IndexOf("SELECT a, b FROM t WHERE a > 'v1' ORDER BY a DESC, b DESC NULLS LAST LIMIT 3"), "AB");
  EXPECT_EQ(IndexOf("SELECT a, b FROM t WHERE a > 'v1' ORDER BY a, b NULLS LAST LIMIT 3"), "")
      << "NULL is before all values";
  EXPECT_EQ(IndexOf("SELECT a, b FROM t ORDER BY a, b LIMIT 3"), "") << "rows of other clients may lack all columns";
  EXPECT_EQ(IndexOf("SELECT k FROM t WHERE b = 7"), "AB") << "jumps to it under each value of a";
  EXPECT_EQ(IndexOf("SELECT k FROM t WHERE c = 7"), "") << "not a column of the index";
}

// HBase's clients write empty cells. In SQL these are NULL as missing ones are, and in an index they come after them.
TEST_F(IndexNullsTest, EmptyCellsAreInTheOrderOfMissingOnes) {
  Make({"adc ON t (a, d, c)"}, 0);
  for (const std::string table : {"t", "plain"}) {
    ASSERT_EQ(Run("UPSERT INTO " + table + " VALUES (1, 'v', 1, 5, NULL), (2, 'v', 2, 3, 'x')"), "2");
  }
  for (const char* const table : {"T", "PLAIN"}) {
    const std::string second("\x80\0\0\2", 4);
    ASSERT_TRUE((*connection_->GetTable(table))->Put(Put{.row = second}.Add("0", "D", "")).ok());
  }
  for (const std::string order : {"a, d, c", "a DESC, d DESC NULLS LAST, c DESC NULLS LAST"}) {
    const std::string rest = " WHERE a = 'v' ORDER BY " + order + " LIMIT 5";
    EXPECT_EQ(Run("SELECT k, a, d, c FROM t" + rest), Run("SELECT k, a, d, c FROM plain" + rest)) << order;
  }
  EXPECT_EQ(Run("SELECT k FROM t WHERE a = 'v' ORDER BY a, d, c LIMIT 5"), "2\n1\n");
}

}  // namespace
}  // namespace klip::sql
