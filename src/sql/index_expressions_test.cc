// Indexes on expressions, and partial indexes with any condition: which queries use them, and who maintains them. Random ones are in
// random_conditions_test.cc.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "klip/index.h"
#include "sql/session_fixture_test.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

class IndexExpressionsTest : public SessionFixture {
 protected:
  IndexExpressionsTest() : SessionFixture(TempDirectory::Where::kMemory) {}

  void MakePeople() {
    ASSERT_EQ(Run("CREATE TABLE p (id INTEGER PRIMARY KEY, n INTEGER, name VARCHAR, city VARCHAR, day DATE)"), "0");
    for (int i = 0; i < 600; ++i) {
      const std::string id = std::to_string(i);
      ASSERT_EQ(Run("UPSERT INTO p VALUES (" + id + ", " + (i % 10 == 0 ? "NULL" : id) + ", 'name" + id + "', 'c" +
                    std::to_string(i % 7) + "', DATE '2014-06-" + std::to_string(10 + i % 20) + "')"),
                "1");
    }
  }

  std::string Plan(const std::string& query) { return Run("EXPLAIN " + query); }
  bool Uses(const std::string& index, const std::string& query) {
    const std::string plan = Plan(query);
    return plan.find("    index " + index + ":") != std::string::npos ||
           plan.find("    index " + index + " alone:") != std::string::npos ||
           plan.find("IN THE ORDER OF INDEX " + index) != std::string::npos;
  }

  // Each query gives the same after the index was created, and uses it.
  void Compare(const std::string& create, const std::string& index, const std::vector<std::string>& by_index,
               const std::vector<std::string>& others) {
    std::vector<std::string> answers;
    for (const std::vector<std::string>* const list : {&by_index, &others}) {
      for (const std::string& query : *list) {
        answers.push_back(Run(query));
        ASSERT_EQ(answers.back().find("ERROR"), std::string::npos) << query << answers.back();
      }
    }
    ASSERT_EQ(Run(create), "0");
    ASSERT_TRUE(connection_->admin().Flush("P").ok());
    size_t next = 0;
    for (const std::vector<std::string>* const list : {&by_index, &others}) {
      for (const std::string& query : *list) {
        EXPECT_EQ(Run(query), answers[next++]) << query;
        EXPECT_EQ(Uses(index, query), list == &by_index) << query << "\n" << Plan(query);
      }
    }
  }

  void ExpectComplete(const std::string& table, const std::string& index) {
    const Expected<IndexCheck> check = (*connection_->admin().indexes())->VerifyIndex(table, index);
    ASSERT_TRUE(check.ok()) << check.status().ToString();
    EXPECT_TRUE(check->ok() && check->stale == 0) << index;
    EXPECT_GT(check->entries, 0) << index;
  }
};

TEST_F(IndexExpressionsTest, AnswerConditionsOnTheirExpressions) {
  MakePeople();
  const std::string select = "SELECT id, name FROM p WHERE ";
  Compare("CREATE INDEX twice ON p (n * 2)", "TWICE",
          {select + "n * 2 = 246", select + "246 = n * 2", select + "P.n * 2 IN (4, 6, 7, 1198)",
           select + "n * 2 > 1180 AND n * 2 <= 1190", select + "n * 2 BETWEEN 30 AND 33",
           select + "n * 2 = 246 OR n * 2 = 248", "SELECT q.id FROM p AS q WHERE q.n * 2 = 246 AND q.city > 'c'"},
          {select + "n * 3 = 369", select + "n * 2 <> 246 AND id < 3", select + "n * 2 IS NULL", select + "2 * n = 246",
           select + "NOT n * 2 = 246"});
  Compare("CREATE INDEX place ON p (SUBSTR(name, 1, 5) || '-' || city, TO_CHAR(day))", "PLACE",
          {select + "SUBSTR(name, 1, 5) || '-' || city = 'name7-c0' AND TO_CHAR(day) > '2014'",
           select + "SUBSTR(name, 1, 5) || '-' || city LIKE 'name7-%' AND TO_CHAR(day) >= '2014-06-12'",
           select + "TO_CHAR(day) = '2014-06-12 00:00:00.000'"},
          {select + "SUBSTR(name, 1, 4) = 'name' AND id = 9"});
}

