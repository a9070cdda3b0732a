// Views AS SELECT, and what tenants see.
#include <memory>
#include <vector>

#include "klip/index.h"
#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class ViewsTest : public SessionFixture {};

TEST_F(ViewsTest, ReadsViewsOfSelects) {
  EXPECT_EQ(Run("CREATE TABLE t (id INTEGER PRIMARY KEY, v INTEGER, f.w VARCHAR)"), "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 10, 'a')") + Run("UPSERT INTO t VALUES (2, 20, 'b')") +
                Run("UPSERT INTO t VALUES (3, 30, 'a')"),
            "111");
  EXPECT_EQ(Run("CREATE VIEW all_t (more VARCHAR) AS SELECT * FROM t"), "0");
  EXPECT_EQ(Run("CREATE VIEW a AS SELECT * FROM all_t WHERE f.w = 'a'"), "0");
  EXPECT_EQ(Run("CREATE VIEW big_a AS SELECT * FROM a WHERE v > 15 OR v < 5"), "0");
  EXPECT_EQ(Run("UPSERT INTO all_t (id, v, more) VALUES (4, 40, 'm')"), "1");
  EXPECT_EQ(Run("SELECT id, more FROM all_t WHERE id > 2"), "3|null\n4|m\n");
  EXPECT_EQ(Run("SELECT x.id FROM a x"), "1\n3\n");
  EXPECT_EQ(Run("SELECT id FROM big_a"), "3\n");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM a"), "2\n");
  // Rows that a view excludes stay excluded, also where a join replaces rows by NULLs.
  EXPECT_EQ(Run("SELECT t.id, big_a.v FROM t LEFT JOIN big_a ON t.id = big_a.id ORDER BY t.id"),
            "1|null\n2|null\n3|30\n4|null\n");
  EXPECT_EQ(Run("UPSERT INTO big_a (id) VALUES (9)"), "ERROR 505 (42000): Table is read only. tableName=BIG_A");
  EXPECT_EQ(Run("DELETE FROM big_a"), "ERROR 505 (42000): Table is read only. tableName=BIG_A");
  EXPECT_EQ(Run("SELECT view_type, view_statement FROM SYSTEM.CATALOG WHERE table_type = 'v' ORDER BY table_name"),
            "3|SELECT * FROM \"ALL_T\" WHERE F.W = 'a'\n3|SELECT * FROM \"T\"\n2|SELECT * FROM \"A\" WHERE (V > 15 OR "
            "V < 5)\n");
  EXPECT_EQ(Run("ALTER TABLE t ADD later INTEGER"), "0");
  EXPECT_EQ(Run("SELECT later FROM big_a"), "null\n");
  for (const char* condition : {"id IN (SELECT id FROM t)", "id = ?"}) {
    EXPECT_EQ(
        Run(std::string("CREATE VIEW b AS SELECT * FROM t WHERE ") + condition, {Value::Integer(1)}).substr(0, 27),
        "SQL: a view with subqueries");
  }
  EXPECT_EQ(Run("CREATE VIEW b AS SELECT * FROM t WHERE id = NEXT VALUE FOR q").substr(0, 19), "ERROR 1205 (42Z05):");
  const std::string refused = "ERROR 1010 (42M01): Not allowed to mutate table. tableName=";
  EXPECT_EQ(Run("DROP VIEW all_t"), refused + "ALL_T has the views A, BIG_A: drop them first, or use CASCADE");
  EXPECT_EQ(Run("DROP TABLE t"), refused + "T has the views ALL_T, A, BIG_A: drop them first, or use CASCADE");
  EXPECT_EQ(Run("ALTER TABLE t ADD more INTEGER"), refused + "T has the view ALL_T: it has a column MORE");
  EXPECT_EQ(Run("ALTER TABLE t DROP COLUMN f.w"), refused + "T has the view A: its condition uses the column W");
  EXPECT_EQ(Run("ALTER VIEW a ADD own INTEGER"), "0");
  EXPECT_EQ(Run("UPSERT INTO a (id, own) VALUES (9, 90)"), "1");
  EXPECT_EQ(Run("SELECT id, own FROM a WHERE own > 0"), "9|90\n");
  EXPECT_EQ(Run("ALTER VIEW big_a DROP COLUMN w").substr(0, 18), "ERROR 1132 (XCL32)");
  EXPECT_EQ(Run("ALTER VIEW a DROP COLUMN own"), "0");
  EXPECT_EQ(Run("DROP VIEW all_t CASCADE"), "0");
  EXPECT_EQ(Run("SELECT * FROM a"), "ERROR 1012 (42M03): Table undefined. tableName=A");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM SYSTEM.CATALOG WHERE table_type = 'v'"), "0\n");
  EXPECT_EQ(Run("CREATE TABLE s.t (k VARCHAR PRIMARY KEY)"), "0");
  EXPECT_EQ(Run("USE s"), "0");
  EXPECT_EQ(Run("CREATE VIEW b AS SELECT * FROM t"), "0");
  EXPECT_EQ(Run("SELECT table_schem, view_statement FROM SYSTEM.CATALOG WHERE table_name = 'B' AND table_type = 'v'"),
            "S|SELECT * FROM \"S\".\"T\"\n");
}

