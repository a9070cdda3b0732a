// What Phoenix refuses or drops when it compiles a statement: types, the word NULL as a condition, constants in GROUP BY.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class CompiledTypesTest : public SessionFixture {
 protected:
  void SetUp() override {
    ASSERT_EQ(
        Run("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, s VARCHAR, si SMALLINT, b BIGINT, ui UNSIGNED_INT, "
            "ul UNSIGNED_LONG, f FLOAT, g DOUBLE, uf UNSIGNED_FLOAT, ud UNSIGNED_DOUBLE, x DECIMAL(10,2), t DATE, "
            "o BOOLEAN, a INTEGER ARRAY)"),
        "0");
    for (const char* const row : {"1, 5, 'a', 7.125, 3", "2, 4, 'b', 2.5, 10", "3, 5, 'b', 0.125, 12.34"}) {
      ASSERT_EQ(Run("UPSERT INTO t (id, n, s, f, g) VALUES (" + std::string(row) + ")"), "1");
    }
  }

  // Of a statement that reads and writes no rows.
  std::string ErrorOf(std::string_view statement) { return Run(statement).substr(0, 17); }
  std::string ErrorOfItem(std::string_view item) {
    return ErrorOf("SELECT " + std::string(item) + " FROM t WHERE id > 9");
  }
};

TEST_F(CompiledTypesTest, RefuseCasts) {
  for (const char* const item :
       {"CAST(n AS VARCHAR)", "CAST(n AS DATE)", "CAST(n AS BOOLEAN)", "CAST(n AS BINARY(4))", "CAST(f AS BIGINT)",
        "CAST(f AS UNSIGNED_DOUBLE)", "CAST(uf AS INTEGER)", "CAST(ud AS BIGINT)", "CAST(x AS DATE)",
        "CAST(o AS INTEGER)", "CAST(a AS VARCHAR)", "CAST(t AS INTEGER)"}) {
    EXPECT_EQ(ErrorOfItem(item), "ERROR 203 (22005)") << item;
  }
  for (const char* const item : {"CAST(b AS DATE)", "CAST(ul AS TIMESTAMP)", "CAST(t AS BIGINT)", "CAST(t AS DECIMAL)",
                                 "CAST(x AS BOOLEAN)", "CAST(o AS DECIMAL)", "CAST(f AS UNSIGNED_INT)",
                                 "CAST(ud AS UNSIGNED_LONG)", "CAST(NULL AS DATE)", "CAST(s AS INTEGER)"}) {
    EXPECT_EQ(ErrorOfItem(item), "") << item;
  }
}

TEST_F(CompiledTypesTest, KeepTheValuesOfDecimals) {
  EXPECT_EQ(Run("SELECT CAST(g AS DECIMAL), CAST(f AS DECIMAL(6,2)), CAST(g AS DECIMAL(3,1)), COALESCE(x, g) FROM t"),
            "3|7.125|3|3\n10|2.5|10|10\n12.34|0.125|12.34|12.34\n");
  EXPECT_EQ(ErrorOf("SELECT CAST(n - 100 AS UNSIGNED_DOUBLE) FROM t"), "ERROR 201 (22000)");
  EXPECT_EQ(ErrorOf("SELECT CAST(g - 100 AS UNSIGNED_FLOAT) FROM t"), "ERROR 201 (22000)");
}

TEST_F(CompiledTypesTest, RefuseNumbersWithoutASharedType) {
  for (const char* const items : {"si, ui", "ul, n", "b, f", "f, ul", "ud, n", "f, ud"}) {
    const std::string both = items;
    const size_t comma = both.find(',');
    const std::string first = both.substr(0, comma);
    const std::string second = both.substr(comma + 1);
    EXPECT_EQ(ErrorOfItem("CASE WHEN id = 1 THEN " + first + " ELSE " + second + " END"), "ERROR 203 (22005)") << both;
    EXPECT_EQ(ErrorOf("SELECT " + first + " FROM t UNION ALL SELECT " + second + " FROM t"), "ERROR 526 (42903)")
        << both;
    EXPECT_EQ(ErrorOfItem(first + " = " + second), "") << both;
  }
  EXPECT_EQ(ErrorOfItem("CASE WHEN id = 1 THEN ui ELSE n END"), "");
  EXPECT_EQ(ErrorOfItem("CASE WHEN id = 1 THEN x ELSE f END"), "");
}

