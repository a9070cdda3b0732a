#include "rowkey/index_definition.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/digest.h"
#include "klip/bytes.h"
#include "rowkey/key_codec.h"

namespace klip::rowkey {
namespace {

TableDescriptor TableOf(const std::string& schema = "user:text('|') date:date") {
  TableDescriptor table;
  table.name = "t";
  table.families.resize(2);
  table.families[0].name = "f";
  table.families[1].name = "g";
  if (!schema.empty()) {
    table.attributes["KLIP_ROW_KEY"] = schema;
  }
  return table;
}

std::string Canonical(std::string_view text) {
  const Expected<IndexDescriptor> index = IndexDescriptor::Parse("i", text);
  if (!index.ok()) {
    return index.status().message();
  }
  EXPECT_EQ(*IndexDescriptor::Parse("i", index->ToString()), *index);
  return index->ToString();
}

std::string Schema(std::string_view text, const TableDescriptor& table = TableOf()) {
  const Expected<IndexDefinition> index = DefineIndex("i", text, table);
  return index.ok() ? index->schema.ToString() : index.status().message();
}

TEST(IndexTextTest, ParsesAndPrints) {
  EXPECT_EQ(Canonical("f:city text"), "f:city text");
  EXPECT_EQ(
      Canonical(" f:city  text , f:age i32 DESC,key.date include f:name,g:x where f:active = 1 and f:k='a ''b' unique"),
      "f:city text, f:age i32 desc, key.date INCLUDE f:name, g:x WHERE f:active = '1' AND f:k = 'a ''b' UNIQUE");
  EXPECT_EQ(Canonical("'f:my city' text(10,'*') IMMUTABLE"), "'f:my city' text(10,'*') IMMUTABLE");
  EXPECT_EQ(Canonical("'f:\\x00\\xFF' bytes(2)"), "'f:\\x00\\xFF' bytes(2)");
  EXPECT_EQ(Canonical("f: text"), "f: text");
  EXPECT_EQ(Canonical("f:a text, f:a u32"), "f:a text, f:a u32");
  EXPECT_EQ(Canonical("f:a u8 unique skip  invalid"), "f:a u8 UNIQUE SKIP INVALID");
  EXPECT_EQ(Canonical("f:a u8 history immutable"), "f:a u8 IMMUTABLE HISTORY");
  EXPECT_EQ(Canonical("f:a u8 HISTORY UNIQUE"),
            "index 'i': UNIQUE concerns the newest values, HISTORY adds older ones: declare two indexes");
  EXPECT_EQ(Canonical("f:a u8 SKIP"), "index 'i': at offset 11: expected INVALID, found the end");
}

TEST(IndexTextTest, ParsesFunctions) {
  EXPECT_EQ(Canonical("UPPER( f:name )  text,lower(key.user), hash(f:x), Bucket(key.user,16), f:name text"),
            "upper(f:name) text, lower(key.user), hash(f:x), bucket(key.user, 16), f:name text");
  EXPECT_EQ(Canonical("hash(f:x, 4), hash(f:x,16) where f:a = 1"), "hash(f:x, 4), hash(f:x) WHERE f:a = '1'");
  EXPECT_EQ(Canonical("upper('f:a)') text(4) desc"), "upper('f:a)') text(4) desc");
  EXPECT_EQ(Canonical("'upper(f:x)' text"), "'upper(f:x)' text");
  EXPECT_EQ(Canonical("upper(f:a)"), "index 'i': field 'f:a': a type is missing, such as text, u32 or date");
  EXPECT_EQ(Canonical("upper(f:a) i32"), "index 'i': field 'f:a': upper and lower take text, not i32");
  EXPECT_EQ(Canonical("upper(f:a, 3) text"), "index 'i': at offset 9: expected ')', found ','");
  EXPECT_EQ(Canonical("hash(f:a, 17)"), "index 'i': at offset 10: expected a number of bytes from 1 to 16, found '17'");
  EXPECT_EQ(Canonical("bucket(f:a)"),
            "index 'i': at offset 10: expected ',' and a number of buckets from 2 to 256, found ')'");
  EXPECT_EQ(Canonical("bucket(f:a, 1)"),
            "index 'i': at offset 12: expected a number of buckets from 2 to 256, found '1'");
  EXPECT_EQ(Canonical("hash(f:a) text"),
            "index 'i': at offset 10: expected optional, ',', INCLUDE, WHERE, UNIQUE, IMMUTABLE, SKIP INVALID, HISTORY "
            "or the "
            "end, found "
            "'text'");
  EXPECT_EQ(Canonical("hash(f:a), hash(f:a, 16)"), "index 'i': field 'hash(f:a)' occurs twice");
}

TEST(IndexTextTest, ParsesSqlExpressions) {
  EXPECT_EQ(
      Canonical("SQL( 'a || ''x''' ) text , f:b u8 where sql('a > \\x5C') and f:c=1 for 'CREATE TABLE t (...)' unique"),
      "sql('a || ''x''') text, f:b u8 WHERE f:c = '1' AND sql('a > \\x5C') FOR 'CREATE TABLE t (...)' UNIQUE");
  EXPECT_EQ(Canonical("'sql(f:a)' text"), "'sql(f:a)' text");
  EXPECT_EQ(Canonical("sql('n * 2') u64 desc FOR 't'"), "sql('n * 2') u64 desc FOR 't'");
  EXPECT_EQ(Canonical("sql('n')"), "index 'i': field 'n': a type is missing, such as text, u32 or date");
  EXPECT_EQ(
      Canonical("sql('n') u64"),
      "index 'i': at offset 12: expected FOR 'CREATE TABLE ...' with the columns that sql() names, found the end");
  EXPECT_EQ(Canonical("f:a u8 FOR 't' "), "index 'i': FOR names the columns of sql(), which the index does not have");
  EXPECT_EQ(Canonical("sql(n) u64"), "index 'i': at offset 4: expected an SQL expression in quotes, found 'n'");
  EXPECT_EQ(Canonical("f:a u8 WHERE sql('a') AND sql('b') FOR 't'"),
            "index 'i': WHERE has several sql(): join their conditions by AND");
  EXPECT_EQ(Canonical("sql('n') u64 FOR 't' HISTORY"), "index 'i': HISTORY and sql() cannot be combined");
}

TEST(IndexTextTest, ParsesOptionalFields) {
  EXPECT_EQ(Canonical("f:a i32 desc OPTIONAL, hash(f:b) optional , upper(f:c) text optional include f:d"),
            "f:a i32 desc optional, hash(f:b) optional, upper(f:c) text optional INCLUDE f:d");
  EXPECT_EQ(Canonical("sql('n') u64 optional FOR 't'"), "sql('n') u64 optional FOR 't'");
  EXPECT_EQ(Canonical("f:optional text, f:b text(3) optional"), "f:optional text, f:b text(3) optional");
  EXPECT_EQ(Canonical("key.date optional, f:a u8"),
            "index 'i': field 'key.date': every row has it, so it cannot be optional");
  EXPECT_EQ(Canonical("f:a u8 optional HISTORY"), "index 'i': HISTORY and optional fields cannot be combined");
}

TEST(IndexTextTest, ErrorsNameTheFieldOrPlace) {
  EXPECT_EQ(Canonical(""), "index 'i': at offset 0: expected a column, family:qualifier, found the end");
  EXPECT_EQ(Canonical("city text"), "index 'i': at offset 0: expected a column, family:qualifier, found 'city'");
  EXPECT_EQ(Canonical("f:city"), "index 'i': field 'f:city': a type is missing, such as text, u32 or date");
  EXPECT_NE(Canonical("f:city varchar").find("index 'i': field 'f:city': 'varchar' is not a type: "),
            std::string::npos);
  EXPECT_EQ(Canonical("f:city md5(4)"), "index 'i': field 'f:city': 'md5(4)' is not a type of an indexed column");
  EXPECT_EQ(Canonical("f:a text('|')"), "index 'i': field 'f:a': 'text('|')' is not a type of an indexed column");
  EXPECT_NE(Canonical("f:a text desc").find("only a part of fixed width can be 'desc'"), std::string::npos);
  EXPECT_EQ(Canonical("f:a text, f:a text"), "index 'i': field 'f:a' occurs twice");
  EXPECT_EQ(Canonical("f:a text WHERE f:b"), "index 'i': at offset 18: expected '=', found the end");
  EXPECT_EQ(
      Canonical("f:a text nonsense"),
      "index 'i': at offset 9: expected optional, ',', INCLUDE, WHERE, UNIQUE, IMMUTABLE, SKIP INVALID, HISTORY or the "
      "end, found "
      "'nonsense'");
  EXPECT_EQ(Canonical("f:a text INCLUDE"),
            "index 'i': at offset 16: expected a column, family:qualifier, found the end");
  EXPECT_EQ(Canonical("'f:a text"), "index 'i': at offset 0: expected a closing quote, found the end");
  EXPECT_EQ(Canonical("key. text"), "index 'i': at offset 4: expected the name of a field of the row key, found ' '");
  EXPECT_EQ(IndexDescriptor::Parse("a b", "f:a text").status().message(),
            "the name of an index must consist of letters, digits and _, not 'a b'");
}

TEST(IndexDefinitionTest, TheRowsOfEntriesHaveASchema) {
  EXPECT_EQ(Schema("f:city text"), "city:text('\\x00') row:bytes");
  EXPECT_EQ(Schema("f:city text, g:city i32 desc, key.date, key.user INCLUDE f:x"),
            "city:text('\\x00') city_2:i32 desc date:date user:text('|') row:bytes");
  EXPECT_EQ(Schema("f:1-x text(3), f:row u8, g: bytes"), "_1_x:text(3) row_2:u8 g:bytes('\\x00') row:bytes");
  EXPECT_EQ(Schema("f:a u8, key.user", TableOf("salt(4) user:text")), "a:u8 user:text('\\x00') row:bytes");
  EXPECT_EQ(Schema("f:a u8, key.salt", TableOf("salt(4) user:text")), "a:u8 salt:bytes(1) row:bytes");
  EXPECT_EQ(DefineIndex("i", "f:date u8", TableOf())->keys().ToString(), "date:u8 user:text('|') date_of_row:date");
  EXPECT_EQ(DefineIndex("i", "f:a u8", TableOf("salt(4) user:text"))->keys().ToString(),
            "a:u8 salt:bytes(1) user:text");
  EXPECT_EQ(DefineIndex("i", "f:a u8", TableOf(""))->keys().ToString(), "a:u8 row:bytes");
  const IndexDefinition index =
      *DefineIndex("i", "f:a u8, g:b u8 INCLUDE f:a, f:c WHERE f:c = x AND g:d = y", TableOf());
  EXPECT_EQ(index.columns.size(), 4u);
  EXPECT_EQ(index.ColumnIndex("f", "c"), index.where[0].column);
  EXPECT_EQ(index.include, (std::vector<size_t>{0, 2}));
}

TEST(IndexDefinitionTest, FunctionsHaveFieldsOfTheirOwn) {
  EXPECT_EQ(Schema("upper(f:city) text, hash(f:x), bucket(f:x, 16), f:x u8"),
            "upper_city:text('\\x00') hash_x:bytes(16) bucket_x:u8 x:u8 row:bytes");
  EXPECT_EQ(Schema("lower(key.user), hash(key.date, 2), bucket(key.date, 3), f:x u8"),
            "lower_user:text('\\x00') hash_date:bytes(2) bucket_date:u8 x:u8 row:bytes");
  EXPECT_EQ(Schema("upper(key.date), f:x u8"), "index 'i': field 'key.date': upper and lower take text");
  EXPECT_EQ(Schema("bucket(key.date, 4)"), "index 'i': no field is a column");
  const IndexDefinition index = *DefineIndex("i", "lower(key.user), hash(key.date, 2), bucket(key.date, 3), f:x u8",
                                             TableOf("user:text(5) date:date"));
  const std::vector<std::string> parts = *KeyPartsOf(index, "Bob  20140628");
  EXPECT_EQ(parts[0], "bob");  // without its padding
  EXPECT_EQ(parts[1], base::Md5("20140628").substr(0, 2));
  EXPECT_EQ(parts[2], std::string(1, static_cast<char>(ReadBigEndian<uint32_t>(base::Md5("20140628").data()) % 3)));
}

TEST(IndexDefinitionTest, AByteTellsWhetherAnOptionalFieldIsThere) {
  EXPECT_EQ(Schema("f:a text optional, f:b i32 desc optional, f:has_a u8, key.date"),
            "has_a:u8 a:text('\\x00') has_b:u8 desc b:i32 desc has_a_2:u8 date:date row:bytes");
  const IndexDefinition index = *DefineIndex("i", "f:a text optional, f:b u8 desc optional INCLUDE f:c", TableOf());
  const auto entry = [&](const std::vector<std::string>& values) {  // "-": the row lacks the column
    std::vector<Cell> cells(values.size());
    std::vector<const Cell*> columns;
    for (size_t i = 0; i < values.size(); ++i) {
      cells[i].value = values[i];
      columns.push_back(values[i] == "-" ? nullptr : &cells[i]);
    }
    std::string key;
    return AppendEntryKey(index, "r", columns, &key) ? ToStringBinary(key) : "none";
  };
  EXPECT_EQ(entry({"x", "\x03", "-"}), "\\x01x\\x00\\xFE\\xFCr");
  EXPECT_EQ(entry({"", "\x03", "-"}), "\\x01\\x00\\xFE\\xFCr");
  EXPECT_EQ(entry({"-", "\x03", "-"}), "\\x00\\x00\\xFE\\xFCr");
  EXPECT_EQ(entry({"x", "-", "-"}), "\\x01x\\x00\\xFF\\x00r");
  EXPECT_EQ(entry({"-", "-", "c"}), "\\x00\\x00\\xFF\\x00r");
  EXPECT_EQ(entry({"-", "-", "-"}), "none");
  EXPECT_EQ(entry({"x", "too long", "-"}), "none");
  EXPECT_TRUE(HasAllFields(index, FromStringBinary("\\x01x\\x00\\xFE\\xFCr")));
  EXPECT_FALSE(HasAllFields(index, FromStringBinary("\\x01x\\x00\\xFF\\x00r")));
  EXPECT_FALSE(HasAllFields(index, FromStringBinary("\\x00\\x00\\xFE\\xFCr")));
}

TEST(IndexDefinitionTest, ErrorsNameTheField) {
  EXPECT_EQ(Schema("h:a text"), "index 'i': column 'h:a': table 't' has no family 'h'");
  EXPECT_EQ(Schema("f:a text INCLUDE h:b"), "index 'i': column 'h:b': table 't' has no family 'h'");
  EXPECT_EQ(Schema("key.nope, f:a text"),
            "index 'i': field 'key.nope': the row key has no field 'nope'; its fields are user, date");
  EXPECT_EQ(Schema("key.date, f:a text", TableOf("")), "index 'i': field 'key.date': table 't' has no row-key schema");
  EXPECT_EQ(Schema("key.date"), "index 'i': no field is a column");
}

// Key bytes of a stored value, printable; or the error.
std::string KeyOf(const std::string& type, std::string_view stored) {
  const IndexDefinition index = *DefineIndex("i", "f:a " + type, TableOf());
  std::string bytes;
  const Status status = AppendStoredValue(index.parts[0], stored, &bytes);
  if (!status.ok()) {
    return status.message();
  }
  EXPECT_EQ(StoredValueOf(index.parts[0], bytes), stored);
  return ToStringBinary(bytes);
}

TEST(IndexDefinitionTest, ValuesAreStoredAsHBaseStoresThem) {
  EXPECT_EQ(KeyOf("text", "ab"), "ab");
  EXPECT_EQ(KeyOf("text", ""), "");
  EXPECT_EQ(KeyOf("text(4)", "ab"), "ab  ");
  EXPECT_EQ(KeyOf("text(4) desc", "ab"), "\\x9E\\x9D\\xDF\\xDF");
  EXPECT_EQ(KeyOf("bytes",
                  "\xFF"
                  "x"),
            "\\xFFx");
  EXPECT_EQ(KeyOf("i32", BigEndian<int32_t>(-1)), "\\x7F\\xFF\\xFF\\xFF");
  EXPECT_EQ(KeyOf("i32 desc", BigEndian<int32_t>(-1)), "\\x80\\x00\\x00\\x00");
  EXPECT_EQ(KeyOf("u16", BigEndian<uint16_t>(258)), "\\x01\\x02");
  EXPECT_EQ(KeyOf("ts", BigEndian<int64_t>(1000)), "\\x00\\x00\\x00\\x00\\x00\\x00\\x03\\xE8");
  EXPECT_EQ(KeyOf("digits(3)", "042"), "042");
  EXPECT_EQ(KeyOf("date", "20140628"), "20140628");
}

TEST(IndexDefinitionTest, ValuesOfAnotherTypeAreRefused) {
  EXPECT_EQ(KeyOf("text", std::string_view("a\0b", 3)), "field 'a': 'a\\x00b' contains the delimiter '\\x00'");
  EXPECT_EQ(KeyOf("text(2)", "abc"), "field 'a': 3 bytes do not fit in 2");
  EXPECT_NE(KeyOf("text(4)", "ab ").find("ends with the padding byte"), std::string::npos);
  EXPECT_EQ(KeyOf("i32", "12"), "field 'a': 2 bytes are stored, its type has 4");
  EXPECT_NE(KeyOf("digits(2)", "x1").find("does not consist of decimal digits"), std::string::npos);
  EXPECT_NE(KeyOf("date", "20140230").find("is not a day of the calendar"), std::string::npos);
}

TEST(IndexDefinitionTest, FindsTheRowInAnEntry) {
  const IndexDefinition index = *DefineIndex("i", "f:a text, key.date", TableOf());
  const std::vector<std::string> parts = *KeyPartsOf(index, "bob|20140628");
  EXPECT_EQ(parts, (std::vector<std::string>{"", "20140628"}));
  EXPECT_EQ(*TableRowOf(index, std::string("v\0", 2) + parts[1] + "bob|20140628"), "bob|20140628");
  EXPECT_EQ(TableRowOf(index, "v").status().code(), Code::kCorruption);
  EXPECT_NE(KeyPartsOf(index, "bob").status().message().find("index 'i': the row 'bob' cannot be indexed"),
            std::string::npos);
}

TEST(CheckIndexesTest, AnIndexIsNotChangedBehindItsBack) {
  TableDescriptor before = TableOf();
  before.attributes["KLIP_INDEX$i"] = "f:a text, key.date";
  EXPECT_EQ(CheckIndexes(nullptr, before).ToString(), "ok");
  EXPECT_EQ(CheckIndexes(&before, before).ToString(), "ok");
  const auto changed = [&](auto change) {
    TableDescriptor after = before;
    change(&after);
    return CheckIndexes(&before, after).message();
  };
  EXPECT_EQ(changed([](TableDescriptor* table) { table->attributes["KLIP_INDEX$i"] = "f:b text"; }),
            "index 'i' of table 't' can only be changed by Admin::indexes(), or klip index create and drop");
  EXPECT_NE(changed([](TableDescriptor* table) { table->attributes["KLIP_INDEX$j"] = "f:b text"; }), "");
  EXPECT_EQ(changed([](TableDescriptor* table) {
              table->attributes["KLIP_INDEX$j"] = "f:b text";
              table->attributes["KLIP_INDEX_BUILDING$j"] = "true";
            }),
            "");
  EXPECT_EQ(changed([](TableDescriptor* table) { table->attributes.erase("KLIP_INDEX$i"); }), "");
  EXPECT_EQ(
      changed([](TableDescriptor* table) { table->families[0].ttl_s = 5; }),
      "index 'i' has to be dropped before the TTL, MIN_VERSIONS, KEEP_DELETED_CELLS or NEW_VERSION_BEHAVIOR of family "
      "'f' can change");
  EXPECT_EQ(changed([](TableDescriptor* table) { table->families[0].max_versions = 5; }), "");
  EXPECT_EQ(changed([](TableDescriptor* table) { table->families[1].ttl_s = 5; }), "");
  EXPECT_NE(changed([](TableDescriptor* table) { table->attributes["KLIP_ROW_KEY"] = "date:date"; }), "");
  EXPECT_NE(changed([](TableDescriptor* table) { table->families.erase(table->families.begin()); }), "");
}

}  // namespace
}  // namespace klip::rowkey
