// What statements mean to Phoenix, where another reading would be possible.
#include <memory>
#include <string>
#include <utility>
#include <vector>

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
  EXPECT_EQ(Run("SELECT a, SUM(v) AS v FROM t GROUP BY a HAVING v > 5").substr(0, 9), "ERROR 502");
}

TEST_F(PhoenixDetailsTest, RefusesAliasesThatAreOtherColumns) {
  EXPECT_EQ(Run("SELECT v AS b FROM t WHERE b = 3"), "3\n");
  EXPECT_EQ(Run("SELECT b AS b FROM t WHERE a = 'x' ORDER BY b"), "1\n2\n");
  EXPECT_EQ(ErrorOf("SELECT v * 2 AS b FROM t ORDER BY b"), "ERROR 502 (42702):");
  EXPECT_EQ(ErrorOf("SELECT UPPER(a) AS a, COUNT(*) FROM t GROUP BY a"), "ERROR 502 (42702):");
  EXPECT_EQ(Run("SELECT -v AS b FROM t WHERE a = 'x' ORDER BY t.b"), "-1\n-2\n");
  EXPECT_EQ(ErrorOf("SELECT UPPER(a) AS a FROM t ORDER BY UPPER(a)"), "ERROR 502 (42702):");
  EXPECT_EQ(Run("SELECT v * 2 AS w FROM t ORDER BY 10 - w LIMIT 2"), "8\n6\n");
  EXPECT_EQ(Run("SELECT v > 2 AS big, COUNT(*) FROM t GROUP BY NOT big ORDER BY NOT big").substr(0, 10), "ERROR 1018");
}

TEST_F(PhoenixDetailsTest, NumbersErrorsOfNamesAndAggregates) {
  EXPECT_EQ(ErrorOf("SELECT 1 FROM t x, t x"), "ERROR 501 (42000):");
  EXPECT_EQ(ErrorOf("SELECT t.v FROM t x JOIN t y ON x.v = y.v"), "ERROR 501 (42000):");
  EXPECT_EQ(ErrorOf("SELECT z.v FROM t x JOIN t y ON x.v = y.v"), "ERROR 1012 (42M03)");
  EXPECT_EQ(ErrorOf("SELECT z.* FROM t x JOIN t y ON x.v = y.v"), "ERROR 1012 (42M03)");
  EXPECT_EQ(ErrorOf("SELECT z.v FROM t x"), "ERROR 1001 (42I01)");
  EXPECT_EQ(ErrorOf("SELECT COUNT() FROM t"), "ERROR 6001 (42F01)");
  EXPECT_EQ(ErrorOf("SELECT MAX(v, b) FROM t"), "ERROR 6001 (42F01)");
  EXPECT_EQ(Run("SELECT MAX(MAX(v)) FROM t").substr(0, 5), "SQL: ");
  EXPECT_EQ(ErrorOf("SELECT v FROM t HAVING v = 1"), "ERROR 1019 (42Y26)");
  EXPECT_EQ(ErrorOf("SELECT a FROM t GROUP BY a HAVING COUNT(*) > 0 AND v = 1"), "ERROR 1018 (42Y27)");
  EXPECT_EQ(ErrorOf("SELECT foo 'bar' FROM t"), "ERROR 201 (22000):");
}

// The name of a table qualifies its columns also if it has an alias, but not instead of an outer table.
TEST_F(PhoenixDetailsTest, QualifiesByTheNameOfATableWithAnAlias) {
  EXPECT_EQ(Run("SELECT t.v FROM t x WHERE t.b = 2"), "2\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE EXISTS (SELECT 1 FROM t x WHERE x.v = t.v + 1) ORDER BY v"), "1\n2\n3\n");
}