TEST_F(IndexExpressionsTest, GiveTheOrder) {
  MakePeople();
  Compare("CREATE INDEX twice ON p (n * 2)", "TWICE",
          {"SELECT n FROM p WHERE n * 2 > 20 ORDER BY n * 2 LIMIT 5",
           "SELECT n FROM p WHERE n * 2 < 900 ORDER BY n * 2 DESC LIMIT 3 OFFSET 2",
           "SELECT n FROM p WHERE (n * 2) IS NOT NULL ORDER BY n * 2 LIMIT 5"},
          {"SELECT n FROM p ORDER BY n * 2 LIMIT 5", "SELECT n FROM p WHERE city = 'c1' ORDER BY n * 2 LIMIT 5"});
}

TEST_F(IndexExpressionsTest, OfKeysAndMissingValues) {
  ASSERT_EQ(Run("CREATE TABLE t (a INTEGER NOT NULL, b VARCHAR NOT NULL, v VARCHAR, f.w DOUBLE "
                "CONSTRAINT pk PRIMARY KEY (a, b DESC)) SALT_BUCKETS=3"),
            "0");
  ASSERT_EQ(Run("CREATE INDEX both ON t (b || COALESCE(v, '-'), a + 1) INCLUDE (f.w)"), "0");
  ASSERT_EQ(Run("CREATE INDEX w ON t (COALESCE(w, 0))"), "0");
  for (int i = 0; i < 200; ++i) {
    ASSERT_EQ(Run("UPSERT INTO t VALUES (" + std::to_string(i) + ", 'b" + std::to_string(i % 5) + "', " +
                  (i % 3 == 0 ? "NULL" : "'v'") + ", " + (i % 2 == 0 ? "NULL" : "-0.0") + ")"),
              "1");
  }
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t WHERE b || COALESCE(v, '-') = 'b1-' AND a + 1 > 0"), "13\n");
  EXPECT_TRUE(Uses("BOTH", "SELECT w FROM t WHERE b || COALESCE(v, '-') = 'b1-' AND a + 1 = 7"))
      << Plan("SELECT w FROM t WHERE b || COALESCE(v, '-') = 'b1-' AND a + 1 = 7");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t WHERE COALESCE(w, 0) = 0"), "200\n");
  ASSERT_EQ(Run("DELETE FROM t WHERE b || COALESCE(v, '-') = 'b1-' AND a + 1 > 100"), "6");
  ASSERT_EQ(Run("UPSERT INTO t (a, b, v) VALUES (6, 'b1', 'v')"), "1");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t WHERE b || COALESCE(v, '-') = 'b1-' AND a + 1 > 0"), "6\n");
  ExpectComplete("T", "BOTH");
  ExpectComplete("T", "W");
}

