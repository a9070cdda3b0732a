// Conditions with subqueries, as joins and as expressions: the same rows, in any memory.
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class SubqueryJoinsTest : public SessionFixture {
 protected:
  // rows of `table` (k INTEGER PRIMARY KEY, x INTEGER, y VARCHAR), by f(k) = "x, y".
  template <typename F>
  void Make(const std::string& table, int rows, const F& f) {
    ASSERT_EQ(Run("CREATE TABLE " + table + " (k INTEGER PRIMARY KEY, x INTEGER, y VARCHAR)"), "0");
    ASSERT_TRUE(session_->SetAutoCommit(false).ok());
    for (int k = 0; k < rows; ++k) {
      ASSERT_EQ(Run("UPSERT INTO " + table + " VALUES (" + std::to_string(k) + ", " + f(k) + ")"), "1");
    }
    ASSERT_TRUE(session_->Commit().ok());
    ASSERT_TRUE(session_->SetAutoCommit(true).ok());
  }

  // Whether the plan has this join.
  bool Joins(const std::string& query, const std::string& join) {
    return Run("EXPLAIN " + query).find("PARALLEL " + join + "-JOIN TABLE 0") != std::string::npos;
  }
};

TEST_F(SubqueryJoinsTest, AreWhatThePlanHas) {
  Make("a", 2, [](int k) { return std::to_string(k) + ", 'v'"; });
  Make("b", 2, [](int k) { return std::to_string(k) + ", 'v'"; });
  EXPECT_TRUE(Joins("SELECT k FROM a WHERE x IN (SELECT x FROM b)", "SEMI"));
  EXPECT_TRUE(Joins("SELECT k FROM a WHERE x NOT IN (SELECT x FROM b)", "ANTI"));
  EXPECT_TRUE(Joins("SELECT k FROM a WHERE x <> ALL (SELECT x FROM b)", "ANTI"));
  EXPECT_TRUE(Joins("SELECT k FROM a WHERE k > 0 AND EXISTS (SELECT * FROM b WHERE b.x = a.x AND b.y > 'a')", "SEMI"));
  EXPECT_TRUE(Joins("SELECT k FROM a WHERE NOT EXISTS (SELECT * FROM b WHERE a.y = b.y AND b.x = a.x)", "ANTI"));
  // These look up rows of b, or need more than equality.
  EXPECT_FALSE(Joins("SELECT k FROM a WHERE EXISTS (SELECT * FROM b WHERE b.k = a.x)", "SEMI"));
  EXPECT_FALSE(Joins("SELECT k FROM a WHERE EXISTS (SELECT * FROM b WHERE b.x > a.x)", "SEMI"));
  EXPECT_FALSE(Joins("SELECT k FROM a WHERE k = 0 OR x IN (SELECT x FROM b)", "SEMI"));
  EXPECT_EQ(Run("SELECT k FROM a WHERE k = 0 OR x IN (SELECT x FROM b WHERE x = 1)"), "0\n1\n");
}