TEST_F(PhoenixDetailsTest, AddsColumnsToTheKey) {
  ASSERT_EQ(Run("ALTER TABLE t ADD e VARCHAR PRIMARY KEY"), "0");
  ASSERT_EQ(Run("UPSERT INTO t (a, b, v, e) VALUES ('x', 1, 10, 'new')"), "1");
  EXPECT_EQ(Run("SELECT * FROM t WHERE a = 'x' AND b = 1"), "x|1|1|p|null\nx|1|10|null|new\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (a, b, e) = ('x', 1, 'new')"), "10\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE a = 'x' AND b = 1 AND e IS NULL"), "1\n");
  ASSERT_EQ(Run("ALTER TABLE t ADD g INTEGER, h DECIMAL PRIMARY KEY DESC"), "0");
  ASSERT_EQ(Run("UPSERT INTO t (a, b, e, g, h) VALUES ('x', 1, 'new', 5, 1.5)"), "1");
  EXPECT_EQ(Run("SELECT e, g, h FROM t WHERE a = 'x' AND b = 1"), "null|null|null\nnew|null|null\nnew|5|1.5\n");
  EXPECT_EQ(ErrorOf("ALTER TABLE t ADD i VARCHAR NOT NULL PRIMARY KEY"), "ERROR 1006 (42J04)");
  EXPECT_EQ(ErrorOf("ALTER TABLE t ADD f.i VARCHAR PRIMARY KEY"), "ERROR 1003 (42J01)");
  EXPECT_EQ(ErrorOf("ALTER TABLE t ADD e VARCHAR PRIMARY KEY"), "ERROR 514 (42892):");
  EXPECT_EQ(Run("ALTER TABLE t ADD IF NOT EXISTS e VARCHAR PRIMARY KEY"), "0");
  EXPECT_EQ(Run("ALTER TABLE t ADD i INTEGER PRIMARY KEY").substr(0, 5), "SQL: ");
  EXPECT_EQ(ErrorOf("ALTER TABLE t DROP COLUMN e"), "ERROR 506 (42817):");
  ASSERT_EQ(Run("CREATE TABLE w (k VARBINARY PRIMARY KEY)"), "0");
  EXPECT_EQ(ErrorOf("ALTER TABLE w ADD i VARCHAR PRIMARY KEY"), "ERROR 1015 (42J04)");
}

// Indexes of the table know rows with longer keys; those that read the key in expressions must go first.
TEST_F(PhoenixDetailsTest, AddsColumnsToTheKeyOfATableWithIndexes) {
  ASSERT_EQ(Run("CREATE TABLE u (k INTEGER PRIMARY KEY, v VARCHAR)"), "0");
  ASSERT_EQ(Run("UPSERT INTO u VALUES (1, 'x')"), "1");
  ASSERT_EQ(Run("CREATE INDEX ui ON u (v DESC)"), "0");
  ASSERT_EQ(Run("CREATE VIEW uv AS SELECT * FROM u WHERE v > 'a'"), "0");
  ASSERT_EQ(Run("ALTER TABLE u ADD e VARCHAR PRIMARY KEY"), "0");
  ASSERT_EQ(Run("UPSERT INTO u (k, v, e) VALUES (1, 'y', 'e')"), "1");
  EXPECT_EQ(Run("SELECT k, v, e FROM u WHERE v = 'y'"), "1|y|e\n");
  EXPECT_EQ(Run("SELECT v, e FROM u WHERE v > 'a' ORDER BY v DESC"), "y|e\nx|null\n");
  EXPECT_EQ(Run("SELECT k, e FROM uv ORDER BY v"), "1|null\n1|e\n");
  ASSERT_EQ(Run("CREATE INDEX uj ON u (v || k)"), "0");
  EXPECT_EQ(Run("ALTER TABLE u ADD f VARCHAR PRIMARY KEY").substr(0, 5), "SQL: ");
}

TEST_F(PhoenixDetailsTest, IndexesDescendingTexts) {
  ASSERT_EQ(Run("CREATE INDEX ts ON t (s DESC, v)"), "0");
  ASSERT_EQ(Run("CREATE INDEX tu ON t (UPPER(s) DESC)"), "0");
  EXPECT_EQ(Run("SELECT s, v FROM t WHERE s > 'p' ORDER BY s DESC"), "r|3\nq|2\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE UPPER(s) = 'Q'"), "2\n");
}

TEST_F(PhoenixDetailsTest, ChecksTheFamiliesOfPropertiesAndColumns) {
  EXPECT_EQ(ErrorOf("CREATE TABLE w (k INTEGER PRIMARY KEY, f.v INTEGER) g.VERSIONS=5"), "ERROR 1002 (42I02)");
  ASSERT_EQ(Run("CREATE TABLE w (k INTEGER PRIMARY KEY, f.v INTEGER, g.v INTEGER) g.VERSIONS=5"), "0");
  EXPECT_EQ(ErrorOf("ALTER TABLE w SET g.TTL=5"), "ERROR 1050 (43A07)");
  EXPECT_EQ(ErrorOf("UPSERT INTO w (k, v) VALUES (1, 2)"), "ERROR 502 (42702):");
  EXPECT_EQ(ErrorOf("CREATE INDEX i ON w (v)"), "ERROR 502 (42702):");
  EXPECT_EQ(ErrorOf("SELECT k FROM w (f.v INTEGER)"), "ERROR 514 (42892):");
  EXPECT_EQ(ErrorOf("UPDATE STATISTICS nope"), "ERROR 1012 (42M03)");
}

