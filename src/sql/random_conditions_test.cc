// Random tables and conditions, evaluated in two ways. In WHERE, restrictions on the key become jumps, and conditions on
// cells become filters, which indexes on cells and expressions answer. In the select list, every row is read. The counts must be equal.
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "klip/index.h"
#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

// An expression of an index, and what conditions compare it with.
struct RandomExpression {
  std::string text;
  std::vector<std::string> literals;
};

struct RandomColumn {
  std::string name;
  std::string type;
  bool nullable = true;
  std::vector<std::string> literals;     // for the rows and the conditions
  std::vector<std::string> unlike = {};  // for the conditions: fractions, and numbers outside the type's range
};

class RandomConditionsTest : public SessionFixture {
 protected:
  RandomConditionsTest() : SessionFixture(TempDirectory::Where::kMemory) {}

  size_t Pick(size_t below) { return std::uniform_int_distribution<size_t>(0, below - 1)(random_); }
  bool Chance(int percent) { return Pick(100) < static_cast<size_t>(percent); }
  template <typename T>
  const T& OneOf(const std::vector<T>& values) {
    return values[Pick(values.size())];
  }

  RandomColumn MakeColumn(const std::string& name) {
    static const std::vector<RandomColumn> kKinds = {
        {"", "VARCHAR", true, {"'a'", "'ab'", "'abc'", "'b'", "'ba'", "'c'", "'zz'", "'z'"}},
        {"",
         "INTEGER",
         false,
         {"-2", "-1", "0", "1", "2", "3", "255", "256", "2147483647"},
         {"1.5", "2.0", "-0.5", "2.5e0", "3000000000", "-3000000000.5"}},
        {"",
         "BIGINT",
         false,
         {"-2", "-1", "0", "1", "2", "3", "65536", "9223372036854775807"},
         {"2.5", "-0.5", "1e0", "9223372036854775808", "1e30"}},
        {"", "TINYINT", false, {"-128", "-1", "0", "1", "127"}, {"127.5", "-128.5", "1000", "-1000", "0.5"}},
        {"", "UNSIGNED_INT", false, {"0", "1", "2", "256", "2147483647"}, {"-1", "-0.5", "1.5", "3000000000"}},
        {"", "DECIMAL", true, {"-1.5", "0", "0.25", "1", "1.5", "100", "-100"}},
        {"", "DOUBLE", false, {"-1.5", "0.25", "1.5", "100.0", "0e0", "-0e0"}, {"0", "0.0"}},
        {"", "CHAR(3)", false, {"'a'", "'ab'", "'abc'", "'b'", "'ba'"}},
        {"", "DATE", false, {"DATE '2014-06-28'", "DATE '2014-06-29'", "DATE '1969-12-31'"}},
        {"", "TIMESTAMP", false, {"TIMESTAMP '2014-06-28 12:30:00'", "TIMESTAMP '2014-06-28 12:30:01'"}}};
    RandomColumn column = OneOf(kKinds);
    column.name = name;
    return column;
  }

  void MakeTable() {
    keys_.clear();
    cells_.clear();
    std::string columns;
    std::string key;
    const size_t key_columns = 1 + Pick(4);
    for (size_t i = 0; i < key_columns; ++i) {
      RandomColumn column = MakeColumn("k" + std::to_string(i));
      column.nullable = column.nullable && Chance(50);
      columns += column.name + " " + column.type + (column.nullable ? ", " : " NOT NULL, ");
      key += (i == 0 ? "" : ", ") + column.name + (Chance(40) ? " DESC" : "");
      keys_.push_back(std::move(column));
    }
    const RandomColumn tail = {"tail", "INTEGER", false, {"0", "1", "2"}};  // so that a key is never only NULL
    const bool first = Chance(30);  // then NULLs at the end of a key have no bytes
    keys_.insert(first ? keys_.begin() : keys_.end(), tail);
    columns = first ? "tail INTEGER NOT NULL, " + columns : columns + "tail INTEGER NOT NULL, ";
    key = first ? "tail, " + key : key + ", tail";
    for (size_t i = 0; i < 2; ++i) {
      RandomColumn column = MakeColumn("c" + std::to_string(i));
      column.nullable = true;
      columns += column.name + " " + column.type + ", ";
      cells_.push_back(std::move(column));
    }
    columns.resize(columns.size() - 2);
    definition_ = "CREATE TABLE t (" + columns + " CONSTRAINT pk PRIMARY KEY (" + key + "))" +
                  (Chance(30) ? " SALT_BUCKETS=3" : "");
    ASSERT_EQ(Run(definition_), "0");
    ASSERT_NO_FATAL_FAILURE(AddRows(100));
    if (Chance(40)) {
      Run("CREATE INDEX i ON t (c0)");  // some types cannot be indexed
    }
    MakeExpressionIndexes();
    ASSERT_NO_FATAL_FAILURE(AddRows(100));
    Run("DELETE FROM t WHERE tail = 0 AND " + Condition(2));
    if (Chance(50)) {
      ASSERT_TRUE(connection_->admin().Flush("T").ok());
    }
  }

