// What programs see of statements as in Phoenix. tests/sql has their answers.
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

// It fails for all rows alike.
TEST_F(PhoenixDetailsTest, WhereRefusesBadParameters) {
  EXPECT_EQ(Run("SELECT v FROM t WHERE TO_NUMBER(?) > v", {Value::Text("x")}).substr(0, 18), "ERROR 201 (22000):");
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

TEST_F(PhoenixDetailsTest, BindsAParameterOfAnAggregateInHaving) {
  const auto sum = *session_->Prepare("SELECT SUM(v + ?) FROM t HAVING SUM(v + ?) > 1");
  EXPECT_EQ(sum->columns()[0].label.substr(0, 4), "SUM(");
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

}  // namespace
}  // namespace klip::sql