TEST_F(PhoenixDetailsTest, SortsByConstants) {
  EXPECT_EQ(Run("SELECT v FROM t WHERE a = 'x' ORDER BY -1, b"), "1\n2\n");
  EXPECT_EQ(ErrorOf("SELECT v FROM t ORDER BY 0"), "ERROR 2003 (INT04)");
}

TEST_F(PhoenixDetailsTest, IgnoresWhatInCannotCompare) {
  EXPECT_EQ(Run("SELECT v FROM t WHERE v IN (1, 'a', 3) ORDER BY v"), "1\n3\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE s NOT IN ('p', 1) ORDER BY v"), "2\n3\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE (a, v) IN (('x', 1), (5, 2))"), "1\n");
  EXPECT_EQ(ErrorOf("SELECT v FROM t WHERE v IN ('a', 'b')"), "ERROR 203 (22005):");
  EXPECT_EQ(ErrorOf("SELECT v FROM t WHERE (a, v) IN ((5, 2), (6, 3))"), "ERROR 203 (22005):");
}

// Also if no row needs the value.
TEST_F(PhoenixDetailsTest, ComputesLiteralsWhenItCompiles) {
  EXPECT_EQ(ErrorOf("SELECT 1 / 0 FROM t WHERE v = 99"), "ERROR 202 (22012):");
  EXPECT_EQ(ErrorOf("SELECT v / 0 FROM t WHERE v = 99"), "ERROR 202 (22012):");
  EXPECT_EQ(ErrorOf("SELECT 1E0 / 0.0 FROM t WHERE v = 99"), "ERROR 202 (22012):");
  EXPECT_EQ(ErrorOf("SELECT TO_DATE('bad') FROM t WHERE v = 99"), "ERROR 201 (22000):");
  EXPECT_EQ(Run("SELECT v / (b - b) FROM t WHERE v = 99"), "");
  EXPECT_EQ(Run("EXPLAIN SELECT v FROM t WHERE 1 = 0"), "DEGENERATE SCAN OVER T|null|null|null\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE v = NULL OR 2 < 1"), "");
  EXPECT_EQ(Run("SELECT x.v, y.v FROM t x LEFT JOIN t y ON x.v = y.v AND 1 = 0 WHERE x.v = 1"), "1|null\n");
}

// By a number that a row has; literals are checked before.
TEST_F(PhoenixDetailsTest, NumbersDivisionsByZeroOfRows) {
  EXPECT_EQ(ErrorOf("SELECT v / (b - b) FROM t"), "ERROR 212 (22012):");
  EXPECT_EQ(ErrorOf("SELECT v FROM t WHERE v % (b - b) = 1"), "ERROR 212 (22012):");
  EXPECT_EQ(ErrorOf("SELECT 1.5 / (v - v) FROM t"), "ERROR 212 (22012):");
}

TEST_F(PhoenixDetailsTest, WhereFindsNumbersAmongOtherTexts) {
  ASSERT_EQ(Run("UPSERT INTO t VALUES ('z', 5, 5, '12')"), "1");
  EXPECT_EQ(Run("SELECT v FROM t WHERE TO_NUMBER(s) > 5"), "5\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE NOT TO_NUMBER(s) > 50"), "5\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE v = 1 OR TO_DATE(s) IS NULL ORDER BY v"), "1\n4\n");
  EXPECT_EQ(ErrorOf("SELECT TO_NUMBER(s) FROM t"), "ERROR 201 (22000):");
  EXPECT_EQ(ErrorOf("SELECT v FROM t WHERE TO_NUMBER('x') > 5"), "ERROR 201 (22000):");
  EXPECT_EQ(ErrorOf("SELECT a FROM t GROUP BY a HAVING TO_NUMBER(a) > 5"), "ERROR 201 (22000):");
  EXPECT_EQ(Run("DELETE FROM t WHERE TO_NUMBER(s) > 5"), "1");
}

