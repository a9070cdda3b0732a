// ROWKEY_BYTES_STRING and PHOENIX_ROW_TIMESTAMP.
#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class RowFunctionsTest : public SessionFixture {};

TEST_F(RowFunctionsTest, ShowKeysAndTimes) {
  EXPECT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)"), "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 'a')"), "1");
  const auto table = *connection_->GetTable("T");
  const std::string two("\x80\0\0\2", 4);
  EXPECT_TRUE(table->Put(klip::Put{.row = two}.Add("0", "V", "b", 5000).Add("0", "_0", "x", 86400000)).ok());
  EXPECT_EQ(Run("SELECT ROWKEY_BYTES_STRING(), v FROM t"), "\\x80\\x00\\x00\\x01|a\n\\x80\\x00\\x00\\x02|b\n");
  EXPECT_EQ(Run("SELECT k FROM t WHERE ROWKEY_BYTES_STRING() = '\\x80\\x00\\x00\\x02'"), "2\n");
  EXPECT_EQ(Run("SELECT PHOENIX_ROW_TIMESTAMP() FROM t WHERE k = 2"), "1970-01-02 00:00:00.000\n");
  EXPECT_EQ(Run("SELECT k FROM t WHERE PHOENIX_ROW_TIMESTAMP() < NOW() - 1"), "2\n");
  EXPECT_EQ(Run("SELECT MIN(PHOENIX_ROW_TIMESTAMP()), COUNT(*) FROM t"), "1970-01-02 00:00:00.000|2\n");
  EXPECT_EQ(Run("SELECT a.k, ROWKEY_BYTES_STRING() FROM t a JOIN t b ON b.k = a.k + 1"), "1|\\x80\\x00\\x00\\x01\n");
  EXPECT_EQ(Run("SELECT k FROM t ORDER BY PHOENIX_ROW_TIMESTAMP()"), "2\n1\n");
  EXPECT_EQ(Run("SELECT * FROM t WHERE PHOENIX_ROW_TIMESTAMP() IS NULL"), "");
  EXPECT_EQ(Run("SELECT ROWKEY_BYTES_STRING()"),
            "ERROR 6001 (42F01): Function undefined. functionName=ROWKEY_BYTES_STRING without a table");
  EXPECT_EQ(Run("SELECT a.k FROM t a JOIN t b ON b.k = a.k AND ROWKEY_BYTES_STRING() LIKE '%2'"), "2\n");
  EXPECT_EQ(Run("SELECT v, MAX(k), PHOENIX_ROW_TIMESTAMP() FROM t GROUP BY v").substr(0, 18), "ERROR 1018 (42Y27)");
  EXPECT_EQ(Run("SELECT COUNT(*) FROM t GROUP BY PHOENIX_ROW_TIMESTAMP() HAVING PHOENIX_ROW_TIMESTAMP() < NOW() - 1"),
            "1\n");
  EXPECT_EQ(Run("DELETE FROM t WHERE PHOENIX_ROW_TIMESTAMP() < NOW() - 1"), "1");
  EXPECT_EQ(Run("SELECT INVERT(v), INVERT(k) + 1 FROM t"), "a|2\n");
}

}  // namespace
}  // namespace klip::sql
