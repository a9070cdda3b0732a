#include <atomic>
#include <memory>
#include <random>
#include <regex>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "klip/index.h"
#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class SessionTest : public SessionFixture {
 protected:
  // visits: users u0 ... u9, days 1 ... 30, domains a.com, b.com; visits = user * 1000 + day * 10 + domain.
  void MakeVisits(const std::string& properties = "") {
    ASSERT_EQ(
        Run("CREATE TABLE visits (username VARCHAR NOT NULL, day INTEGER NOT NULL, domain VARCHAR NOT NULL, visits "
            "BIGINT, note VARCHAR CONSTRAINT pk PRIMARY KEY (username, day, domain)) " +
            properties),
        "0");
    const Expected<std::unique_ptr<Statement>> upsert = session_->Prepare("UPSERT INTO visits VALUES (?, ?, ?, ?, ?)");
    ASSERT_TRUE(upsert.ok()) << upsert.status().ToString();
    for (int user = 0; user < 10; ++user) {
      for (int day = 1; day <= 30; ++day) {
        for (int domain = 0; domain < 2; ++domain) {
          const std::vector<Value> values = {Value::Text("u" + std::to_string(user)), Value::Integer(day),
                                             Value::Text(domain == 0 ? "a.com" : "b.com"),
                                             Value::Integer(user * 1000 + day * 10 + domain),
                                             day % 3 == 0 ? Value() : Value::Text("n" + std::to_string(day % 3))};
          const Expected<std::unique_ptr<Rows>> done = (*upsert)->Execute(values);
          ASSERT_TRUE(done.ok()) << done.status().ToString();
        }
      }
    }
  }
};

TEST_F(SessionTest, AnswersAlikeWhateverTheKeyIsLike) {
  MakeVisits();
  const std::vector<std::string> questions = {
      "SELECT COUNT(*), SUM(visits) FROM visits WHERE username LIKE 'u1%'",
      "SELECT COUNT(*), SUM(visits) FROM visits WHERE day BETWEEN 5 AND 7 AND NOT username = 'u5'",
      "SELECT COUNT(*), SUM(visits) FROM visits WHERE username IN ('u1', 'u7', 'x') AND day > 28",
      "SELECT COUNT(*), SUM(visits) FROM visits WHERE domain = 'b.com' OR day = 3",
      "SELECT COUNT(*), SUM(visits) FROM visits WHERE day < 2.5 AND day > 0.5",
      "SELECT COUNT(*), SUM(visits) FROM visits WHERE username > 'u2' AND username <= 'u4'",
      "SELECT username, day, domain FROM visits WHERE day = 12 AND username >= 'u8' ORDER BY username, day, domain",
      "SELECT COUNT(*) FROM visits WHERE username IS NULL",
      "SELECT COUNT(*) FROM visits WHERE (day, domain) IN ((1, 'a.com'), (2, 'b.com'))"};
  std::vector<std::string> answers;
  for (const std::string& question : questions) {
    answers.push_back(Run(question));
  }
  EXPECT_EQ(answers[0], "60|69330\n");
  for (const std::string key : {"username DESC, day, domain", "username, day DESC, domain DESC",
                                "day DESC, username DESC, domain", "domain, day, username"}) {
    for (const std::string properties : {"", " SALT_BUCKETS=4"}) {
      ASSERT_EQ(
          Run("CREATE TABLE other (username VARCHAR NOT NULL, day INTEGER NOT NULL, domain VARCHAR NOT NULL, visits "
              "BIGINT, note VARCHAR CONSTRAINT pk PRIMARY KEY (" +
              key + "))" + properties),
          "0");
      ASSERT_EQ(Run("UPSERT INTO other (username, day, domain, visits, note) SELECT username, day, domain, visits, "
                    "note FROM visits"),
                "600");
      for (size_t i = 0; i < questions.size(); ++i) {
        std::string question = questions[i];
        question.replace(question.find("FROM visits"), 11, "FROM other");
        EXPECT_EQ(Run(question), answers[i]) << question << " with " << key << properties;
      }
      ASSERT_EQ(Run("DROP TABLE other"), "0");
    }
  }
}

// 'y' is a prefix of 'yy': in descending order its bytes sort after it, and it has no separator where an interval
// compares.
TEST_F(SessionTest, FindsBeginningsInDescendingKeys) {
  ASSERT_EQ(
      Run("CREATE TABLE t (a VARCHAR, b VARCHAR, n INTEGER NOT NULL CONSTRAINT pk PRIMARY KEY (a DESC, b DESC, n))"),
      "0");
  const std::vector<std::string> texts = {"", "a", "ab", "abc", "b", "ba", "z", "zz"};
  int n = 0;
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      ASSERT_EQ(Run("UPSERT INTO t VALUES ('" + a + "', '" + b + "', " + std::to_string(n++) + ")"), "1");
    }
  }
  for (const std::string column : {"a", "b"}) {
    for (const std::string compare : {"<", "<=", "=", ">=", ">"}) {
      for (const std::string bound : {"a", "ab", "abb", "b", "zz", "zzz"}) {
        const std::string condition = column + " " + compare + " '" + bound + "'";
        // `|| ''` hides the key column from the planner.
        const std::string hidden = column + " || '' " + compare + " '" + bound + "'";
        EXPECT_EQ(Run("SELECT n FROM t WHERE " + condition), Run("SELECT n FROM t WHERE " + hidden)) << condition;
      }
    }
  }
}