// Any writer: here a put of HBase's kind, of single cells, without SQL.
TEST_F(IndexExpressionsTest, AreMaintainedForAllWriters) {
  MakePeople();
  ASSERT_EQ(Run("CREATE INDEX twice ON p (n * 2) INCLUDE (name)"), "0");
  std::string key;
  std::string number;
  EncodeValue(Value(Type::kInteger, int64_t{17}), {.type = Type::kInteger}, &key);
  EncodeValue(Value(Type::kInteger, int64_t{1'000}), {.type = Type::kInteger}, &number);
  std::unique_ptr<Table> table = *connection_->GetTable("P");
  ASSERT_TRUE(table->Put(Put{.row = key}.Add("0", "N", number)).ok());
  EXPECT_EQ(Run("SELECT name FROM p WHERE n * 2 = 2000"), "name17\n");
  EXPECT_EQ(Run("SELECT name FROM p WHERE n * 2 = 34"), "");
  ASSERT_TRUE(table->Delete({.row = key}).ok());
  EXPECT_EQ(Run("SELECT name FROM p WHERE n * 2 = 2000"), "");
  const Status bad = table->Put(Put{.row = key}.Add("0", "N", "two"));
  EXPECT_EQ(bad.code(), Code::kInvalidArgument);
  EXPECT_NE(bad.message().find("index 'TWICE'"), std::string::npos) << bad.message();
  ExpectComplete("P", "TWICE");
  table.reset();
  session_.reset();
  connection_.reset();
  connection_ = *Connection::Open("klip:" + directory_.path(), {.sync_wal = false});
  table = *connection_->GetTable("P");
  ASSERT_TRUE(table->Put(Put{.row = key}.Add("0", "N", number).Add("0", "_0", "x")).ok());
  ExpectComplete("P", "TWICE");
  session_ = *Session::Open(connection_.get());
  EXPECT_EQ(Run("SELECT id FROM p WHERE n * 2 = 2000"), "17\n");
}

// A value that SQL cannot compute is refused, as a value of another type is.
TEST_F(IndexExpressionsTest, RefuseRowsThatTheyCannotCompute) {
  ASSERT_EQ(Run("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER)"), "0");
  ASSERT_EQ(Run("CREATE INDEX inverse ON t (100 / n)"), "0");
  ASSERT_EQ(Run("UPSERT INTO t VALUES (1, 5)"), "1");
  EXPECT_NE(Run("UPSERT INTO t VALUES (1, 0)").find("Divide by zero"), std::string::npos);
  EXPECT_EQ(Run("SELECT n FROM t WHERE 100 / n = 20"), "5\n");
  ASSERT_EQ(Run("DROP INDEX inverse ON t"), "0");
  ASSERT_EQ(Run("UPSERT INTO t VALUES (1, 0)"), "1");
  EXPECT_NE(Run("CREATE INDEX inverse ON t (100 / n)").find("Divide by zero"), std::string::npos);
  EXPECT_EQ((*connection_->admin().indexes())->ListIndexes("T")->size(), 0U);
}

// Fields end at a zero byte.
TEST_F(IndexExpressionsTest, RefuseValuesThatTheyCannotSort) {
  ASSERT_EQ(Run("CREATE TABLE t (id VARCHAR PRIMARY KEY, s VARCHAR)"), "0");
  ASSERT_EQ(Run("CREATE INDEX i ON t (s || '!')"), "0");
  const std::unique_ptr<Table> table = *connection_->GetTable("T");
  const Put bad = Put{.row = "r"}.Add("0", "S", std::string("a\0b", 3));
  EXPECT_EQ(table->Put(bad).code(), Code::kInvalidArgument);
  ASSERT_EQ(Run("DROP INDEX i ON t"), "0");
  ASSERT_TRUE(table->Put(bad).ok());
  IndexAdmin* const indexes = *connection_->admin().indexes();
  for (const std::string declaration : {"sql('s || ''!''') text", "sql('LENGTH(s)') u64"}) {
    const IndexDescriptor index =
        *IndexDescriptor::Parse("i", declaration + " FOR 'CREATE TABLE t (id VARCHAR PRIMARY KEY, s VARCHAR)'");
    EXPECT_EQ(indexes->CreateIndex("T", index).code(), Code::kInvalidArgument) << declaration;
  }
  EXPECT_EQ(indexes->ListIndexes("T")->size(), 0U);
}

TEST_F(IndexExpressionsTest, RefuseWhatIsNotAFunctionOfTheRow) {
  ASSERT_EQ(Run("CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, c CHAR(3), b VARBINARY)"), "0");
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"(NOW())", "ERROR 521 (42898)"},
      {"(RAND())", "ERROR 521 (42898)"},
      {"(RAND(5) + n)", "ERROR 521 (42898)"},
      {"(PHOENIX_ROW_TIMESTAMP())", "ERROR 521 (42898)"},
      {"(2)", "ERROR 522 (42899)"},
      {"(SUM(n))", "ERROR 520 (42897)"},
      {"(n + SUM(n))", "ERROR 520 (42897)"},
      {"(n + nope)", "ERROR 504 (42703)"},
      {"(n || 'x' * 2)", "ERROR 203 (22005)"},
      {"((SELECT 1))", "SQL: "},
      {"(n + ?)", "ERROR 2003 (INT04)"},
      {"(UPPER(c))", "SQL: an index on UPPER(C), of type CHAR(3)"},
      {"(n) WHERE n IN (SELECT n FROM t)", "ERROR 303 (23101)"},
      {"(n) WHERE n + 1", "ERROR 304 (23102)"},
      {"(n) WHERE n > RAND()", "ERROR 521 (42898)"},
      {"(n * 2) HISTORY = true", "index 'I': HISTORY and sql() cannot be combined"},
  };
  for (const auto& [index, error] : refused) {
    const std::string answer = Run("CREATE INDEX i ON t " + index);
    EXPECT_EQ(answer.substr(0, error.size()), error) << index << ": " << answer;
  }
  EXPECT_EQ((*connection_->admin().indexes())->ListIndexes("T")->size(), 0U);
}

TEST_F(IndexExpressionsTest, OfTablesWithoutMarkers) {
  ASSERT_TRUE(connection_->admin().CreateTable({.name = "h", .families = {{.name = "d"}}}, {}).ok());
  ASSERT_EQ(Run("CREATE VIEW \"h\" (pk VARCHAR PRIMARY KEY, \"d\".\"a\" VARCHAR, \"d\".\"b\" VARCHAR)"), "0");
  const std::unique_ptr<Table> table = *connection_->GetTable("h");
  ASSERT_TRUE(table->Put(Put{.row = "1"}.Add("d", "a", "x").Add("d", "b", "y")).ok());
  ASSERT_TRUE(table->Put(Put{.row = "2"}.Add("d", "b", "y")).ok());
  ASSERT_TRUE(table->Put(Put{.row = "3"}.Add("d", "c", "z")).ok());
  EXPECT_EQ(Run("CREATE INDEX ab ON \"h\" (\"a\" || \"b\")"), "0");
  EXPECT_EQ(Run("SELECT pk FROM \"h\" WHERE \"a\" || \"b\" = 'y'"), "2\n");
  for (const std::string refused : {"(COALESCE(\"a\", 'q'))", "(pk || \"a\")", "(\"a\") WHERE \"b\" IS NULL"}) {
    EXPECT_NE(Run("CREATE INDEX i ON \"h\" " + refused).find("whose rows have no marker"), std::string::npos)
        << refused;
  }
}

TEST_F(IndexExpressionsTest, GoWithTheirColumns) {
  MakePeople();
  ASSERT_EQ(Run("CREATE INDEX twice ON p (n * 2)"), "0");
  ASSERT_EQ(Run("CREATE INDEX late ON p (id) WHERE day > DATE '2014-06-20'"), "0");
  ASSERT_EQ(Run("CREATE INDEX place ON p (name || city)"), "0");
  const auto names = [&] {
    std::string all;
    const std::vector<IndexInfo> indexes = *(*connection_->admin().indexes())->ListIndexes("P");
    for (const IndexInfo& info : indexes) {
      all += info.index.name + " ";
    }
    return all;
  };
  ASSERT_EQ(Run("ALTER TABLE p ADD extra INTEGER"), "0");
  EXPECT_EQ(names(), "LATE PLACE TWICE ");
  EXPECT_EQ(Run("SELECT name FROM p WHERE n * 2 = 246"), "name123\n");
  ASSERT_EQ(Run("ALTER TABLE p DROP COLUMN n"), "0");
  EXPECT_EQ(names(), "LATE PLACE ");
  ASSERT_EQ(Run("ALTER TABLE p DROP COLUMN day"), "0");
  EXPECT_EQ(names(), "PLACE ");
  // Another type of the same name is another expression.
  ASSERT_EQ(Run("ALTER TABLE p ADD n VARCHAR"), "0");
  ASSERT_EQ(Run("CREATE INDEX n ON p (n || '!')"), "0");
  ASSERT_EQ(Run("UPSERT INTO p (id, n) VALUES (5, '7')"), "1");
  EXPECT_EQ(Run("SELECT id FROM p WHERE n || '!' = '7!'"), "5\n");
  EXPECT_TRUE(Uses("N", "SELECT id FROM p WHERE n || '!' = '7!'"));
  EXPECT_NE(RowsText(session_->Indexes({})->get()).find("N || '!'"), std::string::npos);
}

TEST_F(IndexExpressionsTest, PartialOnesAnswerWhatImpliesTheirConditions) {
  MakePeople();
  const std::string select = "SELECT id FROM p WHERE name > 'name2' AND ";
  Compare("CREATE INDEX part ON p (name) WHERE n > 300 AND city IN ('c1', 'c2', 'c3') OR name LIKE 'name59%'", "PART",
          {select + "n = 500 AND city = 'c3'", select + "n >= 301 AND city IN ('c3', 'c1')",
           select + "n > 305 AND n < 320 AND city = 'c2'", "SELECT id FROM p WHERE name LIKE 'name59%'",
           "SELECT id FROM p WHERE name LIKE 'name599%'", "SELECT id FROM p WHERE name = 'name597'",
           select + "n IN (400, 500) AND city = 'c1'"},
          {select + "n > 299 AND city = 'c3'", select + "n > 300", select + "n >= 300 AND city = 'c1'",
           select + "n > 300 AND city IN ('c1', 'c4')", select + "n IN (3, 500) AND city = 'c1'",
           "SELECT id FROM p WHERE name LIKE 'name5%'", select + "city = 'c1'"});
  Compare("CREATE INDEX others ON p (city, n) WHERE n IS NOT NULL AND n <> 7", "OTHERS",
          {"SELECT id FROM p WHERE city = 'c1' AND n > 570", "SELECT id FROM p WHERE city = 'c1' AND n = 8",
           "SELECT id FROM p WHERE city = 'c1' AND n < 7"},
          {"SELECT id FROM p WHERE city = 'c0' AND n < 9", "SELECT id FROM p WHERE city = 'c0' AND n <= 7"});
}

// A prepared statement does not sort by another index that has got the name.
TEST_F(IndexExpressionsTest, AreThoseThatTheStatementWasPreparedWith) {
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER, m INTEGER)"), "0");
  ASSERT_EQ(Run("CREATE INDEX i ON t (n * 2)"), "0");
  ASSERT_EQ(Run("UPSERT INTO t VALUES (1, 10, 3), (2, 20, NULL), (3, 30, 1)"), "3");
  const std::string query = "SELECT k FROM t WHERE n * 2 < ? ORDER BY n * 2 LIMIT 9";
  std::unique_ptr<Statement> statement = *session_->Prepare(query);
  const auto answer = [&](int64_t most) {
    const std::vector<Value> values = {Value::Integer(most)};
    const Expected<std::unique_ptr<Rows>> rows = statement->Execute(values);
    return rows.ok() ? RowsText(rows->get()) : rows.status().message();
  };
  EXPECT_EQ(answer(50), "1\n2\n");
  EXPECT_EQ(answer(99), "1\n2\n3\n");
  ASSERT_EQ(Run("DROP INDEX i ON t"), "0");
  EXPECT_EQ(answer(99).substr(0, 36), "SQL: the index I has changed since t");
  ASSERT_EQ(Run("CREATE INDEX i ON t (m * 2)"), "0");
  EXPECT_EQ(answer(99).substr(0, 36), "SQL: the index I has changed since t");
  statement = *session_->Prepare(query);
  EXPECT_EQ(answer(99), "1\n2\n3\n");
}