// The rows of other views, and those that are not the view's, keep their cells.
TEST_F(ViewsTest, ADroppedColumnLosesItsCells) {
  Run("CREATE TABLE t (k INTEGER PRIMARY KEY, a VARCHAR, b VARCHAR)");
  Run("CREATE VIEW v (x VARCHAR, y VARCHAR) AS SELECT * FROM t WHERE a = 'v'");
  Run("CREATE VIEW w (y VARCHAR) AS SELECT * FROM t");
  EXPECT_EQ(Run("UPSERT INTO v (k, b, x, y) VALUES (1, 'b', 'ex', 'why')"), "1");
  EXPECT_EQ(Run("UPSERT INTO t (k, x VARCHAR) VALUES (2, 'of no view')"), "1");
  EXPECT_EQ(Run("CREATE VIEW on_v AS SELECT * FROM v"), "0");
  EXPECT_EQ(Run("ALTER VIEW v DROP COLUMN x, y"), "0");
  EXPECT_EQ(Run("SELECT k, b, x, y FROM t (x VARCHAR, y VARCHAR)"), "1|b|null|why\n2|null|of no view|null\n");
  EXPECT_EQ(Run("ALTER VIEW v ADD x INTEGER"), "0");
  EXPECT_EQ(Run("SELECT k, x FROM on_v"), "1|null\n");
  EXPECT_EQ(Run("UPSERT INTO v (k, x) VALUES (1, 7)"), "1");
  EXPECT_EQ(Run("SELECT k, x FROM v"), "1|7\n");
}

// Also those that a session in the past, or a transaction, does not see. Indexes on the column go, too.
TEST_F(ViewsTest, ADroppedColumnLosesItsCellsOfToday) {
  Run("CREATE TABLE t (k INTEGER PRIMARY KEY, a VARCHAR)");
  Run("CREATE VIEW v (x VARCHAR) AS SELECT * FROM t");
  EXPECT_EQ(Run("CREATE INDEX by_x ON v (x)"), "0");
  EXPECT_EQ(Run("CREATE INDEX by_upper ON v (UPPER(x) || '!')"), "0");
  EXPECT_EQ(Run("CREATE INDEX by_a ON v (a)"), "0");
  EXPECT_EQ(Run("UPSERT INTO v (k, a, x) VALUES (1, 'a', 'ex')"), "1");
  const std::unique_ptr<Session> past = *Session::Open(connection_.get(), {.as_of_ms = 1000});
  EXPECT_EQ(RunText(past.get(), "ALTER VIEW v DROP COLUMN x"), "0");
  EXPECT_EQ(Run("SELECT * FROM t (x VARCHAR)"), "1|a|null\n");
  const std::vector<IndexInfo> left = *(*connection_->admin().indexes())->ListIndexes("T");
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].index.name, "BY_A");
  EXPECT_EQ(Run("ALTER VIEW v ADD x INTEGER"), "0");
  EXPECT_EQ(Run("UPSERT INTO v (k, x) VALUES (1, 7)"), "1");

  Run("CREATE TABLE tx (k INTEGER PRIMARY KEY) TRANSACTIONAL=true");
  Run("CREATE VIEW vtx (x VARCHAR) AS SELECT * FROM tx");
  EXPECT_EQ(Run("UPSERT INTO vtx VALUES (1, 'ex')"), "1");
  const std::unique_ptr<Session> waiting = *Session::Open(connection_.get(), {.auto_commit = false});
  EXPECT_EQ(RunText(waiting.get(), "SELECT * FROM vtx"), "1|ex\n");
  EXPECT_EQ(RunText(waiting.get(), "ALTER VIEW vtx DROP COLUMN x"), "0");
  EXPECT_TRUE(waiting->Rollback().ok());
  EXPECT_EQ(Run("SELECT * FROM tx (x VARCHAR)"), "1|null\n");
}