TEST_F(CompiledTypesTest, RefuseChanges) {
  for (const char* const select : {"(id, b) SELECT id, f", "(id, n) SELECT id, uf", "(id, ud) SELECT id, f"}) {
    EXPECT_EQ(ErrorOf("UPSERT INTO t " + std::string(select) + " FROM t"), "ERROR 203 (22005)") << select;
  }
  for (const char* const change : {"n = 'a'", "n = s", "x = s", "t = n", "n = t", "s = n"}) {
    EXPECT_EQ(ErrorOf("UPSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE " + std::string(change)),
              "ERROR 203 (22005)")
        << change;
  }
  EXPECT_EQ(Run("UPSERT INTO t (id) VALUES (1) ON DUPLICATE KEY UPDATE t = '2011-01-01', x = n, s = NULL"), "1");
  EXPECT_EQ(Run("SELECT t, x, s FROM t WHERE id = 1"), "2011-01-01 00:00:00.000|5|null\n");
  EXPECT_EQ(Run("UPSERT INTO t (id, b, ul) SELECT id, t, t FROM t WHERE id = 1"), "1");
  EXPECT_EQ(Run("UPSERT INTO t (id, t, o) SELECT id + 1, b + 1, x FROM t WHERE id = 1"), "1");
  EXPECT_EQ(Run("SELECT b, ul, t, o FROM t WHERE id < 3 ORDER BY id"),
            "1293840000000|1293840000000|2011-01-01 00:00:00.000|null\n"
            "null|null|2011-01-01 00:00:00.001|true\n");
  EXPECT_EQ(ErrorOf("UPSERT INTO t (id, b) SELECT id, TO_TIMESTAMP(s) FROM t"), "ERROR 203 (22005)");
  EXPECT_EQ(ErrorOfItem("n = CAST('a' AS BINARY(4))"), "ERROR 203 (22005)");
  EXPECT_EQ(Run("SELECT id FROM t WHERE t = '2011-01-01'"),
            "ERROR 203 (22005): Type mismatch. DATE and VARCHAR; write a time as DATE '2026-01-31' or "
            "TO_DATE('...', 'yyyy-MM-dd')");
}

TEST_F(CompiledTypesTest, RefuseNullAsACondition) {
  for (const char* const statement :
       {"SELECT id FROM t WHERE NULL", "SELECT id FROM t WHERE NULL OR n = 5", "SELECT id FROM t WHERE n = 5 AND NULL",
        "SELECT COUNT(*) FROM t HAVING NULL", "DELETE FROM t WHERE NULL"}) {
    EXPECT_EQ(ErrorOf(statement), "ERROR 203 (22005)") << statement;
  }
  EXPECT_EQ(Run("SELECT id FROM t WHERE n = NULL OR n = 4"), "2\n");
}

TEST_F(CompiledTypesTest, DropConstantsOfGroupBy) {
  EXPECT_EQ(Run("SELECT COUNT(*), MAX(n) FROM t WHERE id > 9 GROUP BY 'a'"), "0|null\n");
  EXPECT_EQ(Run("SELECT 'q', COUNT(*) FROM t WHERE id > 9 GROUP BY 'a', 1 + 1"), "q|0\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t WHERE id > 9 GROUP BY 'a', n"), "");
  EXPECT_EQ(Run("SELECT n, COUNT(*) FROM t GROUP BY 'a', n ORDER BY n"), "4|1\n5|2\n");
  EXPECT_EQ(Run("SELECT id FROM t GROUP BY 'a'"), "1\n2\n3\n");
}

TEST_F(CompiledTypesTest, OrderDistinctRowsByExpressions) {
  EXPECT_EQ(Run("SELECT DISTINCT n FROM t ORDER BY -n"), "5\n4\n");
  EXPECT_EQ(Run("SELECT DISTINCT n, s FROM t ORDER BY CASE WHEN n > 4 THEN s ELSE 'z' END, n"), "5|a\n5|b\n4|b\n");
  EXPECT_EQ(Run("SELECT DISTINCT n + 1 q FROM t ORDER BY 10 - q"), "6\n5\n");
  EXPECT_EQ(Run("SELECT DISTINCT UPPER(s) FROM t ORDER BY LOWER(UPPER(s)) DESC LIMIT 1"), "B\n");
  EXPECT_EQ(Run("SELECT DISTINCT n FROM t ORDER BY 'q', n"), "4\n5\n");
  EXPECT_EQ(ErrorOf("SELECT DISTINCT n FROM t ORDER BY id"), "ERROR 511 (42890)");
  EXPECT_EQ(Run("SELECT DISTINCT n FROM t ORDER BY COUNT(*)").substr(0, 18), "ERROR 1018 (42Y27)");
  EXPECT_EQ(Run("SELECT DISTINCT n FROM t ORDER BY n + id").substr(0, 18), "ERROR 1018 (42Y27)");
}

