// Every function and operator with operands of every type. Each combination runs with columns, with literals and with parameters: it gives
// an answer or an error with a number, and the same one in all three forms.
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"
#include "sql/types/functions.h"

namespace klip::sql {
namespace {

struct Operand {
  std::string literal;
  std::string column;
  Value value;
  bool padded = false;  // a CHAR or BINARY: a parameter has no length
};

// An expression with the operands $0, $1, $2.
struct Template {
  std::string text;
  size_t operands = 0;
  bool differs = false;  // from one execution to the next, or for what is not constant
};

class TotalityTest : public SessionFixture {
 protected:
  TotalityTest() : SessionFixture(TempDirectory::Where::kMemory) {
    MakeOperands();
    MakeTemplates();
  }

  void MakeOperands() {
    static const std::pair<const char*, const char*> kTypes[] = {
        {"TINYINT", "7"},
        {"SMALLINT", "300"},
        {"INTEGER", "3"},
        {"BIGINT", "-5"},
        {"UNSIGNED_TINYINT", "2"},
        {"UNSIGNED_SMALLINT", "0"},
        {"UNSIGNED_INT", "70000"},
        {"UNSIGNED_LONG", "9223372036854775807"},
        {"FLOAT", "0.1"},
        {"DOUBLE", "-2.5"},
        {"UNSIGNED_FLOAT", "1.5"},
        {"UNSIGNED_DOUBLE", "1e300"},
        {"DECIMAL", "12.25"},
        {"BOOLEAN", "TRUE"},
        {"CHAR(5)", "'ab'"},
        {"VARCHAR", "'a%b'"},
        {"BINARY(5)", "X'0102'"},
        {"VARBINARY", "X'0A7F'"},
        {"DATE", "DATE '2020-02-29'"},
        {"TIME", "TIME '2020-02-29 10:00:00'"},
        {"TIMESTAMP", "TIMESTAMP '1969-12-31 23:59:59.999'"},
        {"UNSIGNED_DATE", "DATE '2021-01-01'"},
        {"UNSIGNED_TIME", "TIME '2021-01-01 01:02:03'"},
        {"UNSIGNED_TIMESTAMP", "TIMESTAMP '2021-01-01 01:02:03'"}};
    std::string create = "CREATE TABLE t (id INTEGER PRIMARY KEY";
    std::string names;
    std::string values;
    size_t i = 0;
    for (const auto& [type, value] : kTypes) {
      const std::string n = std::to_string(i++);
      const std::string literal = std::string("CAST(") + value + " AS " + type + ")";
      create += ", c" + n + " " + type + ", n" + n + " " + type + ", a" + n + " " + type + " ARRAY";
      names += ", c" + n + ", a" + n;
      values += std::string(", ") + value + ", ARRAY[" + value + "," + value + "]";
      operands_.push_back({literal, "o.c" + n, ValueOf(literal), type[0] == 'C' || type == std::string("BINARY(5)")});
      operands_.push_back({std::string("CAST(NULL AS ") + type + ")", "o.n" + n, Value()});
      const std::string array = "ARRAY[" + literal + "," + literal + "]";
      operands_.push_back({array, "o.a" + n, ValueOf(array), operands_[operands_.size() - 2].padded});
    }
    ASSERT_EQ(Run(create + ")"), "0");
    ASSERT_EQ(Run("UPSERT INTO t (id" + names + ") VALUES (1" + values + ")"), "1");
    ASSERT_EQ(Run("UPSERT INTO t (id) VALUES (2)"), "1");
    for (const char* const literal : {"NULL", "-1", "0", "1", "2", "9223372036854775807", "1e10", "0.5", "'1'", "'day'",
                                      "''", "ARRAY[NULL]", "TRUE", "'HEX'", "'UTC'"}) {
      operands_.push_back({literal, literal, ValueOf(literal)});
    }
  }

