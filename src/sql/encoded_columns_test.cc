// Tables of klip's own with numbers in place of column names, and with single cells. compat/sql compares their cells with
// those of Phoenix.
#include <string>

#include <gtest/gtest.h>

#include "klip/bytes.h"
#include "sql/catalog/column_encoding.h"
#include "sql/session_fixture_test.h"

namespace klip::sql {
namespace {

using namespace std::string_literals;

class EncodedColumnsTest : public SessionFixture {
 protected:
  // The cells of the table without markers: "family:qualifier=value ".
  std::string CellsOf(const std::string& table) {
    std::string text;
    ForEachCell(table, [&](const Cell& cell) {
      if (cell.qualifier != "\0\0\0\0"s) {
        text +=
            std::string(cell.family) + ":" + ToStringBinary(cell.qualifier) + "=" + ToStringBinary(cell.value) + " ";
      }
    });
    return text;
  }
};

TEST(ColumnEncodingTest, HasPhoenixBytes) {
  EXPECT_EQ(EncodeQualifier(11, 1), "\x8B");
  EXPECT_EQ(EncodeQualifier(130, 1), "\x02");
  EXPECT_EQ(EncodeQualifier(11, 2), "\x80\x0B");
  EXPECT_EQ(EncodeQualifier(11, 3), "\0\0\x0B"s);
  EXPECT_EQ(EncodeQualifier(11, 4), "\0\0\0\x0B"s);
  for (const int bytes : {1, 2, 3, 4}) {
    for (const int64_t number : {int64_t{11}, int64_t{127}, int64_t{128}, int64_t{255}}) {
      EXPECT_EQ(DecodeQualifier(EncodeQualifier(number, bytes)), number) << bytes;
    }
  }
}

TEST_F(EncodedColumnsTest, NumbersAreTheQualifiers) {
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR, f.w INTEGER) COLUMN_ENCODED_BYTES=1"), "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 'a', 5)"), "1");
  EXPECT_EQ(CellsOf("T"), "0:\\x8B=a F:\\x8C=\\x80\\x00\\x00\\x05 ");
  EXPECT_EQ(Run("SELECT w, v FROM t WHERE w = 5 AND v = 'a'"), "5|a\n");
  EXPECT_EQ(Run("UPDATE t SET w = w + 1"), "1");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 'x', 0) ON DUPLICATE KEY UPDATE w = w + 1"), "1");
  EXPECT_EQ(Run("UPSERT INTO t (k, v) VALUES (1, NULL)"), "1");
  EXPECT_EQ(Run("SELECT * FROM t"), "1|null|7\n");
}

TEST_F(EncodedColumnsTest, NumbersOfDroppedColumnsAreNotUsedAgain) {
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR, w VARCHAR) COLUMN_ENCODED_BYTES=2"), "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 'a', 'b')"), "1");
  EXPECT_EQ(Run("ALTER TABLE t DROP COLUMN w"), "0");
  EXPECT_EQ(Run("ALTER TABLE t ADD x INTEGER"), "0");
  session_ = *Session::Open(connection_.get());  // the catalog has the numbers
  EXPECT_EQ(Run("UPSERT INTO t (k, x) VALUES (2, 7)"), "1");
  EXPECT_EQ(Run("SELECT * FROM t"), "1|a|null\n2|null|7\n");
  EXPECT_EQ(CellsOf("T"), "0:\\x80\\x0B=a 0:\\x80\\x0D=\\x80\\x00\\x00\\x07 ");
}

TEST_F(EncodedColumnsTest, HaveIndexes) {
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR, w INTEGER) COLUMN_ENCODED_BYTES=3"), "0");
  for (int k = 0; k < 20; ++k) {
    EXPECT_EQ(Run("UPSERT INTO t VALUES (" + std::to_string(k) + ", 'v" + std::to_string(k) + "', " +
                  std::to_string(k % 7) + ")"),
              "1");
  }
  ASSERT_EQ(Run("CREATE INDEX by_w ON t (w) INCLUDE (v)"), "0");
  EXPECT_NE(Run("EXPLAIN SELECT v FROM t WHERE w = 3").find("index BY_W"), std::string::npos);
  EXPECT_EQ(Run("UPSERT INTO t VALUES (3, 'x', 4)"), "1");
  EXPECT_EQ(Run("SELECT k, v FROM t WHERE w = 3"), "10|v10\n17|v17\n");
}