// Neither defaults nor the columns in single cells are written.
TEST_F(ViewsTest, ADroppedColumnLosesNothingElse) {
  Run("CREATE TABLE d (k INTEGER PRIMARY KEY, a INTEGER DEFAULT 5)");
  Run("CREATE IMMUTABLE TABLE s (k INTEGER PRIMARY KEY, a INTEGER) COLUMN_ENCODED_BYTES=1");
  for (const std::string table : {"d", "s"}) {
    Run("CREATE VIEW v" + table + " (x VARCHAR, y VARCHAR, z VARCHAR) AS SELECT * FROM " + table);
    EXPECT_EQ(Run("UPSERT INTO v" + table + " (k, a, x, y) VALUES (1, 7, 'ex', 'why')"), "1");
    EXPECT_EQ(Run("UPSERT INTO v" + table + " (k, a, y, z) VALUES (2, 8, 'why', 'zet')"), "1");
    EXPECT_EQ(Run("ALTER VIEW v" + table + " DROP COLUMN x, z"), "0");
    EXPECT_EQ(Run("SELECT k, a, x, y, z FROM v" + table + " (x VARCHAR, z VARCHAR)"),
              "1|7|null|why|null\n2|8|null|why|null\n");
  }
}

TEST_F(ViewsTest, AViewOfATableWithoutAKeyDropsAllItsColumns) {
  Run("CREATE TABLE t (a INTEGER)");
  Run("INSERT INTO t VALUES (1)");
  Run("CREATE VIEW v (x INTEGER) AS SELECT * FROM t");
  EXPECT_EQ(Run("ALTER VIEW v DROP COLUMN a"), "0");
  EXPECT_EQ(Run("SELECT * FROM v"), "null\n");
}

TEST_F(ViewsTest, AViewThatDroppedAColumnOfItsTableNamesTheOthers) {
  Run("CREATE TABLE t (k INTEGER PRIMARY KEY, a VARCHAR, f.a VARCHAR, b VARCHAR)");
  Run("UPSERT INTO t VALUES (1, 'a', 'fa', 'b')");
  Run("CREATE VIEW v (x VARCHAR) AS SELECT * FROM t WHERE b = 'b'");
  Run("CREATE VIEW on_v AS SELECT * FROM v");
  EXPECT_EQ(Run("ALTER VIEW v DROP COLUMN \"0\".a"), "0");
  EXPECT_EQ(Run("SHOW CREATE TABLE v"), "CREATE VIEW V (X VARCHAR) AS SELECT K, F.A, B FROM \"T\" WHERE B = 'b'\n");
  EXPECT_EQ(Run("SELECT * FROM v"), "1|fa|b|null\n");
  EXPECT_EQ(Run("SELECT * FROM on_v"), "1|fa|b|null\n");
  EXPECT_EQ(Run("ALTER TABLE t ADD later VARCHAR"), "0");
  EXPECT_EQ(Run("SELECT * FROM v"), "1|fa|b|null\n");
  EXPECT_EQ(Run("ALTER VIEW v ADD later INTEGER").substr(0, 18), "ERROR 1010 (42M01)");
  EXPECT_EQ(Run("ALTER VIEW v ADD later VARCHAR, \"0\".a VARCHAR"), "0");
  EXPECT_EQ(Run("SELECT \"0\".a, later FROM v"), "a|null\n");
  // The table's cells stay.
  EXPECT_EQ(Run("ALTER VIEW v DROP COLUMN \"0\".a"), "0");
  EXPECT_EQ(Run("SELECT \"0\".a FROM t"), "a\n");
  EXPECT_EQ(Run("CREATE VIEW w AS SELECT b, f.a FROM t"), "0");
  EXPECT_EQ(Run("SELECT * FROM w"), "1|fa|b\n");
  EXPECT_EQ(Run("CREATE VIEW u AS SELECT nope FROM t").substr(0, 17), "ERROR 504 (42703)");
  EXPECT_EQ(Run("CREATE VIEW u AS SELECT f.a FROM t WHERE b = 'b'").substr(0, 18), "ERROR 1132 (XCL32)");
}

