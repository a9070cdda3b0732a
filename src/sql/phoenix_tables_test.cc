// Tables as created by Phoenix 5.2.1, with its rows of SYSTEM.CATALOG and its cells. compat/sql compares with Phoenix
// itself.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "klip/bytes.h"
#include "sql/session_fixture_test.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

using namespace std::string_literals;

class PhoenixTablesTest : public SessionFixture {
 protected:
  using Cells = std::vector<std::pair<std::string, std::string>>;

  static std::string Encoded(int64_t number, Type type) {
    std::string bytes;
    EncodeValue(Value(type, number), {.type = type}, &bytes);
    return bytes;
  }
  static std::string Int(int64_t number) { return Encoded(number, Type::kInteger); }
  static std::string Tiny(int64_t number) { return Encoded(number, Type::kTinyint); }
  static std::string Unsigned(int64_t number) { return Encoded(number, Type::kUnsignedTinyint); }

  PhoenixTablesTest() { Create("SYSTEM.CATALOG", {"0"}); }

  void Create(const std::string& name, const std::vector<std::string>& families) {
    TableDescriptor table;
    table.name = name;
    for (const std::string& family : families) {
      table.families.emplace_back().name = family;
    }
    EXPECT_TRUE(connection_->admin().CreateTable(table).ok());
  }

  // A row of SYSTEM.CATALOG: the key after the two leading separators.
  void Catalog(const std::string& key, const Cells& cells) {
    klip::Put put = {.row = "\0\0"s + key};
    put.Add("0", "_0", "x");
    for (const auto& [name, value] : cells) {
      put.Add("0", name, value);
    }
    EXPECT_TRUE((*connection_->GetTable("SYSTEM.CATALOG"))->Put(put).ok());
  }
  void Header(const std::string& table, Cells cells = {}, int encoding = 2, int storage = 1) {
    Create(table, {"0", "F"});
    cells.insert(cells.begin(), {{"TABLE_TYPE", "u"},
                                 {"ENCODING_SCHEME", Tiny(encoding)},
                                 {"IMMUTABLE_STORAGE_SCHEME", Tiny(storage)},
                                 {"ROW_KEY_ORDER_OPTIMIZABLE", "\1"}});
    Catalog(table, cells);
  }
  void Key(const std::string& table, const std::string& name, Type type, int position, Cells more = {}) {
    more.insert(more.begin(), {{"DATA_TYPE", Int(PhoenixType({.type = type}))},
                               {"KEY_SEQ", Encoded(position, Type::kSmallint)},
                               {"ORDINAL_POSITION", Int(position)},
                               {"NULLABLE", Int(0)}});
    Catalog(table + "\0"s + name, more);
  }
  void Column(const std::string& table, const std::string& family, const std::string& name, Type type, int position,
              const std::string& qualifier, Cells more = {}) {
    more.insert(more.begin(), {{"DATA_TYPE", Int(PhoenixType({.type = type}))},
                               {"ORDINAL_POSITION", Int(position)},
                               {"NULLABLE", Int(1)},
                               {"COLUMN_QUALIFIER", qualifier}});
    Catalog(table + "\0"s + name + "\0"s + family, more);
  }
  // T (A VARCHAR, B INTEGER DESC, C INTEGER, F.E BIGINT, D VARCHAR) with qualifiers of two bytes.
  void MakeTable(const Cells& header = {}) {
    Header("T", header);
    Key("T", "A", Type::kVarchar, 1);
    Key("T", "B", Type::kInteger, 2, {{"SORT_ORDER", Int(1)}});
    Column("T", "0", "C", Type::kInteger, 3, "\x80\x0B");
    Column("T", "F", "E", Type::kBigint, 4, "\x80\x0C");
    Column("T", "0", "D", Type::kVarchar, 5, "\x80\x0D");
  }
  // I (K INTEGER, V VARCHAR, F.W INTEGER, X VARCHAR), with each family in one cell.
  void MakeImmutable() {
    Header("I", {{"IMMUTABLE_ROWS", "\1"}}, 2, 2);
    Key("I", "K", Type::kInteger, 1);
    Column("I", "0", "V", Type::kVarchar, 2, "\x80\x0B");
    Column("I", "F", "W", Type::kInteger, 3, "\x80\x0B");
    Column("I", "0", "X", Type::kVarchar, 4, "\x80\x0C");
  }

