// Parameters of statements: they work wherever a value may stand, and mean what a literal would.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

Value Int(int64_t value) { return {Type::kInteger, value}; }

class ParametersTest : public SessionFixture {
 protected:
  ParametersTest() : SessionFixture(TempDirectory::Where::kMemory) {
    EXPECT_EQ(Run("CREATE TABLE o (id INTEGER PRIMARY KEY, b INTEGER, s VARCHAR, ia INTEGER ARRAY)"), "0");
    EXPECT_EQ(Run("UPSERT INTO o VALUES (1, 10, 'x', ARRAY[1,2,3])"), "1");
    EXPECT_EQ(Run("UPSERT INTO o VALUES (2, 20, 'y', ARRAY[5])"), "1");
  }

  std::string TypesOf(const std::string& sql) {
    const Expected<std::unique_ptr<Statement>> statement = session_->Prepare(sql);
    EXPECT_TRUE(statement.ok()) << sql << ": " << statement.status().message();
    std::string types;
    for (size_t i = 0; statement.ok() && i < (*statement)->parameters().size(); ++i) {
      types += (i == 0 ? "" : ", ") + ToString((*statement)->parameters()[i]);
    }
    return types;
  }
};

// The row's key has parameters of its own, which must not be confused with those of the assignments.
TEST_F(ParametersTest, OfOnDuplicateKey) {
  const std::string upsert = "UPSERT INTO o (id, b) VALUES (1, 0) ON DUPLICATE KEY UPDATE ";
  EXPECT_EQ(Run(upsert + "b = b + ?", {Int(7)}), "1");
  EXPECT_EQ(Run("SELECT b FROM o WHERE id = 1"), "17\n");
  EXPECT_EQ(Run(upsert + "b = CASE WHEN b < ? THEN b + ? ELSE ? END", {Int(50), Int(60), Int(1)}), "1");
  EXPECT_EQ(Run("SELECT b FROM o WHERE id = 1"), "77\n");
  EXPECT_EQ(Run(upsert + "s = ?, b = ?", {Value::Text("set"), Int(99)}), "1");
  EXPECT_EQ(Run(upsert + "s = UPPER(?)", {Value::Text("q")}), "1");
  EXPECT_EQ(Run(upsert + "s = s || '-' || ?", {Value::Text("y")}), "1");
  EXPECT_EQ(Run("SELECT b, s FROM o WHERE id = 1"), "99|Q-y\n");
  EXPECT_EQ(Run("UPSERT INTO o (id, b) VALUES (?, ?) ON DUPLICATE KEY UPDATE b = b + ?", {Int(2), Int(0), Int(1)}),
            "1");
  EXPECT_EQ(Run("SELECT b FROM o WHERE id = 2"), "21\n");
}

// What the planner drops may have parameters.
TEST_F(ParametersTest, OfConditionsThatAreDropped) {
  const Value text = Value::Text(std::string(50, 'A'));
  EXPECT_EQ(Run("SELECT b FROM o WHERE 1 = 0 AND s = ?", {text}), "");
  EXPECT_EQ(Run("SELECT b FROM o WHERE 1 = 0 AND s = ? AND b = ?", {text, Int(5)}), "");
  EXPECT_EQ(Run("SELECT b FROM o WHERE 'x' IN (CAST(? AS BIGINT), ?)", {Int(1), Value::Text("x")}), "10\n20\n");
  EXPECT_EQ(Run("SELECT id FROM o WHERE (s, b) IN ((?, ?), (?, b))", {Value::Text("x"), Int(10), Value::Text("y")}),
            "1\n2\n");
  EXPECT_EQ(
      Run("SELECT 'dd', b FROM o WHERE EXISTS (SELECT 1 FROM o i WHERE (o.s, ?) < ('xx', i.s))", {Value::Text("a")}),
      "dd|10\n");
}