// Only the same cells can be both a view's and its table's.
TEST_F(ViewsTest, TheTableGetsAColumnThatAViewHas) {
  Run("CREATE TABLE t (k INTEGER PRIMARY KEY) COLUMN_ENCODED_BYTES=2");
  Run("CREATE TABLE u (k INTEGER PRIMARY KEY)");
  Run("CREATE VIEW vt (x VARCHAR(5)) AS SELECT * FROM t");
  Run("CREATE VIEW vu (x VARCHAR(5), n INTEGER NOT NULL CONSTRAINT pk PRIMARY KEY (n)) AS SELECT * FROM u");
  EXPECT_EQ(Run("UPSERT INTO vu VALUES (1, 'ex', 2)"), "1");
  EXPECT_EQ(Run("ALTER TABLE t ADD x VARCHAR(5)").substr(0, 18), "ERROR 1010 (42M01)");
  EXPECT_EQ(Run("ALTER TABLE u ADD x VARCHAR").substr(0, 18), "ERROR 1010 (42M01)");
  EXPECT_EQ(Run("ALTER TABLE u ADD n INTEGER").substr(0, 18), "ERROR 1010 (42M01)");
  EXPECT_EQ(Run("ALTER TABLE u ADD x VARCHAR(5)"), "0");
  EXPECT_EQ(Run("SELECT x FROM u"), "ex\n");
  EXPECT_EQ(Run("SELECT x FROM vu"), "ex\n");
  EXPECT_EQ(Run("ALTER TABLE u DROP COLUMN x"), "0");
  EXPECT_EQ(Run("SELECT x FROM vu"), "null\n");
}

TEST_F(ViewsTest, WritesThroughViews) {
  EXPECT_EQ(Run("CREATE TABLE t (kind VARCHAR NOT NULL, id INTEGER NOT NULL, a VARCHAR, n DECIMAL, "
                "CONSTRAINT pk PRIMARY KEY (kind, id))"),
            "0");
  EXPECT_EQ(Run("CREATE VIEW x AS SELECT * FROM t WHERE 'x' = kind AND n IN (1 + 0.50)"), "0");
  EXPECT_EQ(Run("UPSERT INTO x (id, a) VALUES (1, 'one')"), "1");
  EXPECT_EQ(Run("UPSERT INTO x VALUES ('x', 2, 'two', 1.50)"), "1");
  EXPECT_EQ(Run("SELECT * FROM t"), "x|1|one|1.5\nx|2|two|1.5\n");
  const std::string refused =
      "ERROR 1046 (43A03): A VIEW column may not be updated if the VIEW definition requires a constant value. "
      "columnName=X.";
  EXPECT_EQ(Run("UPSERT INTO x (kind, id) VALUES ('y', 3)"), refused + "KIND, which must be x");
  EXPECT_EQ(Run("UPSERT INTO x (id, n) VALUES (3, NULL)"), refused + "N, which must be 1.5");
  EXPECT_EQ(Run("UPSERT INTO x (kind, id) SELECT a, id FROM t"), refused + "KIND, which must be x");
  EXPECT_EQ(Run("UPDATE x SET n = 2"), refused + "N, which must be 1.5");
  EXPECT_EQ(Run("UPSERT INTO x (id) VALUES (1) ON DUPLICATE KEY UPDATE n = 2"), refused + "N, which must be 1.5");
  EXPECT_EQ(Run("INSERT INTO x (id, a) VALUES (4, 'four')"), "1");
  EXPECT_EQ(Run("UPSERT INTO t VALUES ('y', 1, 'other', 1.5)"), "1");
  EXPECT_EQ(Run("UPDATE x SET a = a || '!' WHERE id < 3"), "2");
  EXPECT_EQ(Run("DELETE FROM x WHERE id >= 2 OR kind = 'y'"), "2");
  EXPECT_EQ(Run("SELECT * FROM t"), "x|1|one!|1.5\ny|1|other|1.5\n");
  EXPECT_EQ(Run("CREATE VIEW c AS SELECT * FROM t WHERE 1 = 1"),
            "ERROR 1045 (43A02): WHERE clause in VIEW should not evaluate to a constant.");
  for (const char* const other :
       {"kind > 'x'", "UPPER(kind) = 'X'", "kind = a", "n = RAND()", "NOT kind = 'x'", "kind = 'x' AND kind = 'y'",
        "a = NULL", "kind = 'x' OR n = 1", "kind IN ('x', 'y')", "a IS NOT NULL"}) {
    EXPECT_EQ(Run(std::string("CREATE VIEW r AS SELECT * FROM t WHERE ") + other), "0") << other;
    EXPECT_EQ(Run("UPSERT INTO r VALUES ('x', 9, 'a', 1)"), "ERROR 505 (42000): Table is read only. tableName=R");
    EXPECT_EQ(Run("DROP VIEW r"), "0");
  }
}

