// Views AS SELECT, and what tenants see: what tests/sql cannot say in statements.
#include <memory>
#include <vector>

#include "klip/index.h"
#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class ViewsTest : public SessionFixture {};

TEST_F(ViewsTest, RefuseSubqueriesAndTakeParameters) {
  EXPECT_EQ(Run("CREATE TABLE t (id INTEGER PRIMARY KEY)"), "0");
  EXPECT_EQ(Run("CREATE VIEW b AS SELECT * FROM t WHERE id IN (SELECT id FROM t)").substr(0, 27),
            "SQL: a view with subqueries");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1)") + Run("UPSERT INTO t VALUES (2)"), "11");
  EXPECT_EQ(Run("CREATE VIEW b AS SELECT * FROM t WHERE id = ?", {Value::Integer(1)}), "0");
  EXPECT_EQ(Run("SELECT id FROM b"), "1\n");
}

TEST_F(ViewsTest, TenantsFindRowsByTheirKeys) {
  EXPECT_EQ(Run("CREATE TABLE t (org CHAR(4) NOT NULL, id INTEGER NOT NULL, CONSTRAINT pk PRIMARY KEY (org, id)) "
                "MULTI_TENANT=true, SALT_BUCKETS=3"),
            "0");
  const auto acme = *Session::Open(connection_.get(), {.tenant = "acme"});
  EXPECT_EQ(RunText(acme.get(), "EXPLAIN SELECT * FROM t WHERE id = 1").substr(0, 63),
            "CLIENT 1-CHUNK PARALLEL 1-WAY POINT LOOKUP ON 1 KEY OVER T|null");
  EXPECT_FALSE(Session::Open(connection_.get(), {.tenant = std::string("a\0b", 3)}).ok());
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