TEST_F(ParametersTest, OutsideTheRangeOfTheColumn) {
  EXPECT_EQ(Run("CREATE TABLE r (id INTEGER PRIMARY KEY, ti TINYINT, u UNSIGNED_INT, n DECIMAL(5,2), c CHAR(3), v "
                "VARCHAR(3))"),
            "0");
  EXPECT_EQ(Run("UPSERT INTO r VALUES (1, 5, 7, 12.34, 'abc', 'abc')"), "1");
  const auto rows = [&](const std::string& condition, const Value& value) {
    return Run("SELECT id FROM r WHERE " + condition, {value});
  };
  EXPECT_EQ(rows("id < ?", Value::Integer(3'000'000'000)), "1\n");
  EXPECT_EQ(rows("id = ?", Value::Integer(3'000'000'000)), "");
  EXPECT_EQ(rows("id IN (?, 1)", Value::Integer(3'000'000'000)), "1\n");
  EXPECT_EQ(rows("ti < ?", Int(300)), "1\n");
  EXPECT_EQ(rows("ti > ?", Int(-300)), "1\n");
  EXPECT_EQ(rows("u > ?", Int(-1)), "1\n");
  EXPECT_EQ(rows("n < ?", Value::Number(*Decimal::Parse("12345.678"))), "1\n");
  EXPECT_EQ(rows("n > ?", Value::Number(*Decimal::Parse("12.335"))), "1\n");
  EXPECT_EQ(rows("n = ?", Value::Number(*Decimal::Parse("12.341"))), "");
  EXPECT_EQ(rows("v = ?", Value::Text("abcdef")), "");
  EXPECT_EQ(rows("v < ?", Value::Text("abcdef")), "1\n");
  EXPECT_EQ(rows("c = ?", Value::Text("abcd")), "");
  EXPECT_EQ(rows("id = ?", Value::Text("a")).substr(0, 17), "ERROR 203 (22005)");
  EXPECT_EQ(Run("UPSERT INTO r (id, v) VALUES (2, ?)", {Value::Text("abcd")}).substr(0, 17), "ERROR 206 (22003)");
}

TEST_F(ParametersTest, WhereNoColumnTypesThem) {
  const auto one = [&](const std::string& expression, const std::vector<Value>& values) {
    return Run("SELECT " + expression + " FROM o WHERE id = 1", values);
  };
  const Value text = Value::Text("abc");
  EXPECT_EQ(one("SUBSTR('abcdef', ?, ?)", {Int(2), Int(3)}), "bcd\n");
  EXPECT_EQ(one("LPAD(s, ?, ?)", {Int(3), Value::Text("-")}), "--x\n");
  EXPECT_EQ(one("ROUND(1.256, ?)", {Int(1)}), "1.3\n");
  EXPECT_EQ(one("COALESCE(b, ?)", {Int(5)}), "10\n");
  EXPECT_EQ(one("COALESCE(?, ?)", {Value(), Int(5)}), "5\n");
  EXPECT_EQ(one("CASE WHEN b > ? THEN ? ELSE ? END", {Int(1), text, Value::Text("d")}), "abc\n");
  EXPECT_EQ(one("CASE WHEN b > 1 THEN ? ELSE ? END", {Int(7), Int(8)}), "7\n");
  EXPECT_EQ(one("? / ?", {Int(7), Int(2)}), "3\n");
  EXPECT_EQ(one("7 / ?", {Value::Number(*Decimal::Parse("2.0"))}), "3.5\n");
  EXPECT_EQ(one("? || s", {Int(7)}), "7x\n");
  EXPECT_EQ(one("ARRAY_APPEND(ia, ?)", {Int(9)}), "[1, 2, 3, 9]\n");
  EXPECT_EQ(one("ARRAY_PREPEND(?, ia)", {Int(9)}), "[9, 1, 2, 3]\n");
  EXPECT_EQ(one("ARRAY_REMOVE(ia, ?)", {Int(2)}), "[1, 3]\n");
  EXPECT_EQ(one("ARRAY_ELEM(ia, ?)", {Int(3)}), "3\n");
  EXPECT_EQ(one("ARRAY_CAT(ia, ?)", {Value(Type::kInteger, Value::Array{Int(4)})}), "[1, 2, 3, 4]\n");
  EXPECT_EQ(one("ARRAY_FILL(?, ?)", {Int(4), Int(2)}), "[4, 4]\n");
  EXPECT_EQ(one("ia[?]", {Int(2)}), "2\n");
  EXPECT_EQ(one("ARRAY[?, ?]", {text, Value::Text("d")}), "['abc', 'd']\n");
  EXPECT_EQ(one("TO_CHAR(FLOOR(DATE '2020-02-29 17:00:00', 'hour', ?), 'HH')", {Int(5)}), "16\n");
  EXPECT_EQ(one("TO_CHAR(TRUNC(DATE '2020-02-29 17:00:00', ?), 'HH')", {Value::Text("day")}), "00\n");
  EXPECT_EQ(one("? LIKE ?", {text, Value::Text("a%")}), "true\n");
  EXPECT_EQ(one("? IS NULL", {Value()}), "true\n");
  EXPECT_EQ(one("STRING_TO_ARRAY('abc', ?)", {Value()}), "null\n");
  EXPECT_EQ(Run("SELECT PERCENTILE_CONT(?) WITHIN GROUP (ORDER BY b) FROM o", {Value::Number(*Decimal::Parse("0.5"))}),
            "15\n");
  EXPECT_EQ(Run("SELECT NTH_VALUE(b, ?) WITHIN GROUP (ORDER BY id) FROM o", {Int(2)}), "20\n");
  EXPECT_EQ(Run("SELECT LAG(b, ?, ?) OVER (ORDER BY id) FROM o", {Int(1), Int(0)}), "0\n10\n");
  EXPECT_EQ(Run("SELECT id FROM o WHERE (?, ?) < (id, b)", {Int(1), Int(10)}), "2\n");
  EXPECT_EQ(Run("SELECT id FROM o ORDER BY id LIMIT ? OFFSET ?", {Int(1), Int(1)}), "2\n");
}

TEST_F(ParametersTest, OfArrays) {
  EXPECT_EQ(TypesOf("SELECT id FROM o WHERE ? = ANY(ia)"), "INTEGER");
  EXPECT_EQ(TypesOf("SELECT id FROM o WHERE id = ANY(?)"), "INTEGER ARRAY");
  EXPECT_EQ(TypesOf("SELECT ARRAY_APPEND(ia, ?), SUBSTR(s, ?), LPAD(s, ?, ?) FROM o"),
            "INTEGER, BIGINT, INTEGER, VARCHAR");
  EXPECT_EQ(Run("SELECT id FROM o WHERE ? = ANY(ia)", {Int(2)}), "1\n");
  EXPECT_EQ(Run("SELECT id FROM o WHERE ? < ALL(ia)", {Int(3)}), "2\n");
  EXPECT_EQ(Run("SELECT id FROM o WHERE ? <> ALL(ia)", {Value::Integer(3'000'000'000)}), "1\n2\n");
  EXPECT_EQ(Run("SELECT id FROM o WHERE id = ANY(?)", {Value(Type::kInteger, Value::Array{Int(2), Int(7)})}), "2\n");
}

TEST_F(ParametersTest, OfDefinitions) {
  EXPECT_EQ(Run("CREATE TABLE d (k VARCHAR PRIMARY KEY, v INTEGER DEFAULT ?) SPLIT ON (?)", {Int(7), Value::Text("m")}),
            "0");
  EXPECT_EQ(Run("UPSERT INTO d (k) VALUES ('a')"), "1");
  EXPECT_EQ(Run("SELECT v FROM d"), "7\n");
}

// A result ends with the next execution, also when the values need a plan of their own.
TEST_F(ParametersTest, EndTheResultOfTheExecutionBefore) {
  const auto statement = *session_->Prepare("SELECT id FROM o WHERE b < ?");
  const std::vector<Value> fits = {Int(1000)};
  const std::vector<Value> large = {Value::Integer(3'000'000'000)};
  const auto first = *statement->Execute(large);
  ASSERT_TRUE(*first->Next());
  const auto second = *statement->Execute(large);
  EXPECT_EQ(ErrorOf(first->Next().status()).number, 1101);
  const auto third = *statement->Execute(fits);
  EXPECT_EQ(ErrorOf(second->Next().status()).number, 1101);
  EXPECT_EQ(RowsText(third.get()), "1\n2\n");
  EXPECT_EQ(ToString(statement->parameters()[0]), "INTEGER");
}

TEST_F(ParametersTest, OfFloats) {
  EXPECT_EQ(Run("CREATE TABLE f (id INTEGER PRIMARY KEY, f FLOAT, u UNSIGNED_FLOAT)"), "0");
  EXPECT_EQ(Run("UPSERT INTO f VALUES (1, 0.1, 0.1)") + Run("UPSERT INTO f VALUES (2, 0.01, 0.01)"), "11");
  for (const auto& [condition, rows] :
       {std::pair("f = 0.1", "1\n"), std::pair("f IN (0.1, 0.01)", "1\n2\n"),
        std::pair("f BETWEEN 0.01 AND 0.1", "1\n2\n"), std::pair("u <> 0.01", "1\n"), std::pair("f > 0.1", ""),
        std::pair("0.1 >= f", "1\n2\n"), std::pair("f < 1e300", "1\n2\n")}) {
    EXPECT_EQ(Run(std::string("SELECT id FROM f WHERE ") + condition), rows) << condition;
  }
  EXPECT_EQ(Run("SELECT id FROM f WHERE f = ?", {Value::Number(*Decimal::Parse("0.1"))}), "1\n");
  EXPECT_EQ(Run("SELECT id FROM f WHERE f = ?", {Value::Double(0.1)}), "1\n");
}

TEST_F(ParametersTest, OfDerivedTablesOverJoins) {
  EXPECT_EQ(Run("SELECT t1.b FROM (SELECT x.b, y.s FROM o x INNER JOIN o y ON x.id = y.id) t1"), "10\n20\n");
  EXPECT_EQ(Run("SELECT s FROM (SELECT x.b, y.s FROM o x INNER JOIN o y ON x.id = y.id) t1 WHERE b = 20"), "y\n");
}

TEST_F(ParametersTest, OfDynamicColumns) {
  EXPECT_EQ(Run("CREATE TABLE y (k VARCHAR PRIMARY KEY, v INTEGER)"), "0");
  EXPECT_EQ(Run("UPSERT INTO y (d VARCHAR) VALUES (?, ?, ?)", {Value::Text("a"), Int(1), Value::Text("x")}), "1");
  EXPECT_EQ(Run("SELECT k, v, d FROM y (d VARCHAR)"), "a|1|x\n");
  EXPECT_EQ(Run("UPSERT INTO y (d VARCHAR) VALUES ('a')").substr(0, 18), "ERROR 1020 (42Y60)");
}

TEST_F(ParametersTest, OfSplitPointsLongerThanTheFirstColumn) {
  EXPECT_EQ(Run("CREATE TABLE long_points (a CHAR(3) NOT NULL, b CHAR(3) NOT NULL, c INTEGER CONSTRAINT pk PRIMARY KEY "
                "(a, b)) "
                "SPLIT ON ('aaabbb', 'c')"),
            "0");
}

// What killed the process, or gave wrong rows: values where NULL, an array, or another type stands.
TEST_F(ParametersTest, OfNoTypeThatFits) {
  for (const char* const divided : {"LENGTH('')", "CAST(NULL AS BIGINT)", "TO_NUMBER('')", "INSTR('', 'a')"}) {
    EXPECT_EQ(Run(std::string("SELECT b / ") + divided + ", b % " + divided + " FROM o WHERE id = 1"), "null|null\n");
    EXPECT_EQ(Run(std::string("SELECT b FROM o WHERE b / ") + divided + " > 0"), "");
  }
  for (const char* const refused : {"ia LIKE 'p%'", "ARRAY['a'] NOT LIKE 'a'", "'p' ILIKE ia", "DATE '2020-01-01' + ia",
                                    "ARRAY_FILL(1, ia)", "X'01' = ALL(ia)"}) {
    EXPECT_EQ(Run(std::string("SELECT ") + refused + " FROM o").substr(0, 17), "ERROR 203 (22005)") << refused;
  }
  EXPECT_EQ(Run("SELECT CASE WHEN b > 1 THEN 5 ELSE ARRAY[NULL] END FROM o").substr(0, 17), "ERROR 203 (22005)");
  EXPECT_EQ(Run("SELECT ARRAY[1, 2] IN (ARRAY[1.5, 2], ARRAY[1.0E0, 2.0E0]), 1 IN (ARRAY[NULL], 1)"), "true|true\n");
  EXPECT_EQ(Run("SELECT 1 IN ('foo', 2, 1), DATE '2020-01-01' IN (5, DATE '2020-01-01')"), "true|true\n");
  EXPECT_EQ(Run("SELECT id FROM o WHERE 1 IN (SELECT id FROM o)"), "1\n2\n");
  EXPECT_EQ(Run("SELECT id FROM o WHERE (1, 10) IN (SELECT id, b FROM o)"), "1\n2\n");
  EXPECT_EQ(Run("SELECT id FROM o WHERE 3 <> ALL (SELECT id FROM o) AND 1 = ANY (SELECT id FROM o)"), "1\n2\n");
  EXPECT_EQ(Run("DELETE FROM o WHERE 7 IN (SELECT id FROM o)"), "0");
  EXPECT_EQ(Run("SELECT id FROM o WHERE EXISTS (SELECT 1 FROM o i WHERE 5 IN (o.b, i.id))"), "");
  EXPECT_EQ(Run("SELECT id FROM o WHERE EXISTS (SELECT 1 FROM o i WHERE 20 IN (o.b, i.id))"), "2\n");
  EXPECT_EQ(Run("SELECT id FROM o WHERE EXISTS (SELECT 1 FROM o i WHERE (o.id, 'a') < (2, i.s))"), "1\n2\n");
  EXPECT_EQ(Run("SELECT LAG(NULL, 1, 1e10) OVER (ORDER BY id) FROM o"), "1.0E10\nnull\n");
  EXPECT_EQ(Run("SELECT PERCENT_RANK(8.9) WITHIN GROUP (ORDER BY id) FROM o"), "1\n");
}

}  // namespace
}  // namespace klip::sql