TEST_F(ViewsTest, ViewsAcceptNoRowsThatTheyDoNotShow) {
  EXPECT_EQ(
      Run("CREATE TABLE t (org VARCHAR NOT NULL, id INTEGER NOT NULL, a VARCHAR CONSTRAINT pk PRIMARY KEY (org, id)) "
          "MULTI_TENANT=true"),
      "0");
  EXPECT_EQ(Run("CREATE VIEW acme AS SELECT * FROM t WHERE org = 'acme'"), "0");
  EXPECT_EQ(Run("CREATE VIEW both AS SELECT * FROM acme WHERE org = 'acme' AND a = 'x'"), "0");
  EXPECT_EQ(Run("CREATE VIEW none AS SELECT * FROM both WHERE a = 'y'"), "0");
  EXPECT_EQ(Run("UPSERT INTO both (id) VALUES (1)"), "1");
  EXPECT_EQ(Run("UPSERT INTO none (id) VALUES (2)"), "ERROR 505 (42000): Table is read only. tableName=NONE");
  const auto acme = *Session::Open(connection_.get(), {.tenant = "acme"});
  EXPECT_EQ(RunText(acme.get(), "UPSERT INTO acme (id) VALUES (3)"), "1");
  const auto other = *Session::Open(connection_.get(), {.tenant = "b"});
  EXPECT_EQ(RunText(other.get(), "UPSERT INTO acme (id) VALUES (4)"),
            "ERROR 505 (42000): Table is read only. tableName=ACME");
  EXPECT_EQ(Run("SELECT * FROM t"), "acme|1|x\nacme|3|null\n");

  EXPECT_EQ(Run("CREATE TABLE f (id INTEGER PRIMARY KEY, a VARCHAR, f.b VARCHAR, g.b VARCHAR)"), "0");
  EXPECT_EQ(Run("CREATE VIEW vague AS SELECT * FROM f WHERE b = 'x'").substr(0, 18), "ERROR 502 (42702):");
  EXPECT_EQ(Run("CREATE VIEW clear AS SELECT * FROM f WHERE f.a = 'x' AND g.b = 'y'"), "0");
  EXPECT_EQ(Run("UPSERT INTO clear (id) VALUES (1)"), "1");
  EXPECT_EQ(Run("SELECT * FROM clear"), "1|x|null|y\n");
}

TEST_F(ViewsTest, InvalidViewsAreDropped) {
  EXPECT_EQ(Run("CREATE TABLE other (k INTEGER PRIMARY KEY)"), "0");
  EXPECT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, a VARCHAR)"), "0");
  EXPECT_EQ(Run("CREATE VIEW v (y INTEGER) AS SELECT * FROM t"), "0");
  EXPECT_EQ(Run("CREATE VIEW w AS SELECT * FROM v"), "0");
  ASSERT_TRUE(connection_->admin().DisableTable("T").ok());
  ASSERT_TRUE(connection_->admin().DeleteTable("T").ok());  // as HBase's clients do
  EXPECT_EQ(Run("CREATE TABLE t (k VARCHAR PRIMARY KEY, y VARCHAR)"), "0");
  EXPECT_EQ(Run("SELECT * FROM v").substr(0, 17), "ERROR 514 (42892)");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM SYSTEM.CATALOG WHERE table_type = 'v'"), "0\n");
  EXPECT_EQ(Run("DROP TABLE other"), "0");
  EXPECT_EQ(Run("ALTER TABLE t ADD z INTEGER"), "0");
  EXPECT_EQ(Run("DROP VIEW v"), "0");
  EXPECT_EQ(Run("DROP VIEW w"), "0");
  EXPECT_EQ(Run("DROP VIEW w"), "ERROR 1012 (42M03): Table undefined. tableName=W");
  EXPECT_EQ(Run("DROP VIEW IF EXISTS w"), "0");
  EXPECT_EQ(Run("CREATE VIEW v AS SELECT * FROM t"), "0");
}

TEST_F(ViewsTest, AViewIsNotItsOwnTable) {
  TableDescriptor table;
  table.name = "logins";
  table.attributes[std::string(RowKeySchema::kTableAttribute)] = "user:text(4) day:text(8)";
  table.families.emplace_back().name = "d";
  ASSERT_TRUE(connection_->admin().CreateTable(table).ok());
  EXPECT_EQ(Run("CREATE VIEW \"logins\" AS SELECT * FROM \"logins\"").substr(0, 18), "ERROR 1013 (42M04)");
  EXPECT_EQ(Run("SELECT * FROM \"logins\""), "");
  EXPECT_EQ(Run("CREATE VIEW v0 AS SELECT * FROM \"logins\""), "0");
  for (int i = 1; i < 32; ++i) {
    EXPECT_EQ(Run("CREATE VIEW v" + std::to_string(i) + " AS SELECT * FROM v" + std::to_string(i - 1)), "0");
  }
  EXPECT_EQ(Run("SELECT * FROM v31"), "");
  EXPECT_EQ(Run("CREATE VIEW v32 AS SELECT * FROM v31"), "SQL: more than 32 views on top of each other: V0");
  // A catalog that is copied from elsewhere may have a cycle.
  const auto catalog = *connection_->GetTable("KLIP_SQL");
  ASSERT_TRUE(catalog->Put(Put{.row = "view:V0"}.Add("d", "statement", "CREATE VIEW V0 AS SELECT * FROM V31")).ok());
  EXPECT_EQ(Run("SELECT * FROM v31").substr(0, 44), "SQL: more than 32 views on top of each other");
  EXPECT_EQ(Run("DROP VIEW v31"), "0");
}

