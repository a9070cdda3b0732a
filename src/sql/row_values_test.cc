// Rows of values with NULLs, and the numbers of a sequence in a row.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

using RowValuesTest = SessionFixture;

TEST_F(RowValuesTest, GivesEachRowOneNumberOfASequence) {
  ASSERT_EQ(Run("CREATE SEQUENCE s"), "0");
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, a BIGINT, b BIGINT, c BIGINT)"), "0");
  const std::string upsert = "UPSERT INTO t VALUES (NEXT VALUE FOR s, NEXT VALUE FOR s, CURRENT VALUE FOR s, ?)";
  const std::unique_ptr<Statement> statement = *session_->Prepare(upsert);
  for (int i = 0; i < 3; ++i) {
    const std::vector<Value> values = {Value(Type::kBigint, int64_t{i})};
    ASSERT_TRUE(statement->Execute(values).ok());
  }
  EXPECT_EQ(Run("SELECT * FROM t"), "1|1|1|0\n2|2|2|1\n3|3|3|2\n");
  EXPECT_EQ(Run("SELECT k, NEXT VALUE FOR s, NEXT VALUE FOR s * 10, CURRENT VALUE FOR s FROM t"),
            "1|4|40|4\n2|5|50|5\n3|6|60|6\n");
  EXPECT_EQ(Run("SELECT CASE WHEN k = 2 THEN NEXT VALUE FOR s END, CASE WHEN k > 1 THEN NEXT VALUE FOR s END FROM t"),
            "null|null\n7|7\nnull|8\n");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (4, NEXT VALUE FOR s), (5, NEXT VALUE FOR s)"), "2");
  EXPECT_EQ(Run("SELECT k, a FROM t WHERE k > 3"), "4|9\n5|10\n");
}

}  // namespace
}  // namespace klip::sql