TEST_F(SubqueryJoinsTest, GiveTheRowsOfExpressions) {
  std::mt19937 random(7);
  const auto value = [&](int values) {
    const int number = static_cast<int>(random() % static_cast<unsigned>(values + 1));
    return number == values ? std::string("NULL") : std::to_string(number);
  };
  const auto row = [&](int values) {
    return [&, values](int) {
      const std::string x = value(values);
      const std::string y = value(3);
      return x + ", " + (y == "NULL" ? y : "'y" + y + "'");
    };
  };
  Make("a", 900, row(800));
  Make("b", 2500, row(700));
  Make("c", 60, row(30));
  ASSERT_NE(Run("DELETE FROM c WHERE x IS NULL"), "0");
  // TUNING: memory for a part of b's rows, so that joins continue on disk.
  const std::unique_ptr<Session> small = *Session::Open(connection_.get(), {.memory_bytes = 100'000});
  for (const char* const table : {"b", "c"}) {
    for (const char* const condition :
         {"a.x IN (SELECT x FROM #)", "a.x NOT IN (SELECT x FROM #)",
          "a.x NOT IN (SELECT x FROM # WHERE x IS NOT NULL)", "(a.x, a.y) IN (SELECT x, y FROM #)",
          "EXISTS (SELECT 1 FROM # WHERE #.x = a.x)", "NOT EXISTS (SELECT 1 FROM # WHERE #.x = a.x AND #.y = a.y)",
          "a.x IN (SELECT x FROM # WHERE #.y = a.y)", "a.x + 1 = ANY (SELECT x FROM # WHERE k < 40)",
          "a.x <> ALL (SELECT x FROM #)", "a.x <> ALL (SELECT x FROM # WHERE k > 40 AND x > 3)",
          "a.k < 500 AND a.x IN (SELECT x FROM #) AND NOT EXISTS (SELECT 1 FROM # WHERE #.x = a.x AND #.y = a.y)"}) {
      std::string text = condition;
      for (size_t at = 0; (at = text.find('#')) != std::string::npos;) {
        text.replace(at, 1, table);
      }
      const std::string expected =
          Run("SELECT k FROM a WHERE CASE WHEN " + text + " THEN TRUE ELSE FALSE END ORDER BY k DESC");
      EXPECT_EQ(Run("SELECT k FROM a WHERE " + text + " ORDER BY k DESC"), expected) << text;
      EXPECT_EQ(RunText(small.get(), "SELECT k FROM a WHERE " + text + " ORDER BY k DESC"), expected) << text;
    }
  }
}

TEST_F(SubqueryJoinsTest, KeepTheOrderOfTheKey) {
  Make("a", 3000, [](int k) { return std::to_string(9000 - k) + ", NULL"; });
  const std::string query = "SELECT k FROM a WHERE x IN (SELECT x FROM a WHERE k > 7) ORDER BY k LIMIT 3";
  EXPECT_EQ(Run("EXPLAIN " + query).find("SORTED BY"), std::string::npos);
  EXPECT_EQ(Run(query), "8\n9\n10\n");
  const std::unique_ptr<Session> small = *Session::Open(connection_.get(), {.memory_bytes = 100'000});
  const Expected<std::unique_ptr<Rows>> rows = small->Execute(query);
  ASSERT_TRUE(rows.ok()) << rows.status().ToString();
  EXPECT_EQ(RowsText(rows->get()), "8\n9\n10\n");
  EXPECT_GT((*rows)->temporary_bytes(), 0);  // a join on disk changes the order
}

// A condition that is more than an equality makes an expression of the same query.
TEST_F(SubqueryJoinsTest, CompareWhatTheOuterColumnBecomes) {
  ASSERT_EQ(Run("CREATE TABLE a (k INTEGER PRIMARY KEY, d DOUBLE, i INTEGER, c CHAR(5))"), "0");
  ASSERT_EQ(Run("CREATE TABLE b (k INTEGER PRIMARY KEY, d DOUBLE, i INTEGER, s VARCHAR, u UNSIGNED_INT)"), "0");
  ASSERT_EQ(Run("UPSERT INTO a VALUES (1, 1.5, -1, 'ab'), (2, 1, 1, 'cd'), (3, 2.4, 2, NULL), (4, NULL, 3, 'x')"), "4");
  ASSERT_EQ(Run("UPSERT INTO b VALUES (1, 1, 1, 'ab', 1), (2, 2, 2, 'x', 2)"), "2");
  for (const std::string equality :
       {"b.i = CAST(a.d AS INTEGER)", "b.d = CAST(a.d AS INTEGER)", "b.d = CAST(CAST(a.d AS INTEGER) AS DECIMAL)",
        "b.i = a.d", "b.s = a.c", "b.u = a.i"}) {
    const std::string query = "SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE " + equality;
    EXPECT_TRUE(Joins(query + ")", "SEMI") || equality == "b.i = a.d") << equality;
    EXPECT_EQ(Run(query + ")"), Run(query + " AND b.k > a.k - 1000)")) << equality;
  }
  EXPECT_EQ(Run("SELECT k FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.i = CAST(a.d AS INTEGER))"), "1\n2\n3\n");
}

// What a subquery gave is kept while there is memory.
TEST_F(SubqueryJoinsTest, LookUpInAnyMemory) {
  Make("a", 3000, [](int k) { return std::to_string(2 * k) + ", 'a long text that makes keys large'"; });
  const std::unique_ptr<Session> small = *Session::Open(connection_.get(), {.memory_bytes = 70'000});
  const std::string query = "SELECT COUNT(*) FROM a WHERE EXISTS (SELECT 1 FROM a b WHERE b.k = a.x AND b.y = a.y)";
  EXPECT_FALSE(Joins(query, "SEMI"));
  EXPECT_EQ(RunText(small.get(), query), "1500\n");
}

TEST_F(SubqueryJoinsTest, JoinsReadTheSmallerSideFirst) {
  Make("large", 3000, [](int k) { return std::to_string(k % 50) + ", 'l'"; });
  Make("little", 20, [](int k) { return std::to_string(k) + ", 's'"; });
  const std::string declared =
      "SELECT little.k, large.k, little.y, large.y FROM little JOIN large ON little.x = large.x";
  const std::string order = " ORDER BY large.k";
  const auto first_of = [&](const std::string& from) {
    const std::string plan = Run("EXPLAIN SELECT 1 FROM " + from);
    const size_t at = plan.find("-JOIN TABLE 0");
    return plan.substr(std::min(plan.size(), plan.find("OVER ", at) + 5), 6);
  };
  EXPECT_EQ(first_of("little JOIN large ON little.x = large.x"), "LARGE|") << "without statistics, as declared";
  const std::string before = Run(declared + order);
  for (const char* const table : {"LARGE", "LITTLE"}) {
    ASSERT_TRUE(connection_->admin().Flush(table).ok());
  }
  EXPECT_EQ(first_of("little JOIN large ON little.x = large.x"), "LITTLE");
  EXPECT_EQ(first_of("large JOIN little ON little.x = large.x"), "LITTLE");
  EXPECT_EQ(first_of("little LEFT JOIN large ON little.x = large.x"), "LARGE|");
  EXPECT_EQ(Run(declared + order), before);
  EXPECT_EQ(Run("SELECT COUNT(*) FROM little JOIN large ON little.x = large.x AND large.k < little.k * 100"),
            Run("SELECT COUNT(*) FROM large JOIN little ON little.x = large.x AND large.k < little.k * 100"));
  const std::unique_ptr<Session> small = *Session::Open(connection_.get(), {.memory_bytes = 1'000});
  EXPECT_EQ(RunText(small.get(), declared + order), before);
}

}  // namespace
}  // namespace klip::sql