  void AddRows(int rows) {
    for (int row = 0; row < rows; ++row) {
      std::string values;
      for (const std::vector<RandomColumn>* const list : {&keys_, &cells_}) {
        for (const RandomColumn& column : *list) {
          values += (values.empty() ? "" : ", ") + (column.nullable && Chance(20) ? "NULL" : OneOf(column.literals));
        }
      }
      ASSERT_EQ(Run("UPSERT INTO t VALUES (" + values + ")"), "1") << values;
    }
  }

  RandomExpression MakeExpression(const RandomColumn& column) {
    static const std::vector<std::string> kTexts = {"'a'", "'ab'", "'abx'", "'b'", "'none'", "'c'", "'-1'", "'2'"};
    static const std::vector<std::string> kNumbers = {"-1", "0", "1", "2", "3", "0.5", "2014", "127"};
    const std::string& name = column.name;
    if (column.type == "VARCHAR" || column.type == "CHAR(3)") {
      return OneOf<RandomExpression>(
          {{name + " || 'x'", kTexts},
           {"SUBSTR(" + name + ", 2)", kTexts},
           {"CASE WHEN " + name + " IS NULL THEN 'none' ELSE SUBSTR(" + name + ", 1) END", kTexts},
           {name + " || '-' || TO_CHAR(tail)", kTexts},
           {"LENGTH(" + name + ")", kNumbers}});
    }
    if (column.type == "DATE" || column.type == "TIMESTAMP") {
      return OneOf<RandomExpression>({{"YEAR(" + name + ")", kNumbers}, {"TO_CHAR(" + name + ")", kTexts}});
    }
    return OneOf<RandomExpression>({{name + " / 2", kNumbers},
                                    {"COALESCE(" + name + ", 1)", kNumbers},
                                    {"CASE WHEN " + name + " > 0 THEN 'a' ELSE 'b' END", kTexts},
                                    {"CASE WHEN " + name + " > tail THEN tail END", kNumbers}});
  }

  // On up to two expressions, perhaps partial, some of them descending.
  void MakeExpressionIndexes() {
    expressions_.clear();
    indexes_.clear();
    for (const std::string index : {"x", "y"}) {
      std::string fields;
      for (size_t i = 0; i <= Pick(2); ++i) {
        const RandomExpression& expression = expressions_.emplace_back(MakeExpression(AnyColumn()));
        fields += (i == 0 ? "" : ", ") + expression.text;
      }
      const std::string where = Chance(50) ? " WHERE " + Condition(1) : "";
      const std::string made =
          Run("CREATE INDEX " + index + " ON t (" + fields + (Chance(20) ? " DESC" : "") + ")" + where);
      if (made == "0") {
        indexes_.push_back(index == "x" ? "X" : "Y");
        definition_ += "\n" + index + " ON (" + fields + ")" + where;
        partial_ = where.empty() ? partial_ : where.substr(7);
      }
    }
  }

  void CheckIndexes() {
    for (const std::string& index : indexes_) {
      const Expected<IndexCheck> check = (*connection_->admin().indexes())->VerifyIndex("T", index);
      ASSERT_TRUE(check.ok()) << check.status().ToString();
      ASSERT_TRUE(check->ok() && check->stale == 0) << definition_ << "\n" << index;
    }
  }

  const std::string& Compared(const RandomColumn& column) {
    return OneOf(column.unlike.empty() || Chance(75) ? column.literals : column.unlike);
  }

  const RandomColumn& AnyColumn() { return Chance(75) ? OneOf(keys_) : OneOf(cells_); }