TEST_F(ViewsTest, ViewsAddColumnsToTheKey) {
  EXPECT_EQ(Run("CREATE TABLE t (kind VARCHAR NOT NULL, id INTEGER NOT NULL, a VARCHAR, "
                "CONSTRAINT pk PRIMARY KEY (kind, id)) SALT_BUCKETS=3"),
            "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES ('k', 1, 'of t')"), "1");
  EXPECT_EQ(
      Run("CREATE VIEW v (extra INTEGER, sub INTEGER NOT NULL, tag VARCHAR CONSTRAINT pk PRIMARY KEY (sub, tag DESC))"
          " AS SELECT * FROM t WHERE kind = 'k'"),
      "0");
  EXPECT_EQ(Run("UPSERT INTO v (id, sub, tag, extra) VALUES (1, 2, 'p', 10)"), "1");
  EXPECT_EQ(Run("UPSERT INTO v (id, sub, tag, extra) VALUES (1, 2, 'q', 20)"), "1");
  EXPECT_EQ(Run("UPSERT INTO v (id, sub, a) VALUES (1, 3, 'no tag')"), "1");
  EXPECT_EQ(Run("UPSERT INTO v (id, tag) VALUES (1, 'p')"),
            "ERROR 218 (23018): Constraint violation. V.SUB may not be null");
  EXPECT_EQ(Run("SELECT * FROM v ORDER BY id, sub, tag"),
            "k|1|of t|null|null|null\nk|1|null|10|2|p\nk|1|null|20|2|q\nk|1|no tag|null|3|null\n");
  EXPECT_EQ(Run("SELECT extra FROM v WHERE id = 1 AND sub = 2 AND tag = 'q'"), "20\n");
  EXPECT_EQ(Run("SELECT extra FROM v WHERE tag = 'p'"), "10\n");
  // The table sees the rows too, deletes them and changes them.
  EXPECT_EQ(Run("SELECT kind, id, a FROM t WHERE id <= 1 ORDER BY a"), "k|1|null\nk|1|null\nk|1|no tag\nk|1|of t\n");
  EXPECT_EQ(Run("UPDATE t SET a = 'new' WHERE a IS NULL"), "2");
  EXPECT_EQ(Run("SELECT tag, a, extra FROM v WHERE sub = 2 ORDER BY tag"), "p|new|10\nq|new|20\n");
  EXPECT_EQ(Run("DELETE FROM v WHERE tag = 'p'"), "1");
  EXPECT_EQ(Run("DELETE FROM t WHERE a = 'new'"), "1");
  EXPECT_EQ(Run("SELECT sub, tag FROM v ORDER BY sub"), "null|null\n3|null\n");
  const std::string refused =
      "ERROR 1036 (42J04): Cannot modify the primary key of a VIEW if last PK column of parent is variable in length. "
      "columnName=";
  EXPECT_EQ(Run("CREATE VIEW w (more VARCHAR PRIMARY KEY) AS SELECT * FROM v"), refused + "TAG");
  for (const char* const name : {"id", "a"}) {
    EXPECT_EQ(Run(std::string("CREATE VIEW w (") + name + " BIGINT PRIMARY KEY) AS SELECT * FROM t").substr(0, 17),
              "ERROR 514 (42892)");
  }
}