TEST_F(SessionTest, DescendingBytesMayBeginWithFF) {
  EXPECT_EQ(Run("CREATE TABLE d (a INTEGER NOT NULL, b VARBINARY CONSTRAINT pk PRIMARY KEY (a, b DESC))"), "0");
  const Value ff = Value::Bytes("\xFF\x01");
  for (const Value& bytes : {ff, Value::Bytes("\x01"), Value::Bytes("\xFF"), Value()}) {
    EXPECT_EQ(Run("UPSERT INTO d VALUES (1, ?)", {bytes}), "1");
  }
  EXPECT_EQ(Run("SELECT * FROM d"), "1|null\n1|ff01\n1|ff\n1|01\n");
  EXPECT_EQ(Run("SELECT * FROM d WHERE a = 1 AND b = ?", {ff}), "1|ff01\n");
  EXPECT_EQ(Run("SELECT * FROM d WHERE b >= ?", {ff}), "1|ff01\n");
  EXPECT_EQ(Run("DELETE FROM d WHERE b = ?", {ff}), "1");
}

TEST_F(SessionTest, ReadsTablesWithARowKeySchema) {
  TableDescriptor table;
  table.name = "logins";
  table.families.emplace_back().name = "d";
  table.attributes["KLIP_ROW_KEY"] = "salt(4) user:text(6,'*') day:date at:reverse_ts";
  ASSERT_TRUE(connection_->admin().CreateTable(table).ok());
  const std::unique_ptr<Table> opened = *connection_->GetTable("logins");
  const RowKeySchema schema = *opened->row_key_schema();
  for (const std::string user : {"al", "alice", "bob"}) {
    for (int day = 1; day <= 9; ++day) {
      const std::string date = "2014060" + std::to_string(day);
      const std::string row = *schema.Encode({user, date, std::to_string(1000 * day)});
      ASSERT_TRUE(opened->Put(Put{.row = row}.Add("d", "from", "city" + std::to_string(day))).ok());
    }
  }
  EXPECT_EQ(Run("SELECT user, \"from\" FROM logins(\"d\".\"from\" VARCHAR) WHERE day = '20140607' ORDER BY user"),
            "al|city7\nalice|city7\nbob|city7\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM logins WHERE user LIKE 'al%' AND day > '20140604' AND day <= '20140606'"), "4\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM logins WHERE user > 'al' AND user < 'b'"), "9\n");
  EXPECT_EQ(
      Run("SELECT user, day, at FROM logins WHERE at > TIMESTAMP '1970-01-01 00:00:08'  AND user IN ('al', 'bob')"),
      "al|20140609|1970-01-01 00:00:09.000\nbob|20140609|1970-01-01 00:00:09.000\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM logins WHERE user = 'longer than it can be'"), "0\n");
  EXPECT_EQ(Run("CREATE VIEW logins (\"d\".\"from\" VARCHAR)"), "0");
  EXPECT_EQ(Run("SELECT user, from_city FROM (SELECT user, \"from\" AS from_city FROM logins WHERE user = 'bob') AS t "
                "WHERE from_city = 'city3'"),
            "bob|city3\n");
  EXPECT_EQ(RowsText(session_->Tables({.types = {"TABLE", "VIEW"}})->get()).find("logins") == std::string::npos, false);
  EXPECT_TRUE(Run("UPSERT INTO logins (user) VALUES ('x')").starts_with("ERROR 505 (42000): Table is read only."));
  ASSERT_TRUE(connection_->admin().DisableTable("logins").ok());
  ASSERT_TRUE(connection_->admin().DeleteTable("logins").ok());
  EXPECT_EQ(RowsText(session_->Tables({.types = {"TABLE", "VIEW"}})->get()), "");
  EXPECT_TRUE(Run("CREATE INDEX i ON logins (day)").starts_with("ERROR 1012"));
}

