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

TEST_F(CharTest, BlanksAloneAreNotNull) {
  Run("CREATE TABLE b (c CHAR(3) NOT NULL, k INTEGER NOT NULL, d CHAR(4) CONSTRAINT pk PRIMARY KEY (c, k))");
  EXPECT_EQ(Run("UPSERT INTO b VALUES (' ', 1, '  ')"), "1");
  EXPECT_EQ(Run("UPSERT INTO b VALUES ('   ', 2, 'ab')"), "1");
  EXPECT_EQ(Run("UPSERT INTO b VALUES ('a', 3, '')"), "1");
  EXPECT_EQ(Run("SELECT k, c, d, d IS NULL FROM b"), "1|||false\n2||ab|false\n3|a|null|true\n");
  EXPECT_EQ(Run("SELECT k FROM b WHERE c = ' '"), "1\n2\n");
  EXPECT_EQ(Run("SELECT k FROM b WHERE c > ' '"), "3\n");
  EXPECT_EQ(Run("SELECT k FROM b WHERE d = '  '"), "1\n");
  EXPECT_EQ(Run("SELECT k FROM b WHERE (c, k) > (' ', 1)"), "2\n3\n");
  EXPECT_EQ(Run("SELECT COUNT(d), MIN(d), LENGTH(MAX(d)) FROM b"), "2||4\n");
  EXPECT_EQ(Run("SELECT '<' || d || c || '>' FROM b WHERE k < 3"), "<>\n<ab>\n");
  EXPECT_EQ(Run("SELECT k, SUBSTR(d, 3) = ' ', SUBSTR(d, 3) IS NULL FROM b"),
            "1|true|false\n2|true|false\n3|null|true\n");
}

}  // namespace
}  // namespace klip::sql