// It fails for all rows alike.
TEST_F(PhoenixDetailsTest, WhereRefusesBadParameters) {
  EXPECT_EQ(Run("SELECT v FROM t WHERE TO_NUMBER(?) > v", {Value::Text("x")}).substr(0, 18), "ERROR 201 (22000):");
}

TEST_F(PhoenixDetailsTest, MakesNullOfCallsWithNull) {
  EXPECT_EQ(
      Run("SELECT STRING_TO_ARRAY(s, ''), ARRAY_TO_STRING(ARRAY[v], NULL), REGEXP_REPLACE(s, NULL) FROM t WHERE v = 1"),
      "null|null|null\n");
  EXPECT_EQ(Run("SELECT FLOOR(NULL, 'hour'), ROUND(NULL, 2) FROM t WHERE v = 1"), "null|null\n");
  EXPECT_EQ(Run("SELECT COALESCE(NULL, s), UPPER(s, NULL), ARRAY_APPEND(ARRAY[v], NULL) FROM t WHERE v = 1"),
            "p|P|[1]\n");
}

TEST_F(PhoenixDetailsTest, ComparesNoTimesWithTexts) {
  ASSERT_EQ(Run("CREATE TABLE d (k INTEGER PRIMARY KEY, d DATE, ts TIMESTAMP)"), "0");
  EXPECT_EQ(ErrorOf("SELECT k FROM d WHERE d = '2020-01-01'"), "ERROR 203 (22005):");
  EXPECT_EQ(ErrorOf("SELECT k FROM d WHERE ts > 'a'"), "ERROR 203 (22005):");
  EXPECT_EQ(ErrorOf("SELECT k FROM d WHERE d IN ('2020-01-01', '2020-01-02')"), "ERROR 203 (22005):");
  EXPECT_EQ(ErrorOf("SELECT k FROM d WHERE d BETWEEN '2020-01-01' AND '2020-01-02'"), "ERROR 203 (22005):");
}

TEST_F(PhoenixDetailsTest, CastsTheFractionOfAMillisecondToDecimal) {
  const std::string time = "CAST(1577872800123.56789 AS TIMESTAMP)";
  EXPECT_EQ(Run("SELECT CAST(" + time + " AS DECIMAL), CAST(" + time + " AS BIGINT), TO_NUMBER(" + time + ")"),
            "1577872800123.56789|1577872800124|1577872800123\n");
}

TEST_F(PhoenixDetailsTest, AddsDaysExactlyToTimestampsAndCutsThoseOfDates) {
  EXPECT_EQ(Run("SELECT CAST(TO_DATE('2020-01-01') + 0.123456789 AS BIGINT), "
                "CAST(TO_DATE('1960-01-01') - 0.123456789 AS BIGINT)"),
            "1577847466666|-315629866666\n");
  EXPECT_EQ(Run("SELECT CAST(TO_TIMESTAMP('2020-01-01 10:00:00.123') + 0.123456789 AS DECIMAL), "
                "CAST(TO_TIMESTAMP('2020-01-01 10:00:00.123') - CAST(0.123456789 AS DOUBLE) AS DECIMAL)"),
            "1577883466789.5696|1577862133456.4304\n");
}

TEST_F(PhoenixDetailsTest, OptionalArgumentsThatAreNullAreDefaults) {
  EXPECT_EQ(Run("SELECT LPAD(s, 3, NULL), SUBSTR(s, 1, NULL), LOG(100, NULL), REGEXP_SUBSTR(s, '.', NULL) "
                "FROM t WHERE v = 1"),
            "  p|p|2.0|p\n");
  EXPECT_EQ(Run("SELECT LPAD(s, 3, '') FROM t WHERE v = 1"), "null\n");
  EXPECT_EQ(ErrorOf("SELECT ABS(v, NULL) FROM t"), "ERROR 6001 (42F01)");
}

TEST_F(PhoenixDetailsTest, RandomNumbersOfASeedContinueFromRowToRow) {
  const std::string numbers = "0.7275636800328681\n0.6832234717598454\n0.30871945533265976\n0.27707849007413665\n";
  EXPECT_EQ(Run("SELECT RAND(42) FROM t"), numbers);
  EXPECT_EQ(Run("SELECT RAND(42) FROM t"), numbers);
  EXPECT_EQ(Run("SELECT v FROM t WHERE RAND(42) > 0.5 ORDER BY v"), "1\n2\n");
}

