// Random tables and conditions, evaluated in two ways. In WHERE, restrictions on the key become jumps, and conditions on
// cells become filters. In the select list, every row is read. The counts must be equal.
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

struct RandomColumn {
  std::string name;
  std::string type;
  bool nullable = true;
  std::vector<std::string> literals;  // for the rows and the conditions
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
        {"", "INTEGER", false, {"-2", "-1", "0", "1", "2", "3", "255", "256", "2147483647"}},
        {"", "BIGINT", false, {"-2", "-1", "0", "1", "2", "3", "65536", "9223372036854775807"}},
        {"", "TINYINT", false, {"-128", "-1", "0", "1", "127"}},
        {"", "UNSIGNED_INT", false, {"0", "1", "2", "256", "2147483647"}},
        {"", "DECIMAL", true, {"-1.5", "0", "0.25", "1", "1.5", "100", "-100"}},
        {"", "DOUBLE", false, {"-1.5", "0.25", "1.5", "100.0"}},
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
    keys_.push_back({"tail", "INTEGER", false, {"0", "1", "2"}});  // so that a key is never only NULL
    columns += "tail INTEGER NOT NULL, ";
    key += ", tail";
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
    for (int row = 0; row < 150; ++row) {
      std::string values;
      for (const std::vector<RandomColumn>* const list : {&keys_, &cells_}) {
        for (const RandomColumn& column : *list) {
          values += (values.empty() ? "" : ", ") + (column.nullable && Chance(20) ? "NULL" : OneOf(column.literals));
        }
      }
      ASSERT_EQ(Run("UPSERT INTO t VALUES (" + values + ")"), "1") << values;
    }
    if (Chance(40)) {
      Run("CREATE INDEX i ON t (c0)");  // some types cannot be indexed
    }
    if (Chance(50)) {
      ASSERT_TRUE(connection_->admin().Flush("T").ok());
    }
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
    const RandomColumn& column = AnyColumn();
    switch (Pick(8)) {
      case 0:
        return column.name + " IN (" + OneOf(column.literals) + ", " + OneOf(column.literals) + ")";
      case 1:
        return column.name + " BETWEEN " + OneOf(column.literals) + " AND " + OneOf(column.literals);
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
        return "(" + column.name + ", " + other.name + ") " + OneOf(kCompares) + " (" + OneOf(column.literals) + ", " +
               OneOf(other.literals) + ")";
      }
      default:
        break;
    }
    return Chance(15) ? OneOf(column.literals) + " " + OneOf(kCompares) + " " + column.name
                      : column.name + " " + OneOf(kCompares) + " " + OneOf(column.literals);
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

  std::mt19937_64 random_{20'261'125};
  std::vector<RandomColumn> keys_;
  std::vector<RandomColumn> cells_;
  std::string definition_;
};

TEST_F(RandomConditionsTest, CountAlikeInWhereAndInTheSelectList) {
  const char* const wanted = std::getenv("KLIP_SQL_TABLES");
  const int tables = wanted == nullptr ? 30 : std::atoi(wanted);
  for (int table = 0; table < tables; ++table) {
    ASSERT_NO_FATAL_FAILURE(MakeTable());
    for (int question = 0; question < 100; ++question) {
      const std::string condition = Condition(3);
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
    ASSERT_EQ(Run("DROP TABLE t"), "0");
  }
}

}  // namespace
}  // namespace klip::sql