  // "row family:qualifier=value\n", in the order of cells.
  std::string CellsOf(const std::string& table) {
    std::string text;
    ForEachCell(table, [&](const Cell& cell) {
      text += ToStringBinary(cell.row) + " " + std::string(cell.family) + ":" + ToStringBinary(cell.qualifier) + "=" +
              ToStringBinary(cell.value) + "\n";
    });
    return text;
  }
};

TEST_F(PhoenixTablesTest, AreReadByTheirQualifiers) {
  MakeTable();
  const auto table = *connection_->GetTable("T");
  ASSERT_TRUE(table
                  ->Put(klip::Put{.row = "a\0\x7F\xFF\xFF\xFE"s}
                            .Add("0", "\0\0\0\0"s, "x")
                            .Add("0", "\x80\x0B", Int(5))
                            .Add("F", "\x80\x0C", Encoded(7, Type::kBigint)))
                  .ok());
  ASSERT_TRUE(table->Put(klip::Put{.row = "b\0\x7F\xFF\xFF\xFD"s}.Add("0", "\0\0\0\0"s, "x")).ok());
  EXPECT_EQ(Run("SELECT * FROM t"), "a|1|5|7|null\nb|2|null|null|null\n");
  EXPECT_EQ(Run("SELECT e FROM t WHERE c = 5"), "7\n");
  EXPECT_EQ(Run("SELECT a FROM t WHERE b = 2"), "b\n");
  EXPECT_EQ(Run("SELECT d, c FROM t WHERE a = 'a' AND b = 1"), "null|5\n");
  EXPECT_EQ(Run("SELECT COUNT(*), COUNT(c) FROM t"), "2|1\n");
}

TEST_F(PhoenixTablesTest, AreWrittenAsPhoenixDoes) {
  MakeTable();
  EXPECT_EQ(Run("UPSERT INTO t VALUES ('a', 1, 5, 7, 'd')"), "1");
  EXPECT_EQ(Run("UPSERT INTO t (a, b, c) VALUES ('a', 1, NULL)"), "1");
  EXPECT_EQ(CellsOf("T"),
            "a\\x00\\x7F\\xFF\\xFF\\xFE 0:\\x00\\x00\\x00\\x00=x\n"
            "a\\x00\\x7F\\xFF\\xFF\\xFE 0:\\x80\\x0D=d\n"
            "a\\x00\\x7F\\xFF\\xFF\\xFE F:\\x80\\x0C=\\x80\\x00\\x00\\x00\\x00\\x00\\x00\\x07\n");
  EXPECT_EQ(Run("UPSERT INTO t (a, b) VALUES ('a', 1) ON DUPLICATE KEY UPDATE e = e + 1"), "1");
  EXPECT_EQ(Run("UPDATE t SET c = 9 WHERE d = 'd'"), "1");
  EXPECT_EQ(Run("SELECT * FROM t"), "a|1|9|8|d\n");
  EXPECT_EQ(Run("DELETE FROM t WHERE e = 8"), "1");
  EXPECT_EQ(CellsOf("T"), "");
}