TEST_F(PhoenixDetailsTest, ChecksImmutableRows) {
  ASSERT_EQ(Run("CREATE IMMUTABLE TABLE im (k INTEGER PRIMARY KEY, v VARCHAR NOT NULL, n INTEGER)"), "0");
  EXPECT_EQ(ErrorOf("UPSERT INTO im (k) VALUES (1)"), "ERROR 218 (23018):");
  EXPECT_EQ(ErrorOf("UPSERT INTO im (k, n) SELECT v, v FROM t"), "ERROR 218 (23018):");
  EXPECT_EQ(ErrorOf("UPSERT INTO im VALUES (1, 'a') ON DUPLICATE KEY IGNORE"), "ERROR 1219 (42Z19)");
  EXPECT_EQ(ErrorOf("UPSERT INTO im VALUES (1, 'a') ON DUPLICATE KEY UPDATE n = 1"), "ERROR 1219 (42Z19)");
  EXPECT_EQ(Run("UPSERT INTO im VALUES (1, 'a')"), "1");
}

TEST_F(PhoenixDetailsTest, ChecksDefinitions) {
  EXPECT_EQ(ErrorOf("CREATE TABLE n (k INTEGER PRIMARY KEY, f.v VARCHAR) f.TTL=100"), "ERROR 1050 (43A07)");
  EXPECT_EQ(ErrorOf("CREATE TABLE n (a DATE NOT NULL, b DATE NOT NULL "
                    "CONSTRAINT pk PRIMARY KEY (a ROW_TIMESTAMP, b ROW_TIMESTAMP))"),
            "ERROR 527 (42904):");
  EXPECT_EQ(ErrorOf("ALTER TABLE t ADD n INTEGER TTL=100"), "ERROR 1053 (43A10)");
  EXPECT_EQ(ErrorOf("ALTER TABLE t ADD n INTEGER IMMUTABLE_ROWS=true"), "ERROR 1053 (43A10)");
  EXPECT_EQ(Run("ALTER TABLE t ADD n INTEGER VERSIONS=3"), "0");
  EXPECT_EQ(ErrorOf("ALTER TABLE t SET f.VERSIONS=3"), "ERROR 1001 (42I01)");
  EXPECT_EQ(Run("ALTER TABLE t ADD f.m INTEGER f.VERSIONS=3"), "0");
  EXPECT_EQ(ErrorOf("CREATE INDEX i ON t (v) SALT_BUCKETS=300"), "ERROR 1021 (42Y80)");
  EXPECT_EQ(ErrorOf("CREATE LOCAL INDEX i ON t (v) SALT_BUCKETS=3"), "ERROR 1110 (XCL10)");
  EXPECT_EQ(ErrorOf("CREATE INDEX i ON t (v) TTL=100"), "ERROR 10949 (44A30");
  EXPECT_EQ(ErrorOf("CREATE INDEX t ON t (v)"), "ERROR 1013 (42M04)");
  EXPECT_EQ(ErrorOf("DROP INDEX i ON nowhere"), "ERROR 1042 (42M06)");
  EXPECT_EQ(Run("DROP INDEX IF EXISTS i ON nowhere"), "0");
}