// A transaction sees the rows of its beginning and its own, also in the order of an index.
TEST_F(IndexExpressionsTest, AreThoseOfTheTransaction) {
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER)"), "0");
  ASSERT_EQ(Run("CREATE INDEX twice ON t (n * 2)"), "0");
  ASSERT_EQ(Run("UPSERT INTO t VALUES (1, 10), (2, 20), (3, 30)"), "3");
  const std::string query = "SELECT k FROM t WHERE n * 2 < 100 ORDER BY n * 2 LIMIT 9";
  ASSERT_EQ(Run("BEGIN"), "0");
  EXPECT_EQ(Run(query), "1\n2\n3\n");
  const std::unique_ptr<Session> other = *Session::Open(connection_.get());
  EXPECT_EQ(RunText(other.get(), "UPSERT INTO t VALUES (1, 25), (4, 5)"), "2");
  EXPECT_EQ(RunText(other.get(), "DELETE FROM t WHERE k = 2"), "1");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (9, 15), (3, 1)"), "2");
  EXPECT_EQ(Run(query), "3\n1\n9\n2\n");
  EXPECT_EQ(Run("SELECT k FROM t WHERE n * 2 IN (20, 30, 50) ORDER BY k"), "1\n9\n");
  ASSERT_EQ(Run("ROLLBACK"), "0");
  EXPECT_EQ(Run(query), "4\n1\n3\n");
}