TEST_F(SessionTest, FindsRowsByUpperAndLowerCase) {
  ASSERT_EQ(Run("CREATE TABLE p (id INTEGER PRIMARY KEY, name VARCHAR, city CHAR(9), age INTEGER)"), "0");
  const std::vector<std::string> names = {"'Berlin'",      "'BERLIN'", "'berlin '", "'M\u00FCnchen'",
                                          "'stra\u00DFe'", "'x'",      "NULL"};
  for (int i = 0; i < 700; ++i) {
    const std::string& name = i < 70 ? names[static_cast<size_t>(i) % names.size()] : "'n" + std::to_string(i) + "'";
    ASSERT_EQ(
        Run("UPSERT INTO p VALUES (" + std::to_string(i) + ", " + name + ", 'Ulm', " + std::to_string(i % 7) + ")"),
        "1");
  }
  const std::vector<std::string> conditions = {"UPPER(name) = 'BERLIN'",
                                               "'BERLIN' = UPPER(name)",
                                               "UPPER(name) = 'berlin'",
                                               "UPPER(name) IN ('STRASSE', 'M\u00DCNCHEN', 'N99')",
                                               "UPPER(name) = 'BERLIN' AND age=1",
                                               "UPPER(name) > 'N690' AND UPPER(name) <= 'N695'",
                                               "LOWER(name) = 'berlin '",
                                               "UPPER(name) = 'BERLIN' OR UPPER(name) = 'X'",
                                               "name = 'Berlin'",
                                               "UPPER(name, 'tr') = 'BERL\u0130N'",
                                               "NOT UPPER(name) = 'BERLIN'",
                                               "UPPER(city) = 'ULM'"};
  std::vector<std::string> answers;
  for (const std::string& condition : conditions) {
    answers.push_back(Run("SELECT id FROM p WHERE " + condition));
    EXPECT_NE(answers.back(), condition == conditions[2] ? "any" : "") << condition;
  }
  const std::unique_ptr<Statement> prepared = *session_->Prepare("EXPLAIN SELECT id FROM p WHERE " + conditions[0]);
  EXPECT_EQ(RowsText(prepared->Execute()->get()).find("index BY_UPPER"), std::string::npos);
  ASSERT_EQ(Run("CREATE INDEX by_upper ON p (UPPER(name)) INCLUDE (age)"), "0");
  ASSERT_TRUE(connection_->admin().Flush("P").ok());
  EXPECT_NE(RowsText(prepared->Execute()->get()).find("index BY_UPPER"), std::string::npos) << "planned before";
  for (size_t i = 0; i < conditions.size(); ++i) {
    EXPECT_EQ(Run("SELECT id FROM p WHERE " + conditions[i]), answers[i]) << conditions[i];
  }
  const auto by = [this](const std::string& condition) {
    const std::string plan = Run("EXPLAIN SELECT id FROM p WHERE " + condition);
    return plan.find("index BY_UPPER") != std::string::npos;
  };
  for (const size_t i : {0, 1, 3, 4, 5, 7, 8}) {
    EXPECT_TRUE(by(conditions[i])) << conditions[i] << Run("EXPLAIN SELECT id FROM p WHERE " + conditions[i]);
  }
  for (const size_t i : {6, 9, 10, 11}) {
    EXPECT_FALSE(by(conditions[i])) << conditions[i];
  }
  EXPECT_EQ(Run("DELETE FROM p WHERE UPPER(name) = 'BERLIN'"), "20");
  EXPECT_EQ(Run("SELECT name FROM p WHERE name IS NOT NULL ORDER BY name LIMIT 2"), "M\u00FCnchen\nM\u00FCnchen\n");
  EXPECT_NE(RowsText(session_->Indexes({})->get()).find("UPPER(0:NAME)"), std::string::npos);
  EXPECT_EQ(Run("CREATE INDEX i ON p (UPPER(city))"), "SQL: an index on UPPER(CITY), of type CHAR(9)");
}

TEST_F(SessionTest, APartialIndexFindsTheRowsOfItsCondition) {
  MakeVisits();
  const std::string within = "SELECT username, day FROM visits WHERE note = 'n1' AND visits = 3071";
  const std::string other = "SELECT username, day FROM visits WHERE note = 'n2' AND visits >= 3071";
  const std::vector<std::string> answers = {Run(within), Run(other)};
  EXPECT_EQ(Run("CREATE INDEX part ON visits (visits) WHERE note = 'n1'"), "0");
  EXPECT_EQ(Run("CREATE INDEX none ON visits (note) WHERE visits = -3 AND note = 'x'"), "0");
  EXPECT_EQ(Run(within), answers[0]);
  EXPECT_EQ(Run(other), answers[1]);
  EXPECT_NE(Run("EXPLAIN " + within).find("index PART"), std::string::npos) << Run("EXPLAIN " + within);
  EXPECT_EQ(Run("EXPLAIN " + other).find("index PART"), std::string::npos);
  EXPECT_NE(Run("EXPLAIN " + other).find("NONE is not used: "), std::string::npos) << Run("EXPLAIN " + other);
}

TEST_F(SessionTest, AnIndexGivesTheFirstRowsInItsOrder) {
  MakeVisits();
  const std::vector<std::string> questions = {
      "SELECT username, day, visits FROM visits WHERE visits > 9000 ORDER BY visits, username LIMIT 5",
      "SELECT visits FROM visits WHERE visits > 9000 ORDER BY visits LIMIT 5",
      "SELECT visits FROM visits WHERE visits < 700 AND visits IS NOT NULL ORDER BY visits DESC LIMIT 3 OFFSET 2",
      "SELECT visits FROM visits WHERE visits IN (12, 2012, 1012, 77) ORDER BY visits DESC LIMIT 10",
      "SELECT visits FROM visits WHERE visits > 9000 AND note IS NULL ORDER BY visits LIMIT 5",
      "SELECT visits FROM visits ORDER BY visits DESC LIMIT 3",
      "SELECT visits, note FROM visits WHERE visits > 40 AND note > 'a' ORDER BY visits LIMIT 3",
      "SELECT visits FROM visits WHERE visits > 2000 ORDER BY visits LIMIT 2000"};
  std::vector<std::string> sorted;
  for (const std::string& question : questions) {
    sorted.push_back(Run(question));
  }
  EXPECT_EQ(Run("CREATE INDEX by_visits ON visits (visits)"), "0");
  EXPECT_EQ(Run("CREATE INDEX by_both ON visits (visits DESC, note)"), "0");
  const std::vector<std::string> by = {"", "BY_VISITS", "BY_VISITS", "BY_VISITS", "", "", "BY_BOTH", ""};
  for (size_t i = 0; i < questions.size(); ++i) {
    EXPECT_EQ(Run(questions[i]), sorted[i]) << questions[i];
    const std::string plan = Run("EXPLAIN " + questions[i]);
    const size_t at = plan.find("IN THE ORDER OF INDEX ");
    EXPECT_EQ(at == std::string::npos ? "" : plan.substr(at + 22, plan.find_first_of("\n|", at) - at - 22), by[i])
        << questions[i] << "\n"
        << plan;
    EXPECT_EQ(plan.find("SORT") == std::string::npos, !by[i].empty()) << plan;
  }
}