TEST_F(PhoenixDetailsTest, RefusesSumsThatWouldOverflowTheStack) {
  const auto sum = [](size_t terms) {
    std::string text = "SELECT 1";
    for (size_t i = 1; i < terms; ++i) {
      text += " + 1";
    }
    return text;
  };
  EXPECT_EQ(Run(sum(2000)), "2000\n");
  EXPECT_EQ(ErrorOf(sum(100'000)), "ERROR 601 (42P00):");
}

TEST_F(PhoenixDetailsTest, CutsDoublesInCasts) {
  EXPECT_EQ(Run("SELECT CAST(1.7E0 AS INTEGER), CAST(-1.7E0 AS BIGINT), CAST(1.7 AS INTEGER)"), "1|-1|2\n");
  EXPECT_EQ(ErrorOf("SELECT CAST(v * 1000 AS TINYINT) FROM t"), "ERROR 201 (22000):");
}

TEST_F(PhoenixDetailsTest, TakesEmptyTextsForNullOfText) {
  EXPECT_EQ(ErrorOf("SELECT v FROM t WHERE v = ''"), "ERROR 203 (22005):");
  EXPECT_EQ(Run("UPSERT INTO t (a, b, v) VALUES ('z', 1, '')"), "1");
  EXPECT_EQ(Run("SELECT v FROM t WHERE a = 'z'"), "null\n");
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

TEST_F(PhoenixDetailsTest, CutsTimestampsToDatesInUpsertSelect) {
  ASSERT_EQ(Run("CREATE TABLE w (k INTEGER PRIMARY KEY, s TIMESTAMP, d DATE, u UNSIGNED_DATE)"), "0");
  ASSERT_EQ(Run("UPSERT INTO w (k, s) VALUES (1, TO_TIMESTAMP('2020-01-02 03:04:05.678'))"), "1");
  EXPECT_EQ(Run("UPSERT INTO w (k, d, u) SELECT k, s, s FROM w"), "1");
  EXPECT_EQ(Run("SELECT d, u FROM w"), "2020-01-02 03:04:05.678|2020-01-02 03:04:05.678\n");
  EXPECT_EQ(ErrorOf("UPSERT INTO w (k, d) SELECT k, k FROM w"), "ERROR 203 (22005):");
}

TEST_F(PhoenixDetailsTest, GivesDatesForTimesPlusDays) {
  ASSERT_EQ(Run("CREATE TABLE w (k INTEGER PRIMARY KEY, t TIME, u UNSIGNED_TIMESTAMP)"), "0");
  const auto rows = *session_->Execute("SELECT t + 1, u - 0.5 FROM w");
  EXPECT_EQ(rows->columns()[0].type.type, Type::kDate);
  EXPECT_EQ(rows->columns()[1].type.type, Type::kTimestamp);
}

TEST_F(PhoenixDetailsTest, GivesCharsForPartsOfChars) {
  ASSERT_EQ(Run("CREATE TABLE w (k INTEGER PRIMARY KEY, c CHAR(5))"), "0");
  ASSERT_EQ(Run("UPSERT INTO w VALUES (2, 'ab')"), "1");
  const auto rows = *session_->Execute("SELECT SUBSTR(c, 2), SUBSTR(c, 1, 3), SUBSTR(c, -2), SUBSTR(c, k) FROM w");
  const std::vector<DataType> types = {{.type = Type::kChar, .max_length = 4},
                                       {.type = Type::kChar, .max_length = 3},
                                       {.type = Type::kChar, .max_length = 2},
                                       {.type = Type::kVarchar}};
  for (size_t i = 0; i < types.size(); ++i) {
    EXPECT_EQ(rows->columns()[i].type, types[i]) << i;
  }
  EXPECT_EQ(Run("SELECT SUBSTR(c, 2), LENGTH(SUBSTR(c, 2)), LENGTH(SUBSTR(c, -2)) FROM w"), "b|4|2\n");
  EXPECT_EQ(Run("SELECT k FROM w WHERE SUBSTR(c, 1, 3) = 'ab'"), "2\n");
  EXPECT_EQ((*session_->Execute("SELECT SUBSTR(c, -9) FROM w"))->columns()[0].type.max_length, 5);
}

TEST_F(PhoenixDetailsTest, GivesDecimalsForCasesOfNumbersAndNull) {
  const auto rows = *session_->Execute(
      "SELECT CASE WHEN v > 1 THEN v ELSE NULL END, CASE WHEN v > 1 THEN v END, CASE WHEN v > 1 THEN NULL ELSE s END "
      "FROM t");
  EXPECT_EQ(rows->columns()[0].type.type, Type::kDecimal);
  EXPECT_EQ(rows->columns()[1].type.type, Type::kInteger);
  EXPECT_EQ(rows->columns()[2].type.type, Type::kVarchar);
}

TEST_F(PhoenixDetailsTest, KeepsValuesThatAreCastToTheirOwnType) {
  ASSERT_EQ(Run("CREATE TABLE w (k INTEGER PRIMARY KEY, x DECIMAL(10,2), c CHAR(3))"), "0");
  ASSERT_EQ(Run("UPSERT INTO w VALUES (1, 12.34, 'abc')"), "1");
  EXPECT_EQ(Run("SELECT CAST(x AS DECIMAL(5,1)), CAST(c AS CHAR(2)), CAST(k AS DECIMAL(5,1)) / 4 FROM w"),
            "12.34|abc|0.25\n");
}

TEST_F(PhoenixDetailsTest, RefusesValuesThatAreNotConstant) {
  for (const char* const value : {"v", "nope", "v + 1", "t.v", "SUM(1)", "UPPER(s)"}) {
    EXPECT_EQ(ErrorOf("UPSERT INTO t (a, b, v) VALUES ('x', 1, " + std::string(value) + ")"), "ERROR 204 (22008):")
        << value;
  }
}

TEST_F(PhoenixDetailsTest, NamesColumnsOfUpsertWithTheTable) {
  EXPECT_EQ(Run("UPSERT INTO t (t.a, t.b, v) VALUES ('z', 1, 9)"), "1");
  EXPECT_EQ(Run("SELECT v FROM t WHERE a = 'z'"), "9\n");
  EXPECT_EQ(Run("UPSERT INTO t (a, b, x.v) VALUES ('z', 1, 9)").substr(0, 19), "ERROR 1001 (42I01):");
  EXPECT_EQ(ErrorOf("UPSERT INTO t (a, b, t.nope) VALUES ('z', 1, 9)"), "ERROR 504 (42703):");
}

TEST_F(PhoenixDetailsTest, RefusesTextsThatAreNoTimes) {
  ASSERT_EQ(Run("CREATE TABLE w (k INTEGER PRIMARY KEY, d DATE)"), "0");
  EXPECT_EQ(ErrorOf("SELECT DATE 'bad' FROM w"), "ERROR 601 (42P00):");
  EXPECT_EQ(ErrorOf("SELECT k FROM w WHERE d = TIMESTAMP '2020-13-01'"), "ERROR 601 (42P00):");
  EXPECT_EQ(ErrorOf("UPSERT INTO w VALUES (1, 'bad')"), "ERROR 203 (22005):");
  EXPECT_EQ(ErrorOf("UPSERT INTO w VALUES (1, TO_DATE('bad'))"), "ERROR 201 (22000):");
}

TEST_F(PhoenixDetailsTest, ShowsTheCacheOfSequencesAndTheirEnd) {
  ASSERT_EQ(Run("CREATE SEQUENCE a"), "0");
  ASSERT_EQ(Run("CREATE SEQUENCE b CACHE 5"), "0");
  ASSERT_EQ(Run("CREATE SEQUENCE c START WITH 1 MINVALUE 1 MAXVALUE 2 CACHE 0"), "0");
  for (int i = 0; i < 4; ++i) {
    Run("SELECT NEXT VALUE FOR c");
  }
  EXPECT_EQ(Run("SELECT SEQUENCE_NAME, CURRENT_VALUE, CACHE_SIZE, LIMIT_REACHED_FLAG FROM SYSTEM.\"SEQUENCE\""),
            "A|1|100|false\nB|1|5|false\nC|3|1|true\n");
}

TEST_F(PhoenixDetailsTest, SaysWhetherColumnsMayBeNull) {
  const auto rows = *session_->Execute("SELECT b, b + 1, v, v + b, UPPER(a), 1, NULL, a IS NULL FROM t");
  std::string nullable;
  for (const Column& column : rows->columns()) {
    nullable += column.nullable ? 'y' : 'n';
  }
  EXPECT_EQ(nullable, "nnyynnyn");
  const auto counts = *session_->Execute("SELECT COUNT(v), SUM(b) FROM t");
  EXPECT_FALSE(counts->columns()[0].nullable);
  EXPECT_TRUE(counts->columns()[1].nullable);
}

TEST_F(PhoenixDetailsTest, DescribesExplainBeforeItIsExecuted) {
  EXPECT_EQ((*session_->Prepare("EXPLAIN SELECT a FROM t"))->columns()[0].label, "PLAN");
}

TEST_F(PhoenixDetailsTest, ListsTablesAndColumnsAsJdbcDoes) {
  ASSERT_EQ(Run("CREATE TABLE m (o VARCHAR NOT NULL, k INTEGER NOT NULL, f.x INTEGER, x INTEGER CONSTRAINT pk PRIMARY "
                "KEY (o, k)) "
                "MULTI_TENANT=true, SALT_BUCKETS=3, IMMUTABLE_ROWS=true"),
            "0");
  ASSERT_EQ(Run("CREATE INDEX mi ON m (f.x)"), "0");
  ASSERT_EQ(Run("CREATE SEQUENCE m_q"), "0");
  ASSERT_EQ(Run("CREATE VIEW m_v AS SELECT * FROM m WHERE \"0\".x = 1"), "0");
  const auto text = [](Expected<std::unique_ptr<Rows>> rows) { return RowsText(rows->get()); };
  const std::string nothing = "|null|null|null|null|";
  EXPECT_EQ(text(session_->Tables({.table = "M_%"})),
            "null|null|MI|INDEX" + nothing + "ACTIVE|true|3|true|null|null|GLOBAL|false|false|null|null\n" +
                "null|null|M_V|VIEW" + nothing +
                "null|true|3|true|SELECT * FROM \"M\" WHERE \"0\".X = 1|UPDATABLE|null|false|false|null|null\n");
  EXPECT_EQ(text(session_->Tables({.types = {"SEQUENCE"}})),
            "null|null|M_Q|SEQUENCE" + nothing + "null|null|null|null|null|null|null|null|null|null|null\n");
  EXPECT_EQ(text(session_->Tables({.catalog = "acme"})), "");
  const auto columns = *session_->Columns({.table = "M_V", .column = "0.X"});
  ASSERT_TRUE(*columns->Next());
  EXPECT_EQ(columns->value(17).ToString(), "true");        // IS_NULLABLE
  EXPECT_EQ(columns->value(26).ToString(), "8000000100");  // VIEW_CONSTANT
  EXPECT_EQ(columns->value(27).ToString(), "true");        // MULTI_TENANT
  EXPECT_FALSE(*columns->Next());
  EXPECT_EQ(text(session_->Columns({.table = "M", .column = "F.%"})).substr(0, 16), "null|null|M|X|4|");
}

TEST_F(PhoenixDetailsTest, NamesWhatIsWrongWithADefinition) {
  ASSERT_EQ(Run("CREATE TABLE d (k INTEGER PRIMARY KEY, v VARCHAR, a INTEGER ARRAY)"), "0");
  ASSERT_EQ(Run("CREATE VIEW d_v AS SELECT * FROM d WHERE v = 'x'"), "0");
  ASSERT_EQ(Run("CREATE INDEX d_i ON d (v)"), "0");
  const std::pair<const char*, const char*> errors[] = {
      {"CREATE INDEX d_i ON d (v)", "ERROR 1013 (42M04)"},
      {"CREATE INDEX d_j ON d (v, v)", "ERROR 514 (42892)"},
      {"CREATE INDEX d_j ON d (v) INCLUDE (v)", "ERROR 514 (42892)"},
      {"CREATE INDEX d_j ON d (a)", "ERROR 1005 (42J03)"},
      {"DROP INDEX d_j ON d", "ERROR 1042 (42M06)"},
      {"DROP TABLE d_v", "ERROR 1012 (42M03)"},
      {"DROP VIEW d", "ERROR 1010 (42M01)"},  // it has a view
      {"ALTER VIEW d ADD x INTEGER", "ERROR 1012 (42M03)"},
      {"CREATE TABLE e (k INTEGER PRIMARY KEY, j INTEGER NOT NULL PRIMARY KEY)", "ERROR 510 (42889)"},
      {"CREATE TABLE e (k INTEGER PRIMARY KEY, j INTEGER CONSTRAINT pk PRIMARY KEY (j))", "ERROR 510 (42889)"},
      {"CREATE TABLE e (k INTEGER CONSTRAINT pk PRIMARY KEY (x))", "ERROR 504 (42703)"},
      {"CREATE TABLE e (k VARCHAR NOT NULL CONSTRAINT pk PRIMARY KEY (k ROW_TIMESTAMP))", "ERROR 530 (42907)"},
      {"CREATE VIEW e AS SELECT * FROM d WHERE nope = 1", "ERROR 504 (42703)"},
      {"CREATE VIEW e AS SELECT * FROM d WHERE k = 'x'", "ERROR 203 (22005)"}};
  for (const auto& [statement, error] : errors) {
    EXPECT_TRUE(Run(statement).starts_with(error)) << statement << ": " << Run(statement);
  }
  EXPECT_EQ(Run("CREATE INDEX IF NOT EXISTS d_i ON d (v)"), "0");
  EXPECT_EQ(Run("DROP INDEX IF EXISTS d_j ON d"), "0");
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