// The table's columns have numbers, which the view does not count.
TEST_F(IndexExpressionsTest, OfAViewReadTheCellsOfItsTable) {
  ASSERT_EQ(Run("CREATE TABLE p (id INTEGER PRIMARY KEY, n INTEGER, name VARCHAR) COLUMN_ENCODED_BYTES=2"), "0");
  ASSERT_EQ(Run("CREATE VIEW v (own INTEGER) AS SELECT * FROM p"), "0");
  for (int i = 0; i < 600; ++i) {
    const std::string n = i % 2 == 0 ? "NULL" : std::to_string(i);
    ASSERT_EQ(Run("UPSERT INTO v VALUES (" + std::to_string(i) + ", " + n + ", 'name', 5)"), "1");
  }
  Compare("CREATE INDEX total ON v (COALESCE(n, 0) + id)", "TOTAL",
          {"SELECT id FROM v WHERE COALESCE(n, 0) + id = 10", "SELECT id FROM p WHERE COALESCE(n, 0) + id = 10"}, {});
  Compare("CREATE INDEX later ON v (id + 1) WHERE name LIKE 'n%'", "LATER",
          {"SELECT id, own FROM v WHERE id + 1 = 9 AND name LIKE 'na%'"}, {});
  ExpectComplete("P", "TOTAL");
  ExpectComplete("P", "LATER");
}