TEST_F(ViewsTest, KeysWithIndexesStayAsTheyAre) {
  EXPECT_EQ(Run("CREATE TABLE t (kind VARCHAR NOT NULL, id INTEGER NOT NULL, a VARCHAR, "
                "CONSTRAINT pk PRIMARY KEY (kind, id))"),
            "0");
  EXPECT_EQ(Run("CREATE INDEX by_a ON t (a)"), "0");
  EXPECT_EQ(Run("CREATE VIEW v (sub VARCHAR PRIMARY KEY) AS SELECT * FROM t WHERE kind = 'k'"), "0");
  EXPECT_EQ(Run("UPSERT INTO v (id, sub, a) VALUES (1, 's', 'x')"), "1");
  EXPECT_EQ(Run("SELECT * FROM v WHERE a = 'x'"), "k|1|x|s\n");
  EXPECT_EQ(Run("SELECT * FROM t WHERE a = 'x'"), "k|1|x\n");
  EXPECT_EQ(Run("DROP VIEW v"), "0");
  EXPECT_EQ(Run("DELETE FROM t"), "1");
  EXPECT_EQ(Run("CREATE INDEX by_id ON t (id, a)"), "0");
  EXPECT_EQ(Run("CREATE VIEW v (sub VARCHAR PRIMARY KEY) AS SELECT * FROM t WHERE kind = 'k'"),
            "SQL: the view V adds columns to the key, of which the table has the index BY_ID");
  EXPECT_EQ(Run("DROP INDEX by_id ON t"), "0");
  const auto acme = *Session::Open(connection_.get(), {.tenant = "acme"});
  EXPECT_EQ(RunText(acme.get(), "CREATE VIEW w (sub VARCHAR PRIMARY KEY) AS SELECT * FROM t"), "0");
  EXPECT_EQ(Run("CREATE INDEX by_id ON t (id, a)"),
            "SQL: the index BY_ID is on the key of T, to which the view W adds columns");
}