TEST_F(SessionTest, AnIndexThatSkipsRowsHasNoOrderOfAll) {
  MakeVisits();
  const std::string question = "SELECT visits FROM visits WHERE visits > 9000 ORDER BY visits LIMIT 5";
  EXPECT_EQ(Run("CREATE INDEX by_visits ON visits (visits)"), "0");
  EXPECT_NE(Run("EXPLAIN " + question).find("IN THE ORDER OF INDEX BY_VISITS"), std::string::npos);
  IndexAdmin& indexes = **connection_->admin().indexes();
  IndexDescriptor index = indexes.ListIndexes("VISITS")->front().index;
  index.skip_invalid = true;
  ASSERT_TRUE(indexes.DropIndex("VISITS", index.name).ok());
  ASSERT_TRUE(indexes.CreateIndex("VISITS", index).ok());
  EXPECT_EQ(Run("EXPLAIN " + question).find("IN THE ORDER"), std::string::npos);
}

TEST_F(SessionTest, AnIndexMayKeepHistory) {
  MakeVisits();
  EXPECT_EQ(Run("CREATE INDEX by_visits ON visits (visits) HISTORY = true"), "0");
  EXPECT_TRUE((*connection_->admin().indexes())->ListIndexes("VISITS")->front().index.history);
  EXPECT_NE(Run("CREATE INDEX other ON visits (visits) HISTORY = 'yes'").find("HISTORY is true or false"),
            std::string::npos);
}

// A parameter with nothing beside it is a VARCHAR for all that uses it.
TEST_F(SessionTest, GivesParametersTypes) {
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v INTEGER, p VARCHAR)"), "0");
  ASSERT_EQ(Run("UPSERT INTO t VALUES (1, 10, 'a')"), "1");
  const Value x = Value::Text("x");
  const Value y = Value::Text("y");
  EXPECT_EQ(Run("SELECT MAX(?) FROM t", {x}), "x\n");
  EXPECT_EQ(Run("SELECT DISTINCT ? FROM t", {x}), "x\n");
  EXPECT_EQ(Run("SELECT COALESCE(?, ?)", {x, y}), "x\n");
  EXPECT_EQ(Run("SELECT (SELECT ?)", {x}), "x\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t GROUP BY ?", {x}), "1\n");
  EXPECT_EQ(Run("SELECT ? UNION SELECT ? ORDER BY 1", {y, x}), "x\ny\n");
  EXPECT_EQ(Run("SELECT p FROM t EXCEPT SELECT ?", {Value::Text("a")}), "");
  EXPECT_EQ(Run("SELECT FIRST_VALUE(?) OVER (ORDER BY k), MAX(?) OVER () FROM t", {x, y}), "x|y\n");
  EXPECT_EQ(Run("WITH a AS (SELECT ? AS n) SELECT a.n, b.n FROM a, a b WHERE a.n = b.n", {x}), "x|x\n");
  EXPECT_EQ(Run("WITH a AS (SELECT k FROM t WHERE k = ?) SELECT 1", {Value()}), "1\n");
  // It takes the type of the column that it is combined with or stored in.
  EXPECT_EQ(Run("SELECT v FROM t UNION SELECT ? ORDER BY 1", {Value::Integer(7)}), "7\n10\n");
  EXPECT_EQ(Run("SELECT ? INTERSECT SELECT v FROM t", {Value::Integer(10)}), "10\n");
  EXPECT_EQ(Run("UPSERT INTO t (k, v) SELECT 2, ? FROM t", {Value::Integer(20)}), "1");
  EXPECT_EQ(
      Run("UPSERT INTO t (k, v) SELECT k + 10, ? FROM t UNION SELECT 3, ?", {Value::Integer(30), Value::Integer(30)}),
      "3");
  EXPECT_EQ(Run("UPDATE t SET v = ?, p = ? WHERE k = 3", {Value::Integer(31), x}), "1");
  EXPECT_EQ(Run("SELECT k, v, p FROM t ORDER BY k"), "1|10|a\n2|20|null\n3|31|x\n11|30|null\n12|30|null\n");
  EXPECT_EQ(Run("SELECT v FROM t WHERE v IN (SELECT ?)", {Value::Integer(10)}).substr(0, 9), "ERROR 203");
}