  void MakeTemplates() {
    for (const FunctionShape& function : AllFunctions()) {
      std::string call = std::string(function.name) + "(";
      for (size_t count = 0; count <= std::min<size_t>(function.most, 3); ++count) {
        call += count == 0 ? "" : (count == 1 ? "$" : ", $") + std::to_string(count - 1);
        if (count >= function.required) {
          const bool differs =
              function.name == "RAND" || function.name == "NOW" || function.name.starts_with("CURRENT");
          templates_.push_back({call + ")", count, differs});
        }
      }
    }
    for (const char* const text : {"-($0)",
                                   "NOT $0",
                                   "$0 IS NULL",
                                   "$0 + $1",
                                   "$0 - $1",
                                   "$0 * $1",
                                   "$0 / $1",
                                   "$0 % $1",
                                   "$0 || $1",
                                   "$0 = $1",
                                   "$0 <> $1",
                                   "$0 < $1",
                                   "$0 >= $1",
                                   "$0 LIKE $1",
                                   "$0 NOT ILIKE $1",
                                   "$0 BETWEEN $1 AND $2",
                                   "$0 IN ($1, $2)",
                                   "$0 NOT IN ($1, $2)",
                                   "$0 = ANY($1)",
                                   "$0 <> ALL($1)",
                                   "$0 < ANY($1)",
                                   "CASE WHEN $0 THEN $1 ELSE $2 END",
                                   "CASE $0 WHEN $1 THEN $2 END",
                                   "$0 AND $1",
                                   "$0 OR $1",
                                   "ARRAY[$0, $1]",
                                   "($0, $1) < ($2, $0)",
                                   "($0, $1) = ($1, $2)",
                                   "($0, $1) IN (($1, $2), ($2, $0))",
                                   "$0 IN (SELECT $1 FROM t)",
                                   "$0 NOT IN (SELECT $1 FROM t i)",
                                   "$0 = ANY (SELECT $1 FROM t i)",
                                   "$0 <> ALL (SELECT $1 FROM t i)",
                                   "$0 < ALL (SELECT $1 FROM t i)",
                                   "($0, $1) IN (SELECT $1, $2 FROM t i)",
                                   "(SELECT MAX($0) FROM t i)",
                                   "EXISTS (SELECT 1 FROM t i WHERE $0 = $1)",
                                   "EXISTS (SELECT 1 FROM t i WHERE ($0, i.id) < ($1, $2))",
                                   "EXISTS (SELECT 1 FROM t i WHERE $0 IN ($1, i.id))",
                                   "EXISTS (SELECT 1 FROM t i WHERE i.id = $0 AND $1 = $2)",
                                   "COUNT($0)",
                                   "COUNT(DISTINCT $0)",
                                   "SUM($0)",
                                   "AVG($0)",
                                   "MIN($0)",
                                   "MAX($0)",
                                   "STDDEV_POP($0)",
                                   "FIRST_VALUE($0) WITHIN GROUP (ORDER BY $1)",
                                   "NTH_VALUE($0, 1) WITHIN GROUP (ORDER BY $1)",
                                   "PERCENT_RANK($0) WITHIN GROUP (ORDER BY $1)",
                                   "LAG($0, $1, $2) OVER (ORDER BY o.id)",
                                   "LEAD($0) OVER (PARTITION BY $1 ORDER BY $2)",
                                   "SUM($0) OVER (ORDER BY $1)",
                                   "NTH_VALUE($0, $1) OVER (ORDER BY o.id)",
                                   "MAX($0) OVER (ORDER BY o.id)"}) {
      const std::string template_text = text;
      templates_.push_back({template_text, 1 + static_cast<size_t>(template_text.find("$1") != std::string::npos) +
                                               static_cast<size_t>(template_text.find("$2") != std::string::npos)});
    }
    for (const char* const text :
         {"PERCENTILE_CONT($0) WITHIN GROUP (ORDER BY $1)", "PERCENTILE_DISC($0) WITHIN GROUP (ORDER BY $1)",
          "NTH_VALUE($0, $1) WITHIN GROUP (ORDER BY $1)", "FIRST_VALUES($0, $1) WITHIN GROUP (ORDER BY $0)",
          "NTILE($0) OVER (ORDER BY $1)"}) {
      templates_.push_back({text, 2, /*differs=*/true});
    }
    for (const char* const type :
         {"TINYINT", "BIGINT", "UNSIGNED_INT", "FLOAT", "DOUBLE", "DECIMAL(4,1)", "BOOLEAN", "CHAR(3)", "VARCHAR",
          "BINARY(3)", "VARBINARY", "DATE", "TIME", "TIMESTAMP", "UNSIGNED_DATE", "INTEGER ARRAY", "VARCHAR ARRAY"}) {
      templates_.push_back({std::string("CAST($0 AS ") + type + ")", 1});
    }
  }