// A view's column can have the name of one of its table, but other cells.
TEST_F(IndexExpressionsTest, AreNotThoseOfOtherCells) {
  ASSERT_EQ(Run("CREATE TABLE p (id INTEGER PRIMARY KEY, n INTEGER, name VARCHAR) COLUMN_ENCODED_BYTES=2"), "0");
  ASSERT_EQ(Run("CREATE VIEW v AS SELECT name FROM p"), "0");
  ASSERT_EQ(Run("ALTER VIEW v ADD n INTEGER"), "0");
  for (int i = 0; i < 600; ++i) {
    const std::string id = std::to_string(i);
    ASSERT_EQ(Run("UPSERT INTO p (id, n) VALUES (" + id + ", " + id + ")"), "1");
    ASSERT_EQ(Run("UPSERT INTO v (id, n) VALUES (" + id + ", " + std::to_string(1'000 + i) + ")"), "1");
  }
  Compare("CREATE INDEX twice ON p (n * 2)", "TWICE", {"SELECT id FROM p WHERE n * 2 = 246"},
          {"SELECT id FROM v WHERE n * 2 = 2246", "SELECT id FROM v WHERE n * 2 < 2010 ORDER BY n * 2 LIMIT 3"});
  Compare("CREATE INDEX part ON p (name) WHERE n > 100", "PART", {},
          {"SELECT id FROM v WHERE name IS NULL AND n > 1500"});
  const std::string refused =
      "SQL: an index on an expression over N, a column of the view V, whose table has COLUMN_ENCODED_BYTES";
  EXPECT_EQ(Run("CREATE INDEX i ON v (n * 2)"), refused);
  EXPECT_EQ(Run("CREATE INDEX i ON v (n) WHERE n > 5"), refused);
  EXPECT_EQ(Run("CREATE INDEX i ON v (n)"), "0");
}

TEST_F(IndexExpressionsTest, ExplainSaysWhyTheyAreNotUsed) {
  MakePeople();
  ASSERT_EQ(Run("CREATE INDEX twice ON p (n * 2, UPPER(name) || '-') WHERE n > 5"), "0");
  ASSERT_TRUE(connection_->admin().Flush("P").ok());
  const std::string no_field = Plan("SELECT name FROM p WHERE n * 3 = 246 AND n > 7");
  EXPECT_NE(no_field.find("TWICE is not used: none of its fields has a condition that its order supports|"),
            std::string::npos)
      << no_field;
  const std::string other_rows = Plan("SELECT name FROM p WHERE n * 2 = 246");
  EXPECT_NE(other_rows.find("TWICE is not used: its rows meet (N > 5), the scan's need not|"), std::string::npos)
      << other_rows;
}

TEST_F(IndexExpressionsTest, AlterIndexTurnsItOffAndOn) {
  MakePeople();
  ASSERT_EQ(Run("CREATE INDEX twice ON p (n * 2)"), "0");
  ASSERT_TRUE(connection_->admin().Flush("P").ok());
  const std::string query = "SELECT name FROM p WHERE n * 2 = 246";
  const std::string ordered = "SELECT n FROM p WHERE n * 2 > 20 ORDER BY n * 2 LIMIT 2";
  const std::string sorted = Run(ordered);
  const auto state = [&] {
    return Run("SELECT INDEX_STATE FROM SYSTEM.CATALOG WHERE TABLE_NAME = 'TWICE' AND INDEX_STATE IS NOT NULL");
  };
  EXPECT_EQ(state(), "a\n");
  for (const std::string off : {"UNUSABLE", "DISABLE"}) {
    ASSERT_EQ(Run("ALTER INDEX twice ON p " + off), "0");
    EXPECT_FALSE(Uses("TWICE", query));
    EXPECT_NE(Plan(query).find("TWICE is not used: it is UNUSABLE"), std::string::npos) << Plan(query);
    EXPECT_FALSE(Uses("TWICE", ordered));
    EXPECT_EQ(Run(ordered), sorted);
    EXPECT_EQ(state(), "i\n");
    ASSERT_EQ(Run("UPSERT INTO p (id, n, name) VALUES (1000, 123, 'other')"), "1");  // is maintained
    ASSERT_EQ(Run("ALTER INDEX twice ON p " + std::string(off == "DISABLE" ? "ACTIVE" : "USABLE")), "0");
    EXPECT_TRUE(Uses("TWICE", query));
    EXPECT_EQ(state(), "a\n");
    EXPECT_EQ(Run(query), "name123\nother\n");
  }
  ASSERT_EQ(Run("ALTER INDEX twice ON p UNUSABLE"), "0");
  ASSERT_EQ(Run("ALTER INDEX twice ON p REBUILD ASYNC"), "0");
  EXPECT_EQ(state(), "a\n");
  EXPECT_TRUE(Uses("TWICE", query));
  ExpectComplete("P", "TWICE");
  ASSERT_EQ(Run("ALTER INDEX twice ON p UNUSABLE"), "0");
  ASSERT_EQ(Run("DROP INDEX twice ON p"), "0");
  ASSERT_EQ(Run("CREATE INDEX twice ON p (n * 2)"), "0");
  EXPECT_EQ(state(), "a\n") << "a new index of the name";
  EXPECT_EQ(Run("ALTER INDEX IF EXISTS nope ON p USABLE"), "0");
  EXPECT_EQ(Run("ALTER INDEX nope ON p USABLE"), "ERROR 1042 (42M06): Index undefined. schemaName=, tableName=NOPE");
}

}  // namespace
}  // namespace klip::sql
