// FIRST_VALUE, LAST_VALUE, NTH_VALUE and those of several values, as Phoenix 5.2.1 answers.
#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class OrderedAggregatesTest : public SessionFixture {
 protected:
  void SetUp() override {
    ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, s VARCHAR, n INTEGER)"), "0");
    for (const char* const row : {"1, 'abc', 5", "2, 'xyz', 7", "3, 'xyz', NULL", "4, 'xyz', 3"}) {
      ASSERT_EQ(Run(std::string("UPSERT INTO t VALUES (") + row + ")"), "1");
    }
  }
};

TEST_F(OrderedAggregatesTest, NullsDoNotCount) {
  EXPECT_EQ(Run("SELECT FIRST_VALUE(n) WITHIN GROUP (ORDER BY k ASC) FROM t WHERE k >= 3"), "3\n");
  EXPECT_EQ(Run("SELECT LAST_VALUE(n) WITHIN GROUP (ORDER BY k ASC) FROM t WHERE k <= 3"), "7\n");
  EXPECT_EQ(Run("SELECT NTH_VALUE(n, 2) WITHIN GROUP (ORDER BY k ASC) FROM t WHERE k >= 2"), "3\n");
  EXPECT_EQ(Run("SELECT FIRST_VALUE(k) WITHIN GROUP (ORDER BY n ASC) FROM t"), "4\n");
  EXPECT_EQ(Run("SELECT FIRST_VALUE(n) WITHIN GROUP (ORDER BY k ASC) FROM t WHERE k = 3"), "null\n");
}

TEST_F(OrderedAggregatesTest, SeveralValuesAreAnArray) {
  EXPECT_EQ(Run("SELECT FIRST_VALUES(n, 2) WITHIN GROUP (ORDER BY k ASC), FIRST_VALUES(n, 9) WITHIN GROUP (ORDER BY k "
                "DESC) FROM t"),
            "[5, 7]|[3, 7, 5]\n");
  EXPECT_EQ(Run("SELECT LAST_VALUES(n, 2) WITHIN GROUP (ORDER BY k ASC), LAST_VALUES(n, 3) WITHIN GROUP (ORDER BY k "
                "DESC) FROM t"),
            "[3, 7]|[5, 7, 3]\n");
  EXPECT_EQ(Run("SELECT s, FIRST_VALUES(k, 2) WITHIN GROUP (ORDER BY n ASC), LAST_VALUES(k, 2) WITHIN GROUP (ORDER BY "
                "n ASC) FROM t "
                "GROUP BY s"),
            "abc|[1]|[1]\nxyz|[4, 2]|[2, 4]\n");
  EXPECT_EQ(Run("SELECT FIRST_VALUES(s, 9) WITHIN GROUP (ORDER BY k ASC) FROM t"), "['abc', 'xyz', 'xyz', 'xyz']\n");
  EXPECT_EQ(Run("SELECT FIRST_VALUES(n, 0) WITHIN GROUP (ORDER BY k ASC) FROM t"), "[5]\n");
  EXPECT_EQ(Run("SELECT FIRST_VALUES(n, 2) WITHIN GROUP (ORDER BY k ASC) FROM t WHERE k > 100"), "null\n");
  EXPECT_EQ(Run("SELECT FIRST_VALUES(n, 2) WITHIN GROUP (ORDER BY k ASC)[2] FROM t"), "7\n");
  for (const char* const count : {"-1", "k", "1.5", "NULL", "'2'"}) {
    EXPECT_EQ(
        Run(std::string("SELECT FIRST_VALUES(n, ") + count + ") WITHIN GROUP (ORDER BY k ASC) FROM t").substr(0, 17),
        "ERROR 203 (22005)")
        << count;
  }
  EXPECT_EQ(Run("SELECT FIRST_VALUES(n) WITHIN GROUP (ORDER BY k ASC) FROM t").substr(0, 17), "ERROR 6001 (42F01");
}

TEST_F(OrderedAggregatesTest, DistinctCountIsCountDistinct) {
  EXPECT_EQ(Run("SELECT DISTINCT_COUNT(n), DISTINCT_COUNT(s) FROM t"), "3|2\n");
}

}  // namespace
}  // namespace klip::sql