  Value ValueOf(const std::string& literal) {
    const Expected<std::unique_ptr<Rows>> rows = session_->Execute("SELECT " + literal);
    EXPECT_TRUE(rows.ok()) << literal << ": " << rows.status().message();
    return rows.ok() && (*rows)->Next().ok() ? (*rows)->value(0) : Value();
  }

  size_t Pick(size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random_); }

  // The expression with `put` in place of each operand.
  template <typename F>
  static std::string Fill(const std::string& text, const F& put) {
    std::string out;
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '$') {
        out += put(static_cast<size_t>(text[++i] - '0'));
      } else {
        out += text[i];
      }
    }
    return out;
  }

  // The answer, or "error". Each error has a number, or says that klip does not support something.
  std::string Answer(const std::string& sql, const std::vector<Value>& values = {}) {
    ++statements_;
    const auto failed = [&](const Status& status) {
      EXPECT_TRUE(ErrorOf(status).number != 0 || status.code() == Code::kUnsupported)
          << sql << ": " << status.message();
      return "error: " + status.message();
    };
    const Expected<std::unique_ptr<Rows>> rows = session_->Execute(sql, values);
    if (!rows.ok()) {
      return failed(rows.status());
    }
    const Expected<bool> more = (*rows)->Next();
    if (!more.ok()) {
      return failed(more.status());
    }
    return *more ? (*rows)->value(0).ToString() : "no row";
  }

  // Where NULL decides the answer, or a value is not needed, the other operands need not be right: only those of literals are checked.
  static bool IsSame(const Template& of, const std::string& a, const std::string& b) {
    const auto failed = [](const std::string& answer) { return answer.starts_with("error"); };
    const bool lazy = of.text.starts_with("COALESCE") || of.text.starts_with("CASE");
    const bool null = a == "null" || b == "null";
    const bool pads = of.text.starts_with("LPAD") || of.text.starts_with("ARRAY_FILL") ||
                      of.text.starts_with("STRING_TO_ARRAY");  // also a column that is NULL, but not the word
    // A BIGINT literal may be an INTEGER, and a value that is not needed may be too large.
    const auto by_value = [](const std::string& answer) {
      return answer.find("but was: BIGINT") < answer.size() || answer.find("ERROR 206") < answer.size();
    };
    return failed(a) == failed(b) ? failed(a) || a == b || (pads && null) : lazy || null || by_value(a) || by_value(b);
  }

  void Check(const Template& of, const std::vector<size_t>& chosen) {
    const auto operand = [&](size_t i) -> const Operand& { return operands_[chosen[i]]; };
    const std::string by_column = Fill(of.text, [&](size_t i) { return operand(i).column; });
    const std::string by_literal = Fill(of.text, [&](size_t i) { return operand(i).literal; });
    std::vector<Value> values;
    bool padded = of.differs;   // or a NULL whose type the parameter does not have
    bool null_in_list = false;  // the word NULL does not count there
    const std::string by_parameter = Fill(of.text, [&](size_t i) {
      values.push_back(operand(i).value);
      null_in_list = null_in_list || (operand(i).literal == "NULL" && of.text.find(" IN (") < of.text.size());
      padded = padded || operand(i).padded || (operand(i).value.is_null() && operand(i).literal != "NULL");
      return "?";
    });
    const std::string from = " FROM t o WHERE o.id = 1";
    const std::string column = Answer("SELECT " + by_column + from);
    const std::string literal = Answer("SELECT " + by_literal + from);
    const std::string parameter = Answer("SELECT " + by_parameter + from, values);
    bool cut = false;  // a literal BINARY, and an array of CHAR, have no padding
    for (size_t i = 0; i < of.operands; ++i) {
      const std::string& text = operand(i).literal;
      cut = cut || (operand(i).padded && (text.starts_with("ARRAY") || text.ends_with("BINARY(5))")));
    }
    if (!of.differs && !cut && !null_in_list && !IsSame(of, column, literal)) {
      Differs("column and literal", by_column + " = " + column, by_literal + " = " + literal);
    }
    if (!padded && !null_in_list && !IsSame(of, literal, parameter)) {
      Differs("literal and parameter", by_literal + " = " + literal, by_parameter + " = " + parameter);
    }
    Elsewhere(by_column, by_literal);
  }

  // In other clauses and statements.
  void Elsewhere(const std::string& by_column, const std::string& by_literal) {
    switch (Pick(12)) {
      case 0:
        (void)Answer("SELECT o.id FROM t o WHERE " + by_column);
        return;
      case 1:
        (void)Answer("SELECT o.id FROM t o WHERE (" + by_column + ") IS NULL ORDER BY " + by_literal);
        return;
      case 2:
        (void)Answer("SELECT COUNT(*) FROM t o GROUP BY " + by_column);
        return;
      case 3:
        (void)Answer("SELECT DISTINCT " + by_column + " FROM t o ORDER BY " + by_column);
        return;
      case 4:
        (void)Answer("SELECT RANK() OVER (PARTITION BY " + by_literal + " ORDER BY " + by_column + ") FROM t o");
        return;
      case 5:
        (void)Answer("SELECT o.id FROM t o WHERE EXISTS (SELECT 1 FROM t i WHERE i.id = o.id AND " + by_column + " = " +
                     by_literal + ")");
        return;
      case 6:
        (void)Answer("EXPLAIN SELECT o.id FROM t o WHERE o.id = " + by_literal);
        return;
      case 7:
        if (Answer("CREATE TABLE d (id INTEGER PRIMARY KEY, v VARCHAR DEFAULT " + by_literal + ")") == "no row") {
          (void)Answer("UPSERT INTO d (id) VALUES (1)");
          (void)Answer("DROP TABLE d");
        }
        return;
      case 8:
        (void)Answer("CREATE VIEW v AS SELECT * FROM t WHERE " + by_literal);
        (void)Answer("SELECT COUNT(*) FROM v");
        (void)Answer("DROP VIEW IF EXISTS v");
        return;
      case 9:
        (void)Answer("UPDATE t SET n15 = " + by_literal + " WHERE id = 3");
        return;
      case 10:
        (void)Answer("UPSERT INTO t (id, n15) SELECT 2 + o.id, " + by_column + " FROM t o WHERE o.id > 5");
        return;
      default:
        (void)Answer("SELECT o.id FROM t o LEFT JOIN t p ON " + by_column + " = p.c2 WHERE " + by_literal + " IS NULL");
    }
  }

  void Differs(const std::string& forms, const std::string& a, const std::string& b) {
    constexpr int kMostShown = 60;
    if (++differing_ <= kMostShown) {
      ADD_FAILURE() << forms << " differ:\n  " << a << "\n  " << b;
    }
  }

  std::mt19937_64 random_{20'261'129};
  std::vector<Operand> operands_;
  std::vector<Template> templates_;
  int64_t statements_ = 0;
  int differing_ = 0;
};

TEST_F(TotalityTest, AnswersOrRefusesEveryTypeEverywhere) {
  const char* const wanted =
      std::getenv("KLIP_SQL_TYPES");  // rounds of all combinations of an operator, a place and an operand
  const int rounds = wanted == nullptr ? 1 : std::atoi(wanted);
  const size_t step = wanted == nullptr ? 17 : 1;
  size_t at = 0;
  for (int round = 0; round < rounds; ++round) {
    for (const Template& of : templates_) {
      for (size_t place = 0; place < std::max<size_t>(of.operands, 1); ++place) {
        for (size_t i = 0; i < operands_.size(); ++i) {
          if (++at % step != 0) {
            continue;
          }
          std::vector<size_t> chosen = {Pick(operands_.size()), Pick(operands_.size()), Pick(operands_.size())};
          chosen[place] = i;
          Check(of, chosen);
        }
      }
    }
  }
  EXPECT_EQ(differing_, 0);
  EXPECT_GT(statements_, 1000);
}

}  // namespace
}  // namespace klip::sql