TEST_F(PhoenixTablesTest, KeepFamiliesOfImmutableRowsInOneCell) {
  MakeImmutable();
  EXPECT_EQ(Run("UPSERT INTO i VALUES (1, 'v', 2, 'x')"), "1");
  EXPECT_EQ(Run("UPSERT INTO i (k, v) VALUES (2, 'w')"), "1");
  EXPECT_EQ(CellsOf("I"),
            "\\x80\\x00\\x00\\x01 0:\\x00\\x00\\x00\\x00=x\n"
            "\\x80\\x00\\x00\\x01 0:1=xvx\\x00\\x00\\x00\\x01\\x00\\x02\\x00\\x00\\x00\\x03\\x00\\x00\\x00\\x03\\x03\n"
            "\\x80\\x00\\x00\\x01 "
            "F:1=x\\x80\\x00\\x00\\x02\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x05\\x00\\x00\\x00\\x02\\x03\n"
            "\\x80\\x00\\x00\\x02 0:\\x00\\x00\\x00\\x00=x\n"
            "\\x80\\x00\\x00\\x02 0:1=xw\\x00\\x00\\x00\\x01\\xFF\\xFE\\x00\\x00\\x00\\x02\\x00\\x00\\x00\\x03\\x03\n"
            "\\x80\\x00\\x00\\x02 F:1=x\\x00\\x00\\xFF\\xFF\\x00\\x00\\x00\\x01\\x00\\x00\\x00\\x02\\x03\n");
  EXPECT_EQ(Run("SELECT * FROM i"), "1|v|2|x\n2|w|null|null\n");
  EXPECT_EQ(Run("SELECT k FROM i WHERE x = 'x'"), "1\n");
  EXPECT_EQ(Run("SELECT x, w FROM i WHERE k = 1"), "x|2\n");
  EXPECT_EQ(Run("SELECT SUM(w), COUNT(x), COUNT(*) FROM i"), "2|1|2\n");
  EXPECT_EQ(Run("UPDATE i SET v = 'n' WHERE k = 1"),
            "SQL: UPDATE and ON DUPLICATE KEY UPDATE of the table I, which has columns with a DEFAULT, or several "
            "in one cell");
  EXPECT_EQ(Run("DELETE FROM i WHERE w = 2"), "1");
  EXPECT_EQ(Run("SELECT k FROM i"), "2\n");
  // klip's view could have an index, but not on a part of a cell.
  EXPECT_EQ(Run("CREATE VIEW over AS SELECT * FROM i"), "0");
  EXPECT_EQ(Run("CREATE INDEX by_v ON over (v)").substr(0, 18), "SQL: an index on V");
}

TEST_F(PhoenixTablesTest, HaveDefaultsWithoutCells) {
  Header("D");
  Key("D", "K", Type::kInteger, 1);
  Column("D", "0", "V", Type::kInteger, 2, "\x80\x0B", {{"COLUMN_DEF", "5"}});
  Column("D", "0", "N", Type::kInteger, 3, "\x80\x0C", {{"COLUMN_DEF", "(7 * -1)"}});
  EXPECT_EQ(Run("UPSERT INTO d (k) VALUES (1)"), "1");
  EXPECT_EQ(Run("UPSERT INTO d VALUES (2, NULL, 3)"), "1");
  EXPECT_EQ(CellsOf("D"),
            "\\x80\\x00\\x00\\x01 0:\\x00\\x00\\x00\\x00=x\n"
            "\\x80\\x00\\x00\\x02 0:\\x00\\x00\\x00\\x00=x\n"
            "\\x80\\x00\\x00\\x02 0:\\x80\\x0B=\n"
            "\\x80\\x00\\x00\\x02 0:\\x80\\x0C=\\x80\\x00\\x00\\x03\n");
  EXPECT_EQ(Run("SELECT * FROM d"), "1|5|-7\n2|null|3\n");
  EXPECT_EQ(Run("SELECT k FROM d WHERE v = 5"), "1\n");
  EXPECT_EQ(Run("SELECT k FROM d WHERE v IS NULL"), "2\n");
  Column("D", "0", "N", Type::kInteger, 3, "\x80\x0C", {{"COLUMN_DEF", "-8"}});
  EXPECT_EQ(Run("SELECT n FROM d WHERE k = 1"), "-8\n");
}

