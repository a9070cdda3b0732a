// The labels of columns without an alias, as Phoenix compiles the expressions.
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class LabelsTest : public SessionFixture {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, i INTEGER, b BIGINT, d DOUBLE, x DECIMAL(10,2), c CHAR(5), "
                  "s VARCHAR(10), dt DATE, ts TIMESTAMP, vb VARBINARY, ti TINYINT, ui UNSIGNED_INT, bo BOOLEAN, "
                  "f.n INTEGER, \"low\" INTEGER)"),
              "0");
  }

  std::string LabelOf(std::string_view expression, std::string_view from = "t") {
    const Expected<std::unique_ptr<Statement>> prepared =
        session_->Prepare("SELECT " + std::string(expression) + " FROM " + std::string(from));
    return prepared.ok() ? (*prepared)->columns()[0].label : prepared.status().message();
  }
};

TEST_F(LabelsTest, HaveTheDefaultsOfArguments) {
  EXPECT_EQ(LabelOf("UPPER(LOWER(s))"), "UPPER(LOWER(S, ), )");
  EXPECT_EQ(LabelOf("LPAD(s, 5)"), "LPAD(S, 5, ' ')");
  EXPECT_EQ(LabelOf("LPAD(s, 5, NULL)"), "LPAD(S, 5, ' ')");
  EXPECT_EQ(LabelOf("LOG(d)"), "LOG(D, 10.0)");
  EXPECT_EQ(LabelOf("REGEXP_SUBSTR(s, 'a')"), "REGEXP_SUBSTR(S, 'a', 1)");
  EXPECT_EQ(LabelOf("TO_DATE(s, 'yyyy')"), "TO_DATE(S, 'yyyy', )");
  EXPECT_EQ(LabelOf("TO_CHAR(dt, 'yyyy')"), "TO_CHAR(DT)");
  EXPECT_EQ(LabelOf("ROUND(x)"), "ROUND(X, , 1)");
  EXPECT_EQ(LabelOf("TRUNC(d, 2)"), "FLOOR(D, 2, 1)");
  EXPECT_EQ(LabelOf("ROUND(i, 1)"), "I");
  EXPECT_EQ(LabelOf("FLOOR(dt, 'day')"), "FLOOR(DT)");
  EXPECT_EQ(LabelOf("CEIL(ts, 'month')"), "ROUND(TO_DATE(TS))");
}

TEST_F(LabelsTest, HaveComputedConstants) {
  EXPECT_EQ(LabelOf("UPPER('abc')"), "'ABC'");
  EXPECT_EQ(LabelOf("2 * (3 + 4) * i"), "(14 * I)");
  EXPECT_EQ(LabelOf("1 + 1 + i"), "(1 + 1 + I)");
  EXPECT_EQ(LabelOf("i + NULL"), "");
  EXPECT_EQ(LabelOf("TO_DATE('2020-01-01') + 1"), "DATE '2020-01-02 00:00:00.000'");
  EXPECT_EQ(LabelOf("REGEXP_SPLIT('a,b', ',')"), "ARRAY['a','b']");
  EXPECT_EQ(LabelOf("1 BETWEEN 0 AND 2"), "true");
  EXPECT_EQ(LabelOf("i = 1 AND TRUE"), "I = 1");
  EXPECT_EQ(LabelOf("i = 1 OR 1 = 1"), "true");
  EXPECT_EQ(LabelOf("SUM(1 + 1)"), "SUM(2)");
  EXPECT_EQ(LabelOf("RAND(1)"), "RAND(1)");
  EXPECT_EQ(LabelOf("ENCODE(i, NULL)"), "");
  EXPECT_EQ(LabelOf("TO_CHAR(CAST(0.1 AS DOUBLE))"), "TO_CHAR(TO_DOUBLE(0.1))");
  EXPECT_EQ(LabelOf("STRING_TO_ARRAY(s, '')"), "");
}

// What is in GROUP BY, or an equal aggregate, is bound only once.
TEST_F(LabelsTest, HaveTypesInGroupsAndRepeatedAggregates) {
  const std::string group = "CASE WHEN d = 1 THEN x ELSE 0 END";
  EXPECT_EQ(LabelOf(group, "t GROUP BY " + group), "CASE WHEN D = 1.0 THEN X ELSE TO_DECIMAL(0) END");
  EXPECT_EQ(LabelOf("SUM(" + group + ")", "t HAVING SUM(" + group + ") > 1"),
            "SUM(CASE WHEN D = 1.0 THEN X ELSE TO_DECIMAL(0) END)");
  EXPECT_EQ(LabelOf("SUM(i + ?)", "t HAVING SUM(i + ?) > 1").substr(0, 4), "SUM(");
}

