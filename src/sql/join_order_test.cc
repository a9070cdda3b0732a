// Joins take connected tables first, whatever their order in FROM. The rows that the joins make are counted.
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class JoinOrderTest : public SessionFixture {
 protected:
  JoinOrderTest() : SessionFixture(TempDirectory::Where::kMemory) {}

  // Rows k = 0 to `rows` - 1, each with x = k.
  void Make(const std::string& table, int rows) {
    ASSERT_EQ(Run("CREATE TABLE " + table + " (k INTEGER PRIMARY KEY, x INTEGER, y INTEGER)"), "0");
    std::string values;
    for (int k = 0; k < rows; ++k) {
      values +=
          (k == 0 ? "(" : ", (") + std::to_string(k) + ", " + std::to_string(k) + ", " + std::to_string(k % 3) + ")";
    }
    ASSERT_EQ(Run("UPSERT INTO " + table + " VALUES " + values), std::to_string(rows));
  }
};

// 21 tables of 10 rows: with cross products, more rows than there is time for.
TEST_F(JoinOrderTest, ManyTablesInAnyOrder) {
  constexpr int kTables = 21;
  std::string from;
  std::string where = "t0.x = 7";
  for (int i = 0; i < kTables; ++i) {
    Make("t" + std::to_string(i), 10);
    const int table = i % 2 == 0 ? i / 2 : kTables - 1 - i / 2;  // neighbours are not next to each other
    from += (i == 0 ? "t" : ", t") + std::to_string(table);
    if (i > 0) {
      where += " AND t" + std::to_string(i - 1) + ".x = t" + std::to_string(i) + ".k";
    }
  }
  EXPECT_EQ(Run("SELECT t0.k, t20.x FROM " + from + " WHERE " + where), "7|7\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM " + from + " WHERE " + where.substr(sizeof("t0.x = 7 AND") - 1)), "10\n");
}

TEST_F(JoinOrderTest, OrdersOfFromHaveTheSameRows) {
  Make("a", 40);
  Make("b", 30);
  Make("c", 20);
  Make("d", 5);
  std::vector<std::string> tables = {"a", "b", "c", "d"};
  const std::string list = "SELECT a.k, b.k, c.k, d.k ";
  for (const char* const where :
       {"a.k = c.k AND b.k = c.x", "a.k = c.k AND b.k = c.x AND d.k = b.k", "a.x = d.x AND b.x = c.x AND a.y < 2",
        "a.k = d.k AND b.k + c.k = d.k", "a.k = c.k AND b.k = c.k AND d.k = 3 AND b.y = d.y"}) {
    std::string first;
    std::ranges::sort(tables);
    do {
      std::string from;
      std::string joins;
      for (const std::string& table : tables) {
        from += (from.empty() ? "" : ", ") + table;
        joins += joins.empty() ? table : " JOIN " + table + " ON " + (table == tables.back() ? where : "1 = 1");
      }
      const std::string rows = Run(list + "FROM " + from + " WHERE " + where + " ORDER BY 1, 2, 3, 4");
      first = first.empty() ? rows : first;
      EXPECT_EQ(rows, first) << from << " WHERE " << where;
      EXPECT_EQ(Run(list + "FROM " + joins + " ORDER BY 1, 2, 3, 4"), first) << joins;
    } while (std::ranges::next_permutation(tables).found);
    EXPECT_NE(first, "");
  }
}

// Which tables a join has on its right side, in the order of the joins.
TEST_F(JoinOrderTest, KeepsAnOrderThatIsConnected) {
  Make("a", 40);
  Make("b", 30);
  Make("c", 20);
  const auto order = [&](const std::string& query) {
    const std::string plan = Run("EXPLAIN " + query);
    std::string names;
    for (size_t at = plan.find("OVER "); at != std::string::npos; at = plan.find("OVER ", at + 1)) {
      names += plan.substr(at + 5, 1);
    }
    return names;
  };
  EXPECT_EQ(order("SELECT * FROM a, b, c WHERE a.k = b.k AND b.k = c.k"), "ABC");
  EXPECT_EQ(order("SELECT * FROM a, b, c WHERE a.k = c.k AND b.k = c.k"), "ACB");
  EXPECT_EQ(order("SELECT * FROM a, b, c WHERE a.k = b.k"), "ABC");
  EXPECT_EQ(order("SELECT * FROM a, b, c"), "ABC");
  EXPECT_EQ(order("SELECT * FROM a, b, c, (SELECT 1 one) d WHERE a.k = c.k AND c.k = b.k AND d.one = b.k"), "ACB");
  // An outer join stays where it is.
  EXPECT_EQ(order("SELECT * FROM a, b LEFT JOIN c ON c.k = b.k WHERE a.k = b.k"), "ABC");
}

TEST_F(JoinOrderTest, ColumnsStayInTheOrderOfFrom) {
  Make("a", 3);
  Make("b", 3);
  Make("c", 3);
  EXPECT_EQ(Run("SELECT * FROM a, b, c WHERE a.k = c.k AND b.k = c.k AND a.k = 2"), "2|2|2|2|2|2|2|2|2\n");
  EXPECT_EQ(Run("SELECT c.*, a.k + 10, b.y FROM a, b, c WHERE a.k = c.k AND b.k = c.k AND a.k = 2"), "2|2|2|12|2\n");
}

}  // namespace
}  // namespace klip::sql