TEST_F(EncodedColumnsTest, SingleCellsContainTheColumnsOfAFamily) {
  ASSERT_EQ(Run("CREATE IMMUTABLE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR DEFAULT 'd', w VARCHAR, f.x VARCHAR) "
                "IMMUTABLE_STORAGE_SCHEME=SINGLE_CELL_ARRAY_WITH_OFFSETS"),
            "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 'a', 'b', 'c')"), "1");
  EXPECT_EQ(CellsOf("T"),
            "0:1=xab\\x00\\x00\\x00\\x01\\x00\\x02\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x03\\x03 "
            "F:1=xc\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x02\\x03 ");
  EXPECT_EQ(Run("UPSERT INTO t (k, w) VALUES (2, 'e')"), "1");
  EXPECT_EQ(Run("UPSERT INTO t (k, v) VALUES (3, NULL)"), "1");
  EXPECT_EQ(Run("SELECT * FROM t"), "1|a|b|c\n2|d|e|null\n3|null|null|null\n");
  EXPECT_EQ(Run("ALTER TABLE t DROP COLUMN v"), "0");
  EXPECT_EQ(Run("ALTER TABLE t ADD v VARCHAR, f.y VARCHAR"), "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (4, 'w', 'x', 'v', 'y')"), "1");
  EXPECT_EQ(Run("SELECT * FROM t WHERE k <> 3"), "1|b|c|null|null\n2|e|null|null|null\n4|w|x|v|y\n");
  EXPECT_EQ(Run("SELECT COUNT(*), COUNT(w), MAX(v) FROM t"), "4|3|v\n");
  EXPECT_EQ(Run("CREATE INDEX by_w ON t (w)").substr(0, 18), "SQL: an index on W");
  EXPECT_EQ(Run("UPDATE t SET w = 'z'").substr(0, 11), "SQL: UPDATE");
  EXPECT_EQ(Run("DELETE FROM t WHERE w = 'b'"), "1");
  EXPECT_EQ(Run("SELECT k FROM t"), "2\n3\n4\n");
}

// As in Phoenix, except that columns keep their names if neither property is set.
TEST_F(EncodedColumnsTest, FollowTheProperties) {
  const auto cells_with = [&](const std::string& kind, const std::string& properties) {
    EXPECT_EQ(Run("CREATE " + kind + " t (k INTEGER PRIMARY KEY, v VARCHAR) " + properties), "0") << properties;
    EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 'a')"), "1");
    const std::string cells = CellsOf("T");
    EXPECT_EQ(Run("DROP TABLE t"), "0");
    return cells;
  };
  const std::string names = "0:V=a 0:_0=x ";
  const std::string single = "0:1=xa\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x02\\x03 ";
  EXPECT_EQ(cells_with("TABLE", ""), names);
  EXPECT_EQ(cells_with("IMMUTABLE TABLE", ""), names);
  EXPECT_EQ(cells_with("TABLE", "COLUMN_ENCODED_BYTES=NONE"), names);
  EXPECT_EQ(cells_with("TABLE", "IMMUTABLE_STORAGE_SCHEME=SINGLE_CELL_ARRAY_WITH_OFFSETS"), names);
  EXPECT_EQ(cells_with("IMMUTABLE TABLE", "IMMUTABLE_STORAGE_SCHEME=ONE_CELL_PER_COLUMN"), names);
  EXPECT_EQ(cells_with("IMMUTABLE TABLE", "COLUMN_ENCODED_BYTES=1"), single);
  EXPECT_EQ(
      cells_with("TABLE", "IMMUTABLE_ROWS=true, COLUMN_ENCODED_BYTES=2, IMMUTABLE_STORAGE_SCHEME=ONE_CELL_PER_COLUMN"),
      "0:\\x80\\x0B=a ");
}