TEST_F(CompiledTypesTest, RefuseNullableKeysAndUnknownTables) {
  EXPECT_EQ(Run("CREATE TABLE k (a INTEGER NULL PRIMARY KEY, v INTEGER)").substr(0, 18), "ERROR 1000 (42I00)");
  EXPECT_EQ(Run("CREATE TABLE k (a VARCHAR NULL, v INTEGER CONSTRAINT pk PRIMARY KEY (a))").substr(0, 18),
            "ERROR 1000 (42I00)");
  EXPECT_EQ(Run("CREATE TABLE k (a VARCHAR NULL, b VARCHAR NULL, v INTEGER NULL CONSTRAINT pk PRIMARY KEY (a, b))"),
            "0");
  for (const char* const view : {"CREATE VIEW v", "CREATE VIEW v (n INTEGER)", "CREATE VIEW IF NOT EXISTS v"}) {
    EXPECT_EQ(Run(view).substr(0, 18), "ERROR 1012 (42M03)") << view;
  }
}

TEST_F(CompiledTypesTest, AverageToTheScaleOfColumns) {
  ASSERT_EQ(Run("CREATE TABLE d (k INTEGER PRIMARY KEY, d DECIMAL(10,3), e DECIMAL(12,5), x DECIMAL)"), "0");
  ASSERT_EQ(Run("UPSERT INTO d VALUES (1, 1.234, 2.34567, 1.23456789)"), "1");
  ASSERT_EQ(Run("UPSERT INTO d VALUES (2, 2.345, 3.45678, 2.3456789)"), "1");
  EXPECT_EQ(Run("SELECT AVG(d * d), AVG(d + e), AVG(d * e), AVG(-e), AVG(CAST(e AS DECIMAL(10,2))) FROM d"),
            "3.51089|4.69072|5.50035294|-2.90122|2.90122\n");
  EXPECT_EQ(
      Run("SELECT AVG(e + 1.5), AVG(x * d), AVG(ABS(e)), AVG(COALESCE(e, 1)), AVG(CAST(x AS DECIMAL(9,7))) FROM d"),
      "4.4012|3.512|2.9012|2.9012|1.7901\n");
  EXPECT_EQ(Run("SELECT AVG(d * d) OVER () FROM d LIMIT 1"), "3.51089\n");
}

TEST_F(CompiledTypesTest, SubtractTimestamps) {
  ASSERT_EQ(Run("CREATE TABLE ts (k INTEGER PRIMARY KEY, a TIMESTAMP, b TIMESTAMP, d DATE)"), "0");
  for (const char* const row :
       {"1, TIMESTAMP '2020-01-03 12:00:00.5', TIMESTAMP '2020-01-01 00:00:00', TO_DATE('2020-01-02')",
        "2, TIMESTAMP '2020-01-01 00:00:00', TIMESTAMP '2020-01-01 00:00:00.000000001', NULL"}) {
    ASSERT_EQ(Run("UPSERT INTO ts VALUES (" + std::string(row) + ")"), "1");
  }
  EXPECT_EQ(Run("SELECT a - b, CAST(a - a AS BIGINT), a - 1, d - TO_DATE('2020-01-01') FROM ts ORDER BY k"),
            "1970-01-03 12:00:00.500|0|2020-01-02 12:00:00.500|1\n"
            "1969-12-31 23:59:59.999999999|0|2019-12-31 00:00:00.000|null\n");
  EXPECT_EQ(Run("SELECT CAST(MAX(a) - MIN(a) AS BIGINT) FROM ts"), "216000500\n");
}

TEST_F(CompiledTypesTest, DropNoSchemas) {
  EXPECT_EQ(Run("DROP SCHEMA nope").substr(0, 17), "ERROR 722 (43M05)");
  EXPECT_EQ(Run("DROP SCHEMA IF EXISTS nope"), "0");
}

TEST_F(CompiledTypesTest, RefuseDynamicColumnsOfUnknownFamilies) {
  for (const char* const statement :
       {"UPSERT INTO t (id, g.h VARCHAR) VALUES (7, 'x')", "SELECT g.h FROM t (g.h VARCHAR)"}) {
    EXPECT_EQ(Run(statement).substr(0, 18), "ERROR 1001 (42I01)") << statement;
  }
  EXPECT_EQ(Run("UPSERT INTO t (id, h VARCHAR) VALUES (7, 'x')"), "1");
  EXPECT_EQ(Run("SELECT id FROM t (h VARCHAR) WHERE h = 'x'"), "7\n");
}

}  // namespace
}  // namespace klip::sql