TEST_F(SessionTest, ReadsThePast) {
  EXPECT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) VERSIONS=3, KEEP_DELETED_CELLS=true"), "0");
  const auto write = [&](const std::string& row, const std::string& value, int64_t time_ms) {
    const auto table = *connection_->GetTable("T");
    const Status written = table->Put(klip::Put{.row = row}.Add("0", "V", value, time_ms).Add("0", "_0", "x", time_ms));
    ASSERT_TRUE(written.ok()) << written.ToString();
  };
  const std::string one("\x80\0\0\1", 4);
  const std::string two("\x80\0\0\2", 4);
  write(one, "old", 1000);
  write(one, "new", 2000);
  write(two, "later", 2000);
  EXPECT_EQ(Run("DELETE FROM t WHERE k = 1"), "1");
  const auto at = [&](int64_t time_ms, const std::string& sql) {
    const std::unique_ptr<Session> session = *Session::Open(connection_.get(), {.as_of_ms = time_ms});
    return RunText(session.get(), sql);
  };
  for (const bool flushed : {false, true}) {
    EXPECT_TRUE(!flushed || connection_->admin().Flush("T").ok());
    EXPECT_EQ(at(1000, "SELECT * FROM t"), "");
    EXPECT_EQ(at(1001, "SELECT * FROM t"), "1|old\n");
    EXPECT_EQ(at(2001, "SELECT * FROM t"), "1|new\n2|later\n");
    EXPECT_EQ(at(2001, "SELECT v FROM t WHERE k = 1"), "new\n");
    EXPECT_EQ(at(1500, "SELECT COUNT(*), MAX(v) FROM t"), "1|old\n");
    EXPECT_EQ(at(1500, "SELECT COUNT(*) FROM t"), "1\n");
    EXPECT_EQ(at(1500, "SELECT DISTINCT k FROM t"), "1\n");
    EXPECT_EQ(at(1500, "SELECT k FROM t WHERE v = 'later'"), "");
    EXPECT_EQ(Run("SELECT COUNT(*) FROM t"), "1\n");
  }
  EXPECT_EQ(at(1500, "USE s"), "0");
  EXPECT_FALSE(Session::Open(connection_.get(), {.as_of_ms = -1}).ok());
}

// Indexes have the order of the newest values.
TEST_F(SessionTest, SortsThePast) {
  EXPECT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, n INTEGER) VERSIONS=9, KEEP_DELETED_CELLS=true"), "0");
  EXPECT_EQ(Run("CREATE INDEX by_n ON t (n)"), "0");
  const std::unique_ptr<Session> first = *Session::Open(connection_.get(), {.as_of_ms = 1000});
  EXPECT_EQ(RunText(first.get(), "UPSERT INTO t VALUES (1, 10), (2, 20), (3, 30), (4, 40)"), "4");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 500), (2, 15)"), "2");
  EXPECT_EQ(Run("DELETE FROM t WHERE k = 3"), "1");
  const std::string query = "SELECT k FROM t WHERE n < 100 ORDER BY n LIMIT 9";
  EXPECT_EQ(Run(query), "2\n4\n");
  EXPECT_NE(Run("EXPLAIN " + query).find("IN THE ORDER OF INDEX BY_N"), std::string::npos);
  const std::unique_ptr<Session> past = *Session::Open(connection_.get(), {.as_of_ms = 2000});
  EXPECT_EQ(RunText(past.get(), query), "1\n2\n3\n4\n");
}

// Without auto-commit, changes wait and are then written with the session's time.
TEST_F(SessionTest, CommitsIntoThePast) {
  EXPECT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) VERSIONS=9"), "0");
  const std::unique_ptr<Session> past = *Session::Open(connection_.get(), {.auto_commit = false, .as_of_ms = 1000});
  EXPECT_EQ(RunText(past.get(), "UPSERT INTO t VALUES (1, 'one')"), "1");
  EXPECT_TRUE(past->Commit().ok());
  ForEachCell("T", [](const Cell& cell) { EXPECT_EQ(cell.timestamp_ms, 1000); });
  EXPECT_EQ(Run("SELECT * FROM t"), "1|one\n");
}

TEST_F(SessionTest, ExplainsAPageByRowValuesAsAJump) {
  MakeVisits();
  const std::string page =
      "SELECT username, day, domain FROM visits WHERE (username, day, domain) > ('u4', 7, 'a.com') LIMIT 3";
  const auto plan = [&](const std::string& query) {  // in Phoenix's words
    return std::regex_replace(Run("EXPLAIN " + query), std::regex("\\|null\\|[^\n]*|\n    [a-z ]+: [^\n]*"), "");
  };
  EXPECT_EQ(plan(page),
            "CLIENT 1-CHUNK PARALLEL 1-WAY SKIP SCAN ON 3 RANGES OVER VISITS ['u4'] - [*]\n"
            "    SERVER FILTER BY (USERNAME, DAY, DOMAIN) > ('u4', 7, 'a.com')\n"
            "CLIENT 3 ROW LIMIT\n");
  EXPECT_EQ(Run(page), "u4|7|b.com\nu4|8|a.com\nu4|8|b.com\n");
  // A condition of several parts is printed once.
  EXPECT_EQ(plan("SELECT day FROM visits WHERE username = 'u4' AND (day, domain) > (7, 'a.com')"),
            "CLIENT 1-CHUNK PARALLEL 1-WAY SKIP SCAN ON 2 RANGES OVER VISITS ['u4',7] - ['u4',*]\n"
            "    SERVER FILTER BY (USERNAME = 'u4' AND (DAY, DOMAIN) > (7, 'a.com'))\n");
}

