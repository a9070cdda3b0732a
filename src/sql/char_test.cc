// CHAR: its values are held without padding, and compared as Phoenix does.
#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

class CharTest : public SessionFixture {};

TEST_F(CharTest, ConstantsAreComparedWithoutPadding) {
  Run("CREATE TABLE c (k INTEGER PRIMARY KEY, c CHAR(5), n INTEGER)");
  Run("UPSERT INTO c VALUES (1, 'ab', 1)");
  Run("UPSERT INTO c VALUES (2, 'ab c', 2)");
  EXPECT_EQ(Run("SELECT k FROM c WHERE c = 'ab '"), "1\n");
  EXPECT_EQ(Run("SELECT k FROM c WHERE c = 'ab    '"), "") << "longer than the column";
  EXPECT_EQ(Run("SELECT k FROM c WHERE c IN ('x', 'ab c ')"), "2\n");
  EXPECT_EQ(Run("SELECT k FROM c WHERE c LIKE 'ab %'"), "1\n2\n");
  EXPECT_EQ(Run("SELECT k FROM c WHERE c LIKE '%b'"), "");
  EXPECT_EQ(Run("SELECT k FROM c WHERE c LIKE 'ab '"), "1\n");
  EXPECT_EQ(Run("SELECT k FROM c WHERE c = ?", {Value::Text("ab  ")}), "1\n");
  Run("CREATE INDEX part ON c (n) WHERE c LIKE 'ab %'");
  EXPECT_EQ(Run("SELECT k FROM c WHERE c = 'ab ' AND n > 0"), "1\n");
  EXPECT_EQ(Run("SELECT k FROM c WHERE c LIKE 'ab %' AND n > 0"), "1\n2\n");
}

}  // namespace
}  // namespace klip::sql