TEST_F(PhoenixTablesTest, StoreNullAsTheyAreDeclared) {
  const Cells immutable = {{"IMMUTABLE_ROWS", "\1"}, {"STORE_NULLS", "\1"}};
  for (const auto& [name, header] : {std::pair("N", Cells{{"STORE_NULLS", "\1"}}), std::pair("M", immutable)}) {
    Header(name, header);
    Key(name, "K", Type::kInteger, 1);
    Column(name, "0", "V", Type::kInteger, 2, "\x80\x0B");
    ASSERT_EQ(Run("UPSERT INTO " + std::string(name) + " VALUES (1, 5)"), "1");
    ASSERT_EQ(Run("UPSERT INTO " + std::string(name) + " VALUES (1, NULL)"), "1");
  }
  EXPECT_EQ(Run("SELECT * FROM n"), "1|null\n");
  EXPECT_EQ(CellsOf("N"), "\\x80\\x00\\x00\\x01 0:\\x00\\x00\\x00\\x00=x\n\\x80\\x00\\x00\\x01 0:\\x80\\x0B=\n");
  EXPECT_EQ(Run("SELECT * FROM m"), "1|5\n");  // Phoenix writes nothing for NULL, so the old value stays
}

TEST_F(PhoenixTablesTest, WithRowTimestampsAreReadOnly) {
  Header("R");
  Key("R", "K", Type::kDate, 1, {{"IS_ROW_TIMESTAMP", "\1"}});
  EXPECT_EQ(Run("SELECT * FROM r"), "");
  EXPECT_EQ(Run("DELETE FROM r"), "SQL: writing to R: it has a ROW_TIMESTAMP column");
}

TEST_F(PhoenixTablesTest, ViewsHaveTheColumnsAndConditionsOfTheirTables) {
  MakeTable();
  Catalog("V", {{"TABLE_TYPE", "v"},
                {"VIEW_TYPE", Unsigned(3)},
                {"ENCODING_SCHEME", Tiny(2)},
                {"VIEW_STATEMENT", "SELECT * FROM \"T\" WHERE A = 'a'"}});
  Column("V", "0", "X", Type::kVarchar, 6, "\x80\x0E");
  Catalog("V2", {{"TABLE_TYPE", "v"}, {"VIEW_STATEMENT", "SELECT * FROM \"V\" WHERE (A = 'a' AND B > 1)"}});
  ASSERT_EQ(Run("UPSERT INTO t (a, b, c) VALUES ('a', 1, 1)"), "1");
  ASSERT_EQ(Run("UPSERT INTO t (a, b, c) VALUES ('a', 2, 2)"), "1");
  ASSERT_EQ(Run("UPSERT INTO t (a, b, c) VALUES ('b', 2, 3)"), "1");
  ASSERT_TRUE(
      (*connection_->GetTable("T"))->Put(klip::Put{.row = "a\0\x7F\xFF\xFF\xFD"s}.Add("0", "\x80\x0E", "extra")).ok());
  EXPECT_EQ(Run("SELECT * FROM v"), "a|2|2|null|null|extra\na|1|1|null|null|null\n");
  EXPECT_EQ(Run("SELECT b, x FROM v2"), "2|extra\n");
  Catalog("W", {{"TABLE_TYPE", "v"}, {"VIEW_TYPE", Unsigned(3)}});
  Catalog("W\0\0T"s, {{"LINK_TYPE", Unsigned(2)}});
  EXPECT_EQ(Run("SELECT a, b, c FROM w"), "a|2|2\na|1|1\nb|2|3\n");
  Catalog("W\0\0V"s, {{"LINK_TYPE", Unsigned(3)}});
  EXPECT_EQ(Run("SELECT a, b, c, x FROM w"), "a|2|2|extra\na|1|1|null\n");
  EXPECT_EQ(Run("DELETE FROM v2"), "ERROR 505 (42000): Table is read only. tableName=V2");
  EXPECT_EQ(Run("UPSERT INTO v (b, c, x) VALUES (9, 8, 'new')"), "1");
  EXPECT_EQ(Run("SELECT * FROM v WHERE b = 9"), "a|9|8|null|null|new\n");
  EXPECT_EQ(Run("DELETE FROM v"), "3");
  EXPECT_EQ(Run("SELECT a FROM t"), "b\n");
  Catalog("V", {{"VIEW_TYPE", Unsigned(2)}});
  EXPECT_EQ(Run("DELETE FROM v"), "ERROR 505 (42000): Table is read only. tableName=V");
  Catalog("LOOP", {{"TABLE_TYPE", "v"}, {"VIEW_STATEMENT", "SELECT * FROM \"LOOP\""}});
  EXPECT_EQ(Run("SELECT * FROM loop"), "SQL: more than 32 views on top of each other: LOOP");
}