TEST_F(SessionTest, IndexesDecimals) {
  ASSERT_EQ(Run("CREATE TABLE prices (id INTEGER PRIMARY KEY, price DECIMAL)"), "0");
  std::mt19937 random(3);
  const auto number = [&random] {
    constexpr const char* kScales[] = {"", "0", "00000000000000000000", ".5", ".05", ".000000000000000000000000001"};
    return std::string(random() % 2 == 0 ? "" : "-") + std::to_string(random() % 120) + kScales[random() % 6];
  };
  std::vector<std::string> numbers = {"0", "1E-100", "-1E-100", "99999999999999999999999999999999999999"};
  while (numbers.size() < 300) {
    numbers.push_back(number());
  }
  for (size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_EQ(Run("UPSERT INTO prices VALUES (" + std::to_string(i) + ", " + numbers[i] + ")"), "1") << numbers[i];
  }
  std::vector<std::string> selects;
  for (int i = 0; i < 60; ++i) {
    const std::string low = numbers[random() % numbers.size()];
    selects.push_back("SELECT id, price FROM prices WHERE price = " + low);
    selects.push_back("SELECT id, price FROM prices WHERE price > " + low + " AND price <= " + number());
    selects.push_back("SELECT id, price FROM prices WHERE price = " + low + " AND id > 3 OR price IN (" + number() +
                      ", " + number() + ")");
    selects.push_back("SELECT price FROM prices WHERE price < " + low + " ORDER BY price DESC LIMIT 7");
  }
  std::vector<std::string> expected;
  for (const std::string& select : selects) {
    expected.push_back(Run(select));
  }
  ASSERT_EQ(Run("CREATE INDEX by_price ON prices (price)"), "0");
  for (size_t i = 0; i < selects.size(); ++i) {
    EXPECT_EQ(Run(selects[i]), expected[i]) << selects[i];
  }
  EXPECT_NE(Run("EXPLAIN " + selects[0]).find("index BY_PRICE"), std::string::npos) << Run("EXPLAIN " + selects[0]);
  EXPECT_NE(Run("EXPLAIN " + selects[2]).find("index BY_PRICE"), std::string::npos) << Run("EXPLAIN " + selects[2]);
  EXPECT_NE(Run("EXPLAIN " + selects[3]).find("ORDER OF INDEX BY_PRICE"), std::string::npos);
}

TEST_F(SessionTest, ExplainsHowTheStoreFindsTheRows) {
  MakeVisits();
  ASSERT_EQ(Run("DELETE FROM visits WHERE day > 24"),
            "120");  // costs are measured from 500 rows on, and then figures vary
  ASSERT_TRUE(connection_->admin().Flush("VISITS").ok());
  ASSERT_TRUE(connection_->admin().MajorCompact("VISITS").ok());
  const auto figures = [this](const std::string& select) {
    const std::string plan = Run("EXPLAIN " + select);
    const size_t line = plan.find("\n    ") + 5;
    const size_t next = plan.find("\n    ", line);
    const std::string last = next == std::string::npos ? plan.substr(line) : plan.substr(next + 5);
    return last.substr(0, last.find(" returned"));
  };
  EXPECT_EQ(figures("SELECT username FROM visits WHERE day = 3"), "skip scan: 10 jumps, 102 rows read, 20");
  EXPECT_EQ(figures("SELECT username FROM visits"), "full walk: 1 jump, 480 rows read, 480");
  ASSERT_EQ(Run("CREATE INDEX by_visits ON visits (visits)"), "0");
  EXPECT_EQ(figures("SELECT username FROM visits WHERE visits = 2012").substr(0, 16), "index BY_VISITS:");
}

TEST_F(SessionTest, RunsAStatementAgainWithinTheSameMemory) {
  MakeVisits();
  const std::unique_ptr<Session> small = *Session::Open(connection_.get(), {.memory_bytes = 200'000});
  const std::unique_ptr<Statement> statement =
      *small->Prepare("SELECT username, SUM(visits) FROM visits GROUP BY username ORDER BY 2 DESC");
  for (int i = 0; i < 50; ++i) {
    EXPECT_TRUE(RowsText(statement->Execute()->get()).starts_with("u9|549330\n"));
  }
  EXPECT_EQ(RunText(small.get(),
                    "SELECT 1 FROM visits WHERE day = 99 OR visits IN (SELECT a.visits * 100000 + b.visits FROM visits "
                    "a, visits b)"),
            "");
}

// Plans are kept by their texts; definitions may change between two executions, by other sessions too.
TEST_F(SessionTest, PlansAgainWhenTablesChange) {
  const std::unique_ptr<Session> other = *Session::Open(connection_.get());
  const std::string query = "SELECT * FROM t WHERE k = 1";
  const std::string upsert = "UPSERT INTO t VALUES (?, ?)";
  EXPECT_TRUE(Run(query).starts_with("ERROR 1012"));
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)"), "0");
  EXPECT_EQ(Run(upsert, {Value::Integer(1), Value::Text("a")}), "1");
  EXPECT_EQ(Run(upsert, {Value::Integer(2), Value::Text("b")}), "1");
  EXPECT_EQ(Run(query), "1|a\n");
  EXPECT_EQ(RunText(other.get(), "ALTER TABLE t ADD w INTEGER"), "0");
  EXPECT_EQ(Run(query), "1|a|null\n");
  EXPECT_EQ(Run(upsert, {Value::Integer(3), Value::Text("c")}), "1");
  EXPECT_EQ(RunText(other.get(), "ALTER TABLE t DROP COLUMN v"), "0");
  EXPECT_EQ(Run(query), "1|null\n");
  // The same definition, but another table.
  ASSERT_EQ(Run("ALTER TABLE t DROP COLUMN w"), "0");
  EXPECT_EQ(Run(query), "1\n");
  const std::string statement = connection_->admin().GetDescriptor("T")->attributes["KLIP_SQL"];
  EXPECT_EQ(RunText(other.get(), "DROP TABLE t"), "0");
  EXPECT_TRUE(Run(query).starts_with("ERROR 1012"));
  EXPECT_EQ(RunText(other.get(), "CREATE TABLE t (k INTEGER PRIMARY KEY)"), "0");
  EXPECT_EQ(Run(query), "");
  EXPECT_EQ(RunText(other.get(), "DROP TABLE t"), "0");
  EXPECT_EQ(RunText(other.get(), "CREATE TABLE t (k INTEGER PRIMARY KEY)"), "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1)"), "1");
  EXPECT_EQ(Run(query), "1\n");
  EXPECT_EQ(RunText(other.get(), "CREATE TABLE s.t (k INTEGER PRIMARY KEY, x INTEGER)"), "0");
  EXPECT_EQ(Run("USE s"), "0");
  EXPECT_EQ(Run(query), "");
}