TEST_F(EncodedColumnsTest, StayInTheirCellsIfRowsBecomeImmutable) {
  for (const std::string scheme : {"", ", IMMUTABLE_STORAGE_SCHEME=SINGLE_CELL_ARRAY_WITH_OFFSETS"}) {
    EXPECT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR) COLUMN_ENCODED_BYTES=2" + scheme), "0");
    EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 'a')"), "1");
    EXPECT_EQ(Run("ALTER TABLE t SET IMMUTABLE_ROWS=true"), "0");
    EXPECT_EQ(Run("UPSERT INTO t VALUES (2, 'b')"), "1");
    EXPECT_EQ(Run("SELECT * FROM t"), "1|a\n2|b\n") << scheme;
    EXPECT_EQ(CellsOf("T"), "0:\\x80\\x0B=a 0:\\x80\\x0B=b ") << scheme;
    EXPECT_EQ(Run("DROP TABLE t"), "0");
  }
}

TEST_F(EncodedColumnsTest, LimitTheColumnsToTheNumbersOfOneByte) {
  std::string columns;
  for (int i = 11; i <= 255; ++i) {
    columns += ", c" + std::to_string(i) + " INTEGER";
  }
  EXPECT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY" + columns + ") COLUMN_ENCODED_BYTES=1"), "0");
  EXPECT_EQ(Run("UPSERT INTO t (k, c255) VALUES (1, 1)"), "1");
  EXPECT_EQ(CellsOf("T"), "0:\\x7F=\\x80\\x00\\x00\\x01 ");
  EXPECT_EQ(Run("ALTER TABLE t ADD x INTEGER").substr(0, 18), "ERROR 1136 (XCL36)");
}

TEST_F(EncodedColumnsTest, NumbersCanBeDeclared) {
  EXPECT_EQ(
      Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR ENCODED_QUALIFIER 15, w VARCHAR) COLUMN_ENCODED_BYTES=1 "
          "COLUMN_QUALIFIER_COUNTER ('0'=14)"),
      "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 'a', 'b')"), "1");
  EXPECT_EQ(CellsOf("T"), "0:\\x8F=a 0:\\x90=b ");
  EXPECT_EQ(
      Run("CREATE TABLE u (k INTEGER PRIMARY KEY, v VARCHAR ENCODED_QUALIFIER 3) COLUMN_ENCODED_BYTES=1").substr(0, 10),
      "ERROR 1136");
  const std::string of_four = " COLUMN_ENCODED_BYTES=4";
  EXPECT_EQ(
      Run("CREATE TABLE u (k INTEGER PRIMARY KEY, v VARCHAR ENCODED_QUALIFIER 2147483647)" + of_four).substr(0, 10),
      "ERROR 1136");
  EXPECT_EQ(Run("CREATE TABLE u (k INTEGER PRIMARY KEY, v VARCHAR ENCODED_QUALIFIER 2147483646)" + of_four), "0");
  EXPECT_EQ(Run("SELECT * FROM u"), "");
  EXPECT_EQ(
      Run("CREATE TABLE w (k INTEGER PRIMARY KEY, v VARCHAR ENCODED_QUALIFIER 12, f.w VARCHAR ENCODED_QUALIFIER 12)" +
          of_four),
      "SQL: two columns have ENCODED_QUALIFIER 12");
  EXPECT_EQ(Run("CREATE IMMUTABLE TABLE w (k INTEGER PRIMARY KEY, v VARCHAR ENCODED_QUALIFIER 12, "
                "f.w VARCHAR ENCODED_QUALIFIER 12)" +
                of_four),
            "0");
}

// Definitions of stores that an earlier klip wrote, which kept the properties without effect.
TEST_F(EncodedColumnsTest, AreNotExpectedInTablesOfEarlierVersions) {
  ASSERT_EQ(Run("CREATE TABLE t (k INTEGER PRIMARY KEY, v VARCHAR)"), "0");
  EXPECT_EQ(Run("UPSERT INTO t VALUES (1, 'a')"), "1");
  TableDescriptor descriptor = *connection_->admin().GetDescriptor("T");
  descriptor.attributes["KLIP_SQL"] += " COLUMN_ENCODED_BYTES=2";
  ASSERT_TRUE(connection_->admin().ModifyTable(descriptor).ok());
  EXPECT_EQ(Run("SELECT * FROM t"), "1|a\n");
}

}  // namespace
}  // namespace klip::sql