  std::string Condition(int depth) {
    if (depth > 0 && Chance(55)) {
      const std::string a = Condition(depth - 1);
      if (Chance(15)) {
        return "NOT (" + a + ")";
      }
      return "(" + a + (Chance(60) ? " AND " : " OR ") + Condition(depth - 1) + ")";
    }
    static const std::vector<std::string> kCompares = {"=", "<", "<=", ">", ">=", "!="};
    if (!expressions_.empty() && Chance(40)) {
      const RandomExpression& expression = OneOf(expressions_);
      return Chance(20)
                 ? expression.text + " IN (" + OneOf(expression.literals) + ", " + OneOf(expression.literals) + ")"
             : Chance(20) ? "(" + expression.text + (Chance(50) ? ") IS NULL" : ") IS NOT NULL")
                          : expression.text + " " + OneOf(kCompares) + " " + OneOf(expression.literals);
    }
    const RandomColumn& column = AnyColumn();
    switch (Pick(8)) {
      case 0:
        return column.name + " IN (" + Compared(column) + ", " + Compared(column) + ")";
      case 1:
        return column.name + " BETWEEN " + Compared(column) + " AND " + Compared(column);
      case 2:
        return column.name + (Chance(50) ? " IS NULL" : " IS NOT NULL");
      case 3:
        if (column.type == "VARCHAR" || column.type == "CHAR(3)") {
          return column.name +
                 OneOf<std::string>({" LIKE 'a%'", " LIKE 'ab_'", " NOT LIKE 'b%'", " LIKE '%'", " LIKE 'a'"});
        }
        break;
      case 4: {
        const RandomColumn& other = OneOf(keys_);
        return "(" + column.name + ", " + other.name + ") " + OneOf(kCompares) + " (" +
               (Chance(10) ? "NULL" : Compared(column)) + ", " + (Chance(20) ? "NULL" : Compared(other)) + ")";
      }
      default:
        break;
    }
    return Chance(15) ? Compared(column) + " " + OneOf(kCompares) + " " + column.name
                      : column.name + " " + OneOf(kCompares) + " " + Compared(column);
  }

  std::string Run(const std::string& sql) {
    const Expected<std::unique_ptr<Rows>> rows = session_->Execute(sql, {});
    if (!rows.ok()) {
      return rows.status().message();
    }
    if ((*rows)->updated() >= 0) {
      return std::to_string((*rows)->updated());
    }
    const Expected<bool> more = (*rows)->Next();
    return !more.ok() ? more.status().message() : *more ? (*rows)->value(0).ToString() : "no row";
  }

  bool UsesExpressionIndex(const std::string& condition) {
    const std::string plan = SessionFixture::Run("EXPLAIN SELECT * FROM t WHERE " + condition);
    return plan.find("index X") != std::string::npos || plan.find("index Y") != std::string::npos;
  }

  std::mt19937_64 random_{20'261'125};
  std::vector<RandomColumn> keys_;
  std::vector<RandomColumn> cells_;
  std::string definition_;
  std::vector<RandomExpression> expressions_;  // of the indexes
  std::vector<std::string> indexes_;           // on expressions
  std::string partial_;                        // the condition of one of them
  int by_index_ = 0;                           // questions that one of them answered
};

TEST_F(RandomConditionsTest, CountAlikeInWhereAndInTheSelectList) {
  const char* const wanted = std::getenv("KLIP_SQL_TABLES");
  const int tables = wanted == nullptr ? 30 : std::atoi(wanted);
  for (int table = 0; table < tables; ++table) {
    ASSERT_NO_FATAL_FAILURE(MakeTable());
    for (int question = 0; question < 100; ++question) {
      const std::string condition = Condition(3) + (!partial_.empty() && Chance(30) ? " AND " + partial_ : "");
      by_index_ += UsesExpressionIndex(condition) ? 1 : 0;
      const std::string counted = Run("SELECT COUNT(*) FROM t WHERE " + condition);
      const std::string summed = Run("SELECT SUM(CASE WHEN " + condition + " THEN 1 ELSE 0 END) FROM t");
      ASSERT_EQ(counted, summed) << definition_ << "\n" << condition;
      ASSERT_FALSE(counted.starts_with("ERROR")) << definition_ << "\n" << condition << "\n" << counted;
    }
    // The same for distinct values of the first columns, to which a scan jumps; CASE hides them.
    std::string columns;
    std::string hidden;
    for (const RandomColumn& key : keys_) {
      columns += (columns.empty() ? "" : ", ") + key.name;
      hidden += (hidden.empty() ? "" : ", ") + ("CASE WHEN tail >= 0 THEN " + key.name + " END");
      ASSERT_EQ(Run("SELECT COUNT(*) FROM (SELECT DISTINCT " + columns + " FROM t) AS q"),
                Run("SELECT COUNT(*) FROM (SELECT DISTINCT " + hidden + " FROM t) AS q"))
          << definition_ << "\n"
          << columns;
    }
    ASSERT_NO_FATAL_FAILURE(CheckIndexes());
    partial_.clear();
    expressions_.clear();
    ASSERT_EQ(Run("DROP TABLE t"), "0");
  }
  EXPECT_GT(by_index_, tables);
}

}  // namespace
}  // namespace klip::sql