TEST_F(SessionTest, DroppedColumnsLoseTheirCellsAndIndexes) {
  ASSERT_EQ(Run("CREATE TABLE d (k VARCHAR PRIMARY KEY, a.x INTEGER, a.w INTEGER, b.y INTEGER)"), "0");
  ASSERT_EQ(Run("CREATE INDEX by_x ON d (x)"), "0");
  ASSERT_EQ(Run("CREATE INDEX by_y ON d (y) INCLUDE (w)"), "0");
  for (int i = 0; i < 2500; ++i) {  // several batches of deletes
    ASSERT_EQ(Run("UPSERT INTO d VALUES (?, 1, 2, 3)", {Value::Text("r" + std::to_string(i))}), "1");
  }
  ASSERT_EQ(Run("UPSERT INTO d (k, x) VALUES ('only x', 7)"), "1");
  ASSERT_EQ(Run("ALTER TABLE d DROP COLUMN x"), "0");
  EXPECT_EQ(Run("SELECT COUNT(*), COUNT(w), COUNT(y) FROM d"), "2501|2500|2500\n");
  EXPECT_EQ(Run("SELECT * FROM d WHERE k = 'only x'"), "only x|null|null\n");
  ASSERT_EQ(Run("ALTER TABLE d ADD a.x INTEGER"), "0");
  EXPECT_EQ(Run("SELECT COUNT(x) FROM d"), "0\n");  // the old values do not come back
  IndexAdmin& indexes = **connection_->admin().indexes();
  EXPECT_EQ(indexes.ListIndexes("D")->size(), 1U);
  EXPECT_EQ(Run("SELECT COUNT(*) FROM d WHERE y = 3"), "2500\n");
  ASSERT_EQ(Run("ALTER TABLE d DROP COLUMN w, y"), "0");
  EXPECT_EQ(indexes.ListIndexes("D")->size(), 0U);
  EXPECT_EQ(Run("SELECT COUNT(*) FROM d"), "2501\n");

  // The first family, which has the markers of rows, loses its last column.
  ASSERT_EQ(Run("CREATE TABLE e (k VARCHAR PRIMARY KEY, a.x INTEGER, b.y INTEGER)"), "0");
  ASSERT_EQ(Run("UPSERT INTO e (k, x) VALUES ('r', 1)"), "1");
  ASSERT_EQ(Run("ALTER TABLE e DROP COLUMN x"), "0");
  EXPECT_EQ(Run("SELECT * FROM e"), "r|null\n");
  EXPECT_EQ(Run("SELECT * FROM e WHERE k = 'r'"), "r|null\n");
  EXPECT_TRUE(Run("INSERT INTO e VALUES ('r', 1)").starts_with("ERROR"));
  ASSERT_EQ(Run("ALTER TABLE e SET TTL=9000"), "0");
  ASSERT_EQ(Run("UPSERT INTO e (k) VALUES ('s')"), "1");
  EXPECT_EQ(Run("SELECT k FROM e WHERE k IN ('r', 's')"), "r\ns\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM e"), "2\n");
  EXPECT_TRUE(Run("ALTER TABLE e SET MARKER_FAMILY='B'").starts_with("SQL: ALTER TABLE SET MARKER_FAMILY"));
  EXPECT_TRUE(Run("ALTER TABLE e SET DEFAULT_COLUMN_FAMILY='B'").starts_with("ERROR 1034 (42Y93)"));
}

TEST_F(SessionTest, AlterKeepsWhatOthersDeclaredInHBase) {
  TableDescriptor descriptor;
  descriptor.name = "M";
  descriptor.families.emplace_back().name = "0";
  descriptor.families.back().max_versions = 5;
  descriptor.families.emplace_back().name = "other";
  ASSERT_TRUE(connection_->admin().CreateTable(descriptor).ok());
  ASSERT_EQ(Run("CREATE TABLE m (k VARCHAR PRIMARY KEY, v INTEGER, f.x INTEGER)"), "0");
  ASSERT_EQ(Run("ALTER TABLE m ADD w INTEGER"), "0");
  ASSERT_EQ(Run("ALTER TABLE m SET TTL=9000"), "0");
  ASSERT_EQ(Run("ALTER TABLE m DROP COLUMN x"), "0");
  descriptor = *connection_->admin().GetDescriptor("M");
  ASSERT_EQ(descriptor.families.size(), 2U);
  EXPECT_EQ(descriptor.Find("0")->max_versions, 5);
  EXPECT_EQ(descriptor.Find("0")->ttl_s, 9000);
  ASSERT_NE(descriptor.Find("other"), nullptr);
  EXPECT_NE(descriptor.Find("other")->ttl_s, 9000);
}