TEST_F(PhoenixTablesTest, ViewsLackTheColumnsThatTheyDropped) {
  MakeTable();
  Catalog("V", {{"TABLE_TYPE", "v"}, {"VIEW_TYPE", Unsigned(3)}});
  Catalog("V\0\0T"s, {{"LINK_TYPE", Unsigned(2)}});
  Catalog(
      "V\0C\0"
      "0"s,
      {{"LINK_TYPE", Unsigned(5)}});
  Column("V", "0", "X", Type::kVarchar, 6, "\x80\x0E");
  ASSERT_EQ(Run("UPSERT INTO t VALUES ('a', 1, 2, 3, 'd')"), "1");
  EXPECT_EQ(Run("SELECT * FROM v"), "a|1|3|d|null\n");
  EXPECT_EQ(Run("SELECT c FROM v"), "ERROR 504 (42703): Undefined column. columnName=C");
  // A view on it, without a condition of its own, names the table in its statement.
  Catalog("V", {{"VIEW_STATEMENT", "SELECT * FROM \"T\" WHERE A = 'a'"}});
  Catalog("W", {{"TABLE_TYPE", "v"}, {"VIEW_STATEMENT", "SELECT * FROM \"T\" WHERE A = 'a'"}});
  Catalog("W\0\0T"s, {{"LINK_TYPE", Unsigned(2)}});
  Catalog("W\0\0V"s, {{"LINK_TYPE", Unsigned(3)}});
  EXPECT_EQ(Run("SELECT * FROM w"), "a|1|3|d|null\n");
  EXPECT_EQ(Run("UPSERT INTO w (b, x) VALUES (2, 'x')"), "1");
  EXPECT_EQ(Run("SELECT * FROM w WHERE b = 2"), "a|2|null|null|x\n");
}

TEST_F(PhoenixTablesTest, ViewsOfTenantsAreSeenByTheirTenant) {
  Header("M", {{"MULTI_TENANT", "\1"}});
  Key("M", "ORG", Type::kVarchar, 1);
  Key("M", "K", Type::kInteger, 2);
  Column("M", "0", "V", Type::kVarchar, 3, "\x80\x0B");
  const auto put = [&](const std::string& tenant, const std::string& key, const Cells& cells) {
    klip::Put row = {.row = tenant + "\0\0"s + key};
    for (const auto& [name, value] : cells) {
      row.Add("0", name, value);
    }
    EXPECT_TRUE((*connection_->GetTable("SYSTEM.CATALOG"))->Put(row).ok());
  };
  put("acme", "TV",
      {{"TABLE_TYPE", "v"}, {"VIEW_TYPE", Unsigned(3)}, {"VIEW_STATEMENT", "SELECT * FROM \"M\" WHERE V = 'x'"}});
  put("acme", "TV\0\0M"s, {{"LINK_TYPE", Unsigned(2)}});
  put("acme", "TV2",
      {{"TABLE_TYPE", "v"},
       {"VIEW_TYPE", Unsigned(2)},
       {"VIEW_STATEMENT", "SELECT * FROM \"TV\" WHERE (V = 'x' AND K > 1)"}});
  put("acme", "TV2\0\0TV"s, {{"LINK_TYPE", Unsigned(3)}});
  put("b", "TV", {{"TABLE_TYPE", "v"}, {"VIEW_TYPE", Unsigned(3)}});
  put("b", "TV\0\0M"s, {{"LINK_TYPE", Unsigned(2)}});
  ASSERT_EQ(Run("UPSERT INTO m VALUES ('acme', 1, 'x')"), "1");
  ASSERT_EQ(Run("UPSERT INTO m VALUES ('acme', 2, 'y')"), "1");
  ASSERT_EQ(Run("UPSERT INTO m VALUES ('b', 3, 'x')"), "1");
  const auto acme = *Session::Open(connection_.get(), {.tenant = "acme"});
  EXPECT_EQ(RunText(acme.get(), "SELECT * FROM tv"), "1|x\n");
  EXPECT_EQ(RunText(acme.get(), "UPSERT INTO tv (k) VALUES (4)"), "1");
  EXPECT_EQ(RunText(acme.get(), "SELECT * FROM tv2"), "4|x\n");
  EXPECT_EQ(RunText(acme.get(), "UPSERT INTO tv2 (k) VALUES (4)"),
            "ERROR 505 (42000): Table is read only. tableName=TV2");
  EXPECT_EQ(RunText(Session::Open(connection_.get(), {.tenant = "b"})->get(), "SELECT * FROM tv"), "3|x\n");
  EXPECT_EQ(Run("SELECT * FROM tv"), "ERROR 1012 (42M03): Table undefined. tableName=TV");
}