TEST_F(LabelsTest, HaveConstantsOfTheColumnsType) {
  EXPECT_EQ(LabelOf("1 < i"), "I > 1");
  EXPECT_EQ(LabelOf("d = 1"), "D = 1.0");
  EXPECT_EQ(LabelOf("i = 1.5"), "false");
  EXPECT_EQ(LabelOf("b >= 1.5"), "B >= 2");
  EXPECT_EQ(LabelOf("b > -1.5"), "B > -2");
  EXPECT_EQ(LabelOf("b < -1.5"), "B < -1");
  EXPECT_EQ(LabelOf("ti = 300"), "false");
  EXPECT_EQ(LabelOf("ui > -1"), "true");
  EXPECT_EQ(LabelOf("c = 'abcdef'"), "false");
  EXPECT_EQ(LabelOf("vb = 'a'"), "VB = X'61'");
  EXPECT_EQ(LabelOf("ts = DATE '2020-01-01'"), "TS = TIMESTAMP '2020-01-01 00:00:00.000'");
  EXPECT_EQ(LabelOf("d IN (2, 1, 2)"), "D IN (1.0,2.0)");
  EXPECT_EQ(LabelOf("i NOT IN (1)"), "I != 1");
  EXPECT_EQ(LabelOf("i IN (NULL)"), "false");
  EXPECT_EQ(LabelOf("s LIKE 'a\\_b'"), "S = 'a_b'");
  EXPECT_EQ(LabelOf("1 BETWEEN i AND b"), "(I <= 1 AND B >= 1)");
  EXPECT_EQ(LabelOf("(i, b) = (1, 2)"), "(I = 1 AND B = 2)");
  EXPECT_EQ(LabelOf("k IS NULL"), "false");
}

TEST_F(LabelsTest, HaveConversions) {
  EXPECT_EQ(LabelOf("CAST(i AS INTEGER)"), "I");
  EXPECT_EQ(LabelOf("CAST(x AS BIGINT)"), "TO_BIGINT(ROUND(X, 0))");
  EXPECT_EQ(LabelOf("CASE WHEN 1 = i THEN i ELSE b END"), "CASE WHEN I = 1 THEN TO_BIGINT(I) ELSE B END");
  EXPECT_EQ(LabelOf("CASE WHEN bo THEN NULL ELSE 'a' END"), "CASE WHEN BO THEN TO_VARCHAR() ELSE 'a' END");
}

TEST_F(LabelsTest, NameColumnsByTheirFamilyOrTheirTableInAJoin) {
  EXPECT_EQ(LabelOf("t.i + 1"), "(I + 1)");
  EXPECT_EQ(LabelOf("x.n + 1", "t x"), "(F.N + 1)");
  EXPECT_EQ(LabelOf("SUM(x.i)", "t x"), "SUM(I)");
  EXPECT_EQ(LabelOf("x.f.n", "t x"), "N");
  const std::string join = "t x JOIN t y ON x.k = y.k";
  EXPECT_EQ(LabelOf("x.i + y.n", join), "(X.I + Y.N)");
  EXPECT_EQ(LabelOf("x.\"low\" + 1", join), "(\"X.low\" + 1)");
  EXPECT_EQ(LabelOf("x.f.n", join), "X.F.N");
}

// Phoenix joins these subqueries.
TEST_F(LabelsTest, NameColumnsByTheirTableBesideASubquery) {
  ASSERT_EQ(Run("CREATE TABLE o (k INTEGER PRIMARY KEY, m INTEGER)"), "0");
  const std::string in = "t a WHERE k IN (SELECT k FROM o)";
  EXPECT_EQ(LabelOf("a.i", in), "A.I");
  EXPECT_EQ(LabelOf("i", in), "I");
  EXPECT_EQ(LabelOf("i + 1", in), "(A.I + 1)");
  EXPECT_EQ(LabelOf("f.n", in), "F.N");
  EXPECT_EQ(LabelOf("a.*", in), "K");
  EXPECT_EQ(LabelOf("MAX(i)", "t WHERE EXISTS (SELECT 1 FROM o WHERE o.k = t.k)"), "MAX(T.I)");
  EXPECT_EQ(LabelOf("a.i", "t a WHERE i = (SELECT MAX(m) FROM o WHERE o.k = a.k)"), "A.I");
  for (const char* const alone :
       {"t a WHERE i = (SELECT MAX(m) FROM o)", "t a WHERE EXISTS (SELECT 1 FROM o)",
        "t a WHERE i > ANY (SELECT m FROM o)", "(SELECT i FROM t) a WHERE i IN (SELECT m FROM o)"}) {
    EXPECT_EQ(LabelOf("a.i", alone), "I") << alone;
  }
  EXPECT_EQ(Run("SELECT 1 WHERE 1 IN (SELECT k FROM o)"), "");
}

TEST_F(LabelsTest, KnowTheTypesOfColumnsInGroups) {
  EXPECT_EQ(LabelOf("ROUND(dt, 'hour')", "t GROUP BY ROUND(dt, 'hour')"), "ROUND(DT)");
  EXPECT_EQ(LabelOf("CASE WHEN bo THEN ti ELSE i END", "t GROUP BY CASE WHEN bo THEN ti ELSE i END"),
            "CASE WHEN BO THEN TO_INTEGER(TI) ELSE I END");
}

TEST_F(LabelsTest, LeaveAliasesAlone) {
  EXPECT_EQ(LabelOf("UPPER(s) AS u"), "U");
  EXPECT_EQ(Run("SELECT UPPER(s) u, COUNT(*) FROM t GROUP BY u ORDER BY UPPER(s)"), "");
  EXPECT_EQ(Run("SELECT DISTINCT UPPER(s) FROM t ORDER BY UPPER(s)"), "");
}

}  // namespace
}  // namespace klip::sql