// Each result is its own, although both have one plan.
TEST_F(SessionTest, RunsATextWhileItsFirstResultIsRead) {
  MakeVisits();
  const std::string query = "SELECT day FROM visits WHERE username = 'u1' AND domain = 'a.com'";
  EXPECT_TRUE(Run(query).starts_with("1\n2\n"));
  const std::unique_ptr<Rows> first = *session_->Execute(query);
  ASSERT_TRUE(*first->Next());
  EXPECT_TRUE(Run(query).starts_with("1\n2\n"));
  ASSERT_TRUE(*first->Next());
  EXPECT_EQ(first->value(0).ToString(), "2");
}

TEST_F(SessionTest, CountsOnDuplicateKeys) {
  ASSERT_EQ(Run("CREATE TABLE counts (k VARCHAR PRIMARY KEY, n BIGINT, t VARCHAR)"), "0");
  EXPECT_EQ(Run("UPSERT INTO counts VALUES ('a', 1, 'x') ON DUPLICATE KEY UPDATE n = n + 1"), "1");
  EXPECT_EQ(Run("UPSERT INTO counts VALUES ('a', 1, 'y') ON DUPLICATE KEY UPDATE n = n + 1, t = t || '!'"), "1");
  EXPECT_EQ(Run("UPSERT INTO counts (k) VALUES ('b') ON DUPLICATE KEY IGNORE"), "1");
  EXPECT_EQ(Run("UPSERT INTO counts VALUES ('a', 7) ON DUPLICATE KEY IGNORE"), "0");
  EXPECT_EQ(Run("UPSERT INTO counts VALUES ('b', 5) ON DUPLICATE KEY UPDATE n = 10, t = NULL"), "1");
  EXPECT_EQ(Run("SELECT * FROM counts"), "a|2|x!\nb|10|null\n");
  EXPECT_TRUE(Run("UPSERT INTO counts VALUES ('a', 1) ON DUPLICATE KEY UPDATE k = 'z'").starts_with("ERROR 1218"));
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      const std::unique_ptr<Session> session = *Session::Open(connection_.get());
      for (int j = 0; j < 50; ++j) {
        EXPECT_TRUE(session->Execute("UPSERT INTO counts VALUES ('c', 1) ON DUPLICATE KEY UPDATE n = n + 1", {}).ok());
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(Run("SELECT n FROM counts WHERE k = 'c'"), "200\n");
}

// 600 rows joined with themselves twice run long after the last row was read.
TEST_F(SessionTest, CancelsAJoinThatReadsNothingMore) {
  MakeVisits();
  std::atomic<bool> ended = false;
  std::thread canceller([&] {
    while (!ended) {
      session_->Cancel();  // no effect until the statement runs
      std::this_thread::yield();
    }
  });
  const Expected<std::unique_ptr<Rows>> rows =
      session_->Execute("SELECT COUNT(*) FROM visits a, visits b, visits c WHERE a.note || b.note || c.note = 'x'");
  ended = true;
  canceller.join();
  EXPECT_EQ(rows.status().code(), Code::kCancelled);
}

TEST_F(SessionTest, ShowListsTheCatalog) {
  ASSERT_EQ(Run("CREATE TABLE s.ab (k VARCHAR PRIMARY KEY, v INTEGER)"), "0");
  ASSERT_EQ(Run("CREATE TABLE s.cd (k VARCHAR PRIMARY KEY)"), "0");
  const auto lines = [&](const std::string& statement) {
    const std::string text = Run(statement);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(lines("SHOW TABLES IN s"), 2);
  EXPECT_EQ(lines("SHOW TABLES IN s LIKE 'A%'"), 1);
  EXPECT_EQ(lines("SHOW TABLES IN other"), 0);
  EXPECT_EQ(lines("SHOW SCHEMAS LIKE 'S'"), 1);
  EXPECT_EQ(Run("SHOW CREATE TABLE s.cd"), "CREATE TABLE S.CD (K VARCHAR NOT NULL CONSTRAINT PK PRIMARY KEY (K))\n");
  EXPECT_TRUE(Run("SHOW CREATE TABLE s.none").starts_with("ERROR 1012"));
  EXPECT_TRUE(Run("SHOW TABLES LIKE x").starts_with("ERROR 60"));
  const auto tables = *session_->Prepare("SHOW TABLES IN s");
  EXPECT_EQ(tables->columns()[2].label, "TABLE_NAME");
  ASSERT_EQ(Run("CREATE TABLE s.ef (k VARCHAR PRIMARY KEY)"), "0");
  const std::string text = RowsText((*tables->Execute({})).get());
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
}

// The same statement, run in a transaction and after it.
TEST_F(SessionTest, PreparedStatementsGoWithTheirTransaction) {
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, n BIGINT)"), "0");
  ASSERT_EQ(Run("UPSERT INTO t VALUES (1, 10)"), "1");
  const auto select = *session_->Prepare("SELECT n FROM t WHERE k = 1");
  const auto value = [&] { return RowsText(select->Execute()->get()); };
  EXPECT_EQ(value(), "10\n");
  EXPECT_EQ(Run("BEGIN"), "0");
  EXPECT_EQ(Run("UPDATE t SET n = 11 WHERE k = 1"), "1");
  EXPECT_EQ(value(), "11\n");
  EXPECT_EQ(Run("ROLLBACK"), "0");
  EXPECT_EQ(value(), "10\n");
}

}  // namespace
}  // namespace klip::sql