TEST_F(PhoenixTablesTest, EntriesOfLocalIndexesAreNoRows) {
  Create("L", {"0", "F", "L#0"});
  Catalog("L", {{"TABLE_TYPE", "u"}});
  Key("L", "K", Type::kVarchar, 1);
  Column("L", "0", "A", Type::kVarchar, 2, "A");
  Column("L", "F", "B", Type::kVarchar, 3, "B");
  const auto table = *connection_->GetTable("L");
  ASSERT_TRUE(table->Put(klip::Put{.row = "a"}.Add("0", "_0", "x").Add("0", "A", "1").Add("F", "B", "2")).ok());
  ASSERT_TRUE(table->Put(klip::Put{.row = "aa"}.Add("L#0", "_0", "x")).ok());  // an entry
  ASSERT_TRUE(table->Put(klip::Put{.row = "b"}.Add("0", "_0", "x")).ok());
  const std::string refused =
      "SQL: writing to L: klip does not maintain Phoenix's local indexes on its views up to date";
  for (const bool linked : {false, true}) {
    if (linked) {
      Catalog("L\0\0N"s, {{"LINK_TYPE", Unsigned(1)}});
    }
    EXPECT_EQ(Run("SELECT * FROM l"), "a|1|2\nb|null|null\n");
    EXPECT_EQ(Run("SELECT * FROM l LIMIT 1 OFFSET 1"), "b|null|null\n");
    EXPECT_EQ(Run("SELECT COUNT(*) FROM l"), "2\n");
    EXPECT_EQ(Run("SELECT COUNT(*) FROM l WHERE k > 'a'"), "1\n");
    EXPECT_EQ(Run("SELECT DISTINCT k FROM l"), "a\nb\n");
    EXPECT_EQ(Run("SELECT * FROM l WHERE k = 'aa'"), "");
    EXPECT_EQ(Run("DELETE FROM l"),
              linked ? "SQL: writing to L: klip does not maintain Phoenix's index N up to date" : refused);
  }
  Create("MAPPED", {"0", "L#0"});
  Catalog("MAPPED", {{"TABLE_TYPE", "v"}, {"VIEW_TYPE", Unsigned(1)}});
  Key("MAPPED", "K", Type::kVarchar, 1);
  const auto mapped = *connection_->GetTable("MAPPED");
  ASSERT_TRUE(mapped->Put(klip::Put{.row = "a"}.Add("0", "q", "x")).ok());
  ASSERT_TRUE(mapped->Put(klip::Put{.row = "aa"}.Add("L#0", "_0", "x")).ok());
  EXPECT_EQ(Run("SELECT * FROM mapped"), "a\n");
  EXPECT_EQ(Run("SELECT * FROM mapped WHERE k IN ('a', 'aa')"), "a\n");
}