TEST_F(ViewsTest, TenantsSeeTheirRows) {
  EXPECT_EQ(
      Run("CREATE TABLE t (org CHAR(4) NOT NULL, id INTEGER NOT NULL, a VARCHAR, CONSTRAINT pk PRIMARY KEY (org, id)) "
          "MULTI_TENANT=true, SALT_BUCKETS=3"),
      "0");
  EXPECT_EQ(Run("CREATE TABLE n (org INTEGER NOT NULL, id INTEGER NOT NULL CONSTRAINT pk PRIMARY KEY (org, id)) "
                "MULTI_TENANT=true"),
            "0");
  EXPECT_EQ(Run("CREATE TABLE u (org CHAR(4) PRIMARY KEY) MULTI_TENANT=true").substr(0, 18), "ERROR 1040 (42Y96)");
  EXPECT_EQ(Run("CREATE TABLE u (org CHAR(4) PRIMARY KEY)"), "0");
  EXPECT_EQ(Run("ALTER TABLE u SET MULTI_TENANT=true").substr(0, 18), "ERROR 1040 (42Y96)");
  EXPECT_EQ(Run("ALTER TABLE t SET MULTI_TENANT='false'"),
            "ERROR 601 (42P00): Syntax error. MULTI_TENANT must be true or false, not false");
  EXPECT_EQ(Run("UPSERT INTO t VALUES ('b', 1, 'of b')"), "1");
  const auto acme = *Session::Open(connection_.get(), {.tenant = "acme"});
  const auto as_acme = [&](const std::string& sql) { return RunText(acme.get(), sql); };
  EXPECT_EQ(as_acme("SELECT * FROM t"), "");
  EXPECT_EQ(as_acme("UPSERT INTO t VALUES (1, 'one')"), "1");
  EXPECT_EQ(as_acme("UPSERT INTO t (id, a) VALUES (2, 'two')"), "1");
  EXPECT_EQ(as_acme("UPSERT INTO t (org, id) VALUES ('b', 9)").substr(0, 18), "ERROR 1046 (43A03)");
  EXPECT_EQ(as_acme("SELECT * FROM t WHERE id > 1 OR a = 'of b'"), "2|two\n");
  EXPECT_EQ(as_acme("EXPLAIN SELECT * FROM t WHERE id = 1").substr(0, 63),
            "CLIENT 1-CHUNK PARALLEL 1-WAY POINT LOOKUP ON 1 KEY OVER T|null");
  EXPECT_EQ(
      as_acme("SELECT * FROM n"),
      "ERROR 1041 (42Y97): TenantId could not be converted to correct format for this table. tableName=N: 'acme' is "
      "not of type INTEGER");
  EXPECT_EQ(Run("CREATE TABLE m (org DECIMAL(3,1) NOT NULL, id INTEGER NOT NULL CONSTRAINT pk PRIMARY KEY (org, id)) "
                "MULTI_TENANT=true"),
            "0");
  EXPECT_EQ(RunText(Session::Open(connection_.get(), {.tenant = "1.5"})->get(), "SELECT * FROM m"), "");
  EXPECT_EQ(RunText(Session::Open(connection_.get(), {.tenant = "1.55"})->get(), "SELECT * FROM m").substr(0, 18),
            "ERROR 1041 (42Y97)");
  EXPECT_EQ(as_acme("SELECT TABLE_NAME FROM SYSTEM.CATALOG WHERE TABLE_TYPE = 'u'"), "T\nU\n");
  EXPECT_EQ(as_acme("CREATE TABLE mine (k INTEGER PRIMARY KEY)").substr(0, 18), "ERROR 1030 (42Y89)");
  EXPECT_EQ(as_acme("ALTER TABLE t ADD b INTEGER"), "ERROR 1012 (42M03): Table undefined. tableName=T");
  EXPECT_EQ(as_acme("CREATE INDEX i ON t (a)"),
            "SQL: CREATE, ALTER and DROP INDEX by a tenant: an index has the rows of all tenants");

  EXPECT_EQ(as_acme("CREATE VIEW v (sub INTEGER PRIMARY KEY, x VARCHAR) AS SELECT * FROM t WHERE a = 'v'"), "0");
  EXPECT_EQ(as_acme("UPSERT INTO v (id, sub, x) VALUES (5, 6, 'of v')"), "1");
  EXPECT_EQ(as_acme("SELECT * FROM v"), "5|v|6|of v\n");
  EXPECT_EQ(as_acme("CREATE SEQUENCE s"), "0");
  EXPECT_EQ(as_acme("SELECT NEXT VALUE FOR s FROM v"), "1\n");
  const auto other = *Session::Open(connection_.get(), {.tenant = "b"});
  EXPECT_EQ(RunText(other.get(), "SELECT * FROM v"), "ERROR 1012 (42M03): Table undefined. tableName=V");
  EXPECT_EQ(RunText(other.get(), "SELECT NEXT VALUE FOR s FROM t"),
            "ERROR 1201 (42Z01): Sequence undefined. tableName=S");
  EXPECT_EQ(RunText(other.get(), "DELETE FROM t"), "1");
  EXPECT_EQ(RunText(other.get(), "CREATE VIEW v AS SELECT * FROM t"), "0");

  EXPECT_EQ(Run("SELECT * FROM t ORDER BY id"), "acme|1|one\nacme|2|two\nacme|5|v\n");
  EXPECT_EQ(Run("CREATE VIEW g AS SELECT * FROM t WHERE a = 'two'"), "0");
  EXPECT_EQ(as_acme("SELECT * FROM g"), "2|two\n");
  EXPECT_EQ(as_acme("CREATE VIEW w AS SELECT * FROM g"), "0");
  EXPECT_EQ(as_acme("SELECT TENANT_ID, TABLE_NAME FROM SYSTEM.CATALOG WHERE TABLE_TYPE = 'v'"),
            "null|G\nacme|V\nacme|W\n");
  EXPECT_EQ(
      Run("DROP VIEW g"),
      "ERROR 1010 (42M01): Not allowed to mutate table. tableName=G has the view W: drop them first, or use CASCADE");
  EXPECT_EQ(Run("DROP TABLE t CASCADE"), "0");
  EXPECT_EQ(as_acme("SELECT * FROM v"), "ERROR 1012 (42M03): Table undefined. tableName=V");
  EXPECT_EQ(RunText(other.get(), "SELECT * FROM v"), "ERROR 1012 (42M03): Table undefined. tableName=V");
  EXPECT_FALSE(Session::Open(connection_.get(), {.tenant = std::string("a\0b", 3)}).ok());
}

TEST_F(ViewsTest, TenantsSeeTheirRowsOfHBaseTables) {
  TableDescriptor table;
  table.name = "plain";
  table.families.emplace_back().name = "0";
  ASSERT_TRUE(connection_->admin().CreateTable(table).ok());
  const std::string view = "CREATE VIEW \"plain\" (org VARCHAR NOT NULL";
  EXPECT_EQ(Run(view + " PRIMARY KEY) MULTI_TENANT=true").substr(0, 18), "ERROR 1040 (42Y96)");
  EXPECT_EQ(Run(view + ", id VARCHAR CONSTRAINT pk PRIMARY KEY (org, id)) MULTI_TENANT=true"), "0");
  const auto opened = *connection_->GetTable("plain");
  for (const std::string org : {"acme", "b"}) {
    ASSERT_TRUE(opened->Put(klip::Put{.row = org + '\0' + "of " + org}.Add("0", "q", "")).ok());
  }
  EXPECT_EQ(Run("SELECT * FROM \"plain\""), "acme|of acme\nb|of b\n");
  EXPECT_EQ(RunText(Session::Open(connection_.get(), {.tenant = "b"})->get(), "SELECT * FROM \"plain\""), "of b\n");
}

}  // namespace
}  // namespace klip::sql