TEST_F(PhoenixTablesTest, NameWhatKlipCannotDo) {
  MakeTable();
  EXPECT_EQ(Run("DROP TABLE t"), "SQL: DROP of a table that Phoenix created: T");
  EXPECT_EQ(Run("ALTER TABLE t DROP COLUMN c"), "SQL: ALTER of a table that Phoenix created: T");
  EXPECT_EQ(Run("CREATE INDEX n ON t (c)"), "SQL: CREATE INDEX on a Phoenix table: T");
  Catalog("T\0\0N"s, {{"LINK_TYPE", Unsigned(1)}});
  Catalog("N", {{"TABLE_TYPE", "i"}, {"INDEX_TYPE", Unsigned(1)}});
  EXPECT_EQ(Run("SELECT * FROM t"), "");
  EXPECT_EQ(Run("SELECT * FROM n"), "SQL: Phoenix's table N is an index");
  EXPECT_EQ(Run("UPSERT INTO t (a, b) VALUES ('a', 1)"),
            "SQL: writing to T: klip does not maintain Phoenix's index N up to date");
  EXPECT_EQ(Run("DELETE FROM t"), "SQL: writing to T: klip does not maintain Phoenix's index N up to date");
  Catalog("T", {{"TRANSACTION_PROVIDER", Tiny(3)}});
  EXPECT_EQ(Run("SELECT * FROM t"), "SQL: Phoenix's table T is transactional");
  Header("U");
  Catalog("U", {{"ROW_KEY_ORDER_OPTIMIZABLE", "\0"s}});
  Key("U", "K", Type::kVarchar, 1, {{"SORT_ORDER", Int(1)}});
  EXPECT_EQ(
      Run("SELECT * FROM u"),
      "SQL: Phoenix's table U ends values of the descending column K with 00, as ROW_KEY_ORDER_OPTIMIZABLE is not set");
  Header("Q");
  Catalog("Q\0K"s, {{"KEY_SEQ", Encoded(1, Type::kSmallint)}, {"DATA_TYPE", Int(4711)}});
  EXPECT_EQ(Run("SELECT * FROM q"), "SQL: Phoenix's table Q has a column of an unsupported type: K, type 4711");
}

TEST_F(PhoenixTablesTest, HaveTheirColumnsAsDeclared) {
  Header("O");
  Key("O", "K", Type::kInteger, 1, {{"ORDINAL_POSITION", Int(2)}});
  Column("O", "F", "V", Type::kVarchar, 1, "\x80\x0B");
  Column("O", "0", "W", Type::kVarchar, 3, "\x80\x0C");
  EXPECT_EQ(Run("UPSERT INTO o VALUES ('v', 1, 'w')"), "1");
  EXPECT_EQ(Run("SELECT * FROM o"), "v|1|w\n");
  EXPECT_EQ(CellsOf("O"),
            "\\x80\\x00\\x00\\x01 0:\\x80\\x0C=w\n"
            "\\x80\\x00\\x00\\x01 F:\\x00\\x00\\x00\\x00=x\n"
            "\\x80\\x00\\x00\\x01 F:\\x80\\x0B=v\n");
}

TEST_F(PhoenixTablesTest, ComeAfterKlipsOwn) {
  MakeTable();
  EXPECT_EQ(Run("CREATE VIEW t (pk VARBINARY PRIMARY KEY, \"0\".\"_0\" VARCHAR)"), "0");
  EXPECT_EQ(Run("SELECT * FROM t"), "");
  EXPECT_EQ(Run("SELECT a FROM t"), "ERROR 504 (42703): Undefined column. columnName=A");
  EXPECT_EQ(Run("DROP VIEW t"), "0");
  EXPECT_EQ(Run("SELECT a FROM t"), "");
}

}  // namespace
}  // namespace klip::sql
