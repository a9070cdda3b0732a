#include <random>

#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/digest.h"
#include "klip/bytes.h"
#include "klip/row_key.h"
#include "rowkey/schema_for_test.h"

namespace klip {
namespace {

std::string Key(std::string_view schema, std::initializer_list<std::string_view> values) {
  Expected<std::string> row = Schema(schema).Encode(values);
  EXPECT_TRUE(row.ok()) << row.status().message();
  return row.ok() ? ToStringBinary(*row) : "";
}

std::string EncodeError(std::string_view schema, std::initializer_list<std::string_view> values) {
  Expected<std::string> row = Schema(schema).Encode(values);
  return row.ok() ? "encoded as " + ToStringBinary(*row) : row.status().message();
}

TEST(RowKeySchema, EncodesTheScenarios) {
  EXPECT_EQ(Key("username:text(10,'*') date:digits(8) domain:text(20,'*')", {"alice", "20140628", "foo.bar"}),
            "alice*****20140628foo.bar*************");
  EXPECT_EQ(
      Key("user:bytes(4) '_' action:digits(2) '_' year:digits(4) '_' month:digits(2)", {"usr1", "99", "2014", "1"}),
      "usr1_99_2014_01");
  EXPECT_EQ(Key("OrderNo:text(4,'?') TestCode:text(4,'\\x00') '_' rest:text", {"o1", "t1", "x"}), "o1??t1\\x00\\x00_x");
  EXPECT_EQ(Key("seq:u64", {"18446744073709551615"}), "\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF");
  EXPECT_EQ(Key("org:u32 ts:reverse_ts seq:u64", {"7", "0", "1"}),
            "\\x00\\x00\\x00\\x07\\x7F\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\x00\\x00\\x00\\x00\\x00\\x00\\x00\\x01");
  EXPECT_EQ(Key("h:md5(user,8) user:text(12)", {"bob"}),
            ToStringBinary(base::Md5("bob         ").substr(0, 8) + "bob         "));
  EXPECT_EQ(Key("a:md5 b:md5", {"user1", "user2"}), ToStringBinary(base::Md5("user1") + base::Md5("user2")));
  EXPECT_EQ(Key("a:sha1(4) b:sha256(3)", {"x", "y"}),
            ToStringBinary(base::Sha1("x").substr(0, 4) + base::Sha256("y").substr(0, 3)));
  EXPECT_EQ(Key("org:text('|') user:text('\\x00') tail:bytes", {"acme", "", "\\x01z"}), "acme|\\x00\\x01z");
  EXPECT_EQ(Key("n:u16 desc t:text(2) desc d:date desc", {"1", "a", "2014-06-28"}),
            "\\xFF\\xFE\\x9E\\xDF\\xCD\\xCF\\xCE\\xCB\\xCF\\xC9\\xCD\\xC7");
  EXPECT_EQ(Key("t:text(3,truncate)", {"abcdef"}), "abc");
}

TEST(RowKeySchema, SaltIsTheSpecifiedHash) {
  RowKeySchema schema = Schema("salt(16) shard:u16 kind:text(2) ts:ts seq:u32 tag:bytes(1)");
  std::string row = *schema.Encode({"3", "ab", "1000", "9", "z"});
  auto hash = ReadBigEndian<uint32_t>(base::Md5(row.substr(1)).data());
  EXPECT_EQ(static_cast<unsigned char>(row[0]), hash % 16);
  EXPECT_TRUE(schema.Validate(row).ok());
  row[0] = static_cast<char>((row[0] + 1) % 16);
  EXPECT_NE(schema.Validate(row).message().find("field 'salt' at offset 0"), std::string::npos);
  EXPECT_TRUE(schema.Decode(row).ok());

  RowKeySchema named = Schema("bucket:salt(100,user) day:date user:text('_') n:u8");
  row = *named.Encode({"20200229", "eve", "1"});
  EXPECT_EQ(static_cast<unsigned char>(row[0]), ReadBigEndian<uint32_t>(base::Md5("eve").data()) % 100);
}

TEST(RowKeySchema, ToStringIsCanonical) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"  username:text( 10 , '*' )   date:digits(8)\n", "username:text(10,'*') date:digits(8)"},
      {"a:text(3,' ') b:text(3,'\\x00',truncate) c:text(2,truncate)",
       "a:text(3) b:text(3,'\\x00',truncate) c:text(2,truncate)"},
      {"a:u8 'it''s\\x07' b:i64 desc", "a:u8 'it''s\\x07' b:i64 desc"},
      {"h:md5(user,16) user:text('_') rest:bytes", "h:md5(user) user:text('_') rest:bytes"},
      {"a:md5(16) b:sha1(b2,a2,4) a2:u8 b2:ts c:sha256(9)", "a:md5 b:sha1(b2,a2,4) a2:u8 b2:ts c:sha256(9)"},
      {"salt(4,a,b) a:u8 b:reverse_ts", "salt(4) a:u8 b:reverse_ts"},
      {"s:salt(256,b) a:date b:i16", "s:salt(256,b) a:date b:i16"},
      {"desc:u8 desc salt:u8 x:bytes('''')", "desc:u8 desc salt:u8 x:bytes('''')"},
  };
  for (const auto& [text, canonical] : cases) {
    RowKeySchema schema = Schema(text);
    EXPECT_EQ(schema.ToString(), canonical);
    EXPECT_EQ(Schema(schema.ToString()), schema);
  }
}

TEST(RowKeySchema, ParseErrorsSayWhere) {
  const std::string types =
      "a type (text, bytes, digits, date, u8..u64, i8..i64, ts, reverse_ts, md5, sha1, sha256, salt)";
  const std::pair<std::string, std::string> cases[] = {
      {"", "at offset 0: expected a field such as name:text(10), found the end"},
      {"9a:u8", "at offset 0: expected a field name or a quoted literal, found '9a'"},
      {"a u8", "at offset 1: expected ':', found ' '"},
      {"a:", "at offset 2: expected " + types + ", found the end"},
      {"a:u128", "at offset 2: expected " + types + ", found 'u128'"},
      {"a:text(0)", "at offset 7: expected a width from 1 to 32767, found '0'"},
      {"a:text(32768)", "at offset 7: expected a width from 1 to 32767, found '32768'"},
      {"a:text(x)", "at offset 7: expected a width from 1 to 32767, found 'x'"},
      {"a:text(3,'**')", "at offset 9: expected one byte to pad with, found 2"},
      {"a:text(3,pad)", "at offset 9: expected a quoted byte to pad with or 'truncate', found 'pad'"},
      {"a:text(3,'*','-')", "at offset 13: expected ')', found '''"},
      {"a:text(3", "at offset 8: expected ')', found the end"},
      {"a:text('_", "at offset 7: expected a closing quote, found the end"},
      {"a:text('') b:u8", "at offset 7: expected one byte as delimiter, found 0"},
      {"a:digits b:u8", "at offset 8: expected '(', found ' '"},
      {"a:u8'_'", "at offset 4: expected a blank before the next part, found '''"},
      {"a:u8 ''", "at offset 5: expected at least one byte between the quotes, found none"},
      {"a:u8 '_", "at offset 5: expected a closing quote, found the end"},
      {"a:text b:u8", "at offset 7: nothing can follow field 'a', which has no end: give it a width or a delimiter"},
      {"a:text desc", "at offset 7: only a part of fixed width can be 'desc'"},
      {"a:u8 b:u8 a:u16", "at offset 10: field 'a' occurs twice"},
      {"salt(1) a:u8", "at offset 5: expected a number of salt buckets from 2 to 256, found '1'"},
      {"salt(257) a:u8", "at offset 5: expected a number of salt buckets from 2 to 256, found '257'"},
      {"salt(4,b) a:u8", "at offset 7: no field 'b'"},
      {"salt(4,) a:u8", "at offset 7: expected a field name, found ')'"},
      {"a:u8 h:md5(a,17)", "at offset 13: expected a field name or a width from 1 to 16, found '17'"},
      {"h:md5(a) a:u8 g:sha1(h)", "at offset 21: field 'h' is itself derived from others"},
      {"h:md5(h)", "at offset 6: field 'h' is itself derived from others"},
      {"'x'", "at offset 3: expected a field that needs a value, found the end"},
      {"a:bytes(20000) b:bytes(20000)", "at offset 15: the key is wider than 32767 bytes"},
  };
  for (const auto& [text, error] : cases) {
    EXPECT_EQ(RowKeySchema::Parse(text).status().message(), "row-key schema: " + error) << text;
  }
  std::string many;
  for (int i = 0; i < 65; ++i) {
    many += "f" + std::to_string(i) + ":u8 ";
  }
  EXPECT_EQ(RowKeySchema::Parse(many).status().message(), "row-key schema: at offset 438: more than 64 parts");
  EXPECT_TRUE(RowKeySchema::Parse(many.substr(0, 438)).ok());
  EXPECT_EQ(RowKeySchema::Parse(std::string(4097, ' ')).status().message(),
            "row-key schema: 4097 bytes of text, at most 4096 are allowed");
  // 1,022 escaped bytes fit, with quotes, a space and "a:u8".
  EXPECT_TRUE(RowKeySchema::Parse("a:u8 '" + std::string(1022, '\xC3') + "'").ok());
  EXPECT_EQ(RowKeySchema::Parse("a:u8 '" + std::string(1023, '\xC3') + "'").status().message(),
            "row-key schema: 4099 bytes of text, at most 4096 are allowed");
}

TEST(RowKeySchema, EncodeErrorsNameTheField) {
  EXPECT_EQ(EncodeError("username:text(10)", {"christophers"}), "field 'username': 12 bytes do not fit in 10");
  EXPECT_EQ(EncodeError("t:text(4,'*')", {"ab*"}),
            "field 't': 'ab*' ends with the padding byte '*' and would be read back without it");
  EXPECT_EQ(EncodeError("b:bytes(2)", {"\\x00"}), "field 'b': expected 2 bytes, found 1");
  EXPECT_EQ(EncodeError("b:bytes(2)", {"abc"}), "field 'b': 3 bytes do not fit in 2");
  EXPECT_EQ(EncodeError("d:digits(2)", {"1x"}), "field 'd': '1x' is not a number in decimal digits");
  EXPECT_EQ(EncodeError("d:digits(2)", {"123"}), "field 'd': 3 digits do not fit in 2");
  EXPECT_EQ(EncodeError("d:date", {"2014"}), "field 'd': '2014' is not a date like 20140628");
  EXPECT_EQ(EncodeError("d:date", {"20140631"}), "field 'd': '20140631' is not a day of the calendar");
  EXPECT_EQ(EncodeError("n:u8", {"256"}), "field 'n': 256 is not in 0..255");
  EXPECT_EQ(EncodeError("n:u16", {"-1"}), "field 'n': -1 is not in 0..65535");
  EXPECT_EQ(EncodeError("n:u64", {"18446744073709551616"}),
            "field 'n': 18446744073709551616 is not in 0..18446744073709551615");
  EXPECT_EQ(EncodeError("n:i8", {"128"}), "field 'n': 128 is not in -128..127");
  EXPECT_EQ(EncodeError("n:i64", {"9223372036854775808"}),
            "field 'n': 9223372036854775808 is not in -9223372036854775808..9223372036854775807");
  EXPECT_EQ(EncodeError("n:u32", {""}), "field 'n': '' is not a whole number");
  EXPECT_EQ(EncodeError("n:reverse_ts", {"9223372036854775808"}),
            "field 'n': 9223372036854775808 is not in 0..9223372036854775807");
  EXPECT_EQ(EncodeError("a:text('_') b:u8", {"a_b", "1"}), "field 'a': 'a_b' contains the delimiter '_'");
  EXPECT_EQ(EncodeError("a:text", {""}), "the row key is empty");
  EXPECT_EQ(EncodeError("a:text", {std::string(32768, 'x')}), "field 'a': 32768 bytes do not fit in a row key");
  EXPECT_EQ(EncodeError("n:u8 a:text", {"1", std::string(32767, 'x')}),
            "the row key has 32768 bytes, at most 32767 are allowed");
  EXPECT_EQ(EncodeError("a:u8 '_' b:u8", {"1"}), "1 values given, the row key has 2 fields that need one: a, b");
}

TEST(RowKeySchema, EncodeNamed) {
  RowKeySchema schema = Schema("h:md5(b,2) a:u8 '_' b:text(3)");
  using Values = std::vector<std::pair<std::string, std::string>>;
  EXPECT_EQ(*schema.EncodeNamed(Values{{"b", "x"}, {"a", "65"}}), *schema.Encode({"65", "x"}));
  EXPECT_EQ(schema.EncodeNamed(Values{{"b", "x"}}).status().message(), "field 'a': has no value");
  EXPECT_EQ(schema.EncodeNamed(Values{{"b", "x"}, {"b", "y"}}).status().message(), "field 'b': is given twice");
  EXPECT_EQ(schema.EncodeNamed(Values{{"c", "x"}}).status().message(), "no field 'c' in the row key; it has a, b");
  EXPECT_EQ(schema.EncodeNamed(Values{{"h", "x"}}).status().message(),
            "field 'h': is computed from other fields and needs no value");
}

TEST(RowKeySchema, TimesMayBeRelativeToNow) {
  for (const char* const type : {"ts", "reverse_ts"}) {
    const RowKeySchema schema = Schema(std::string("at:") + type);
    const int64_t before_ms = base::SystemMs();
    const std::string row = *schema.Encode({"now-1h"});
    const int64_t at_ms = std::stoll((*schema.Decode(row))[0]) + 3'600'000;
    EXPECT_GE(at_ms, before_ms) << type;
    EXPECT_LE(at_ms, base::SystemMs()) << type;
  }
  const RowKeySchema days = Schema("day:date");
  EXPECT_LE(*days.Encode({"today-1d"}), *days.Encode({"today"}));
  EXPECT_EQ(days.Encode({"today"})->size(), 8U);
  EXPECT_EQ(EncodeError("at:ts", {"now-1"}),
            "field 'at': 'now-1' is not a number of milliseconds, a time like 2014-06-28T12:30:00Z, or now");
  EXPECT_EQ(EncodeError("day:date", {"todayish"}), "field 'day': 'todayish' is not a date like 20140628");
  EXPECT_EQ(EncodeError("day:date", {"today-999999d"}).substr(0, 12), "field 'day':");
  EXPECT_EQ(*Schema("a:text").Encode({"now"}), "now");
}

TEST(RowKeySchema, DecodeTakesKeysApart) {
  RowKeySchema schema = Schema("username:text(10,'*') date:digits(8) domain:text(20,'*')");
  EXPECT_EQ(*schema.Decode("alice*****20140628foo.bar*************"),
            (std::vector<std::string>{"alice", "20140628", "foo.bar"}));
  EXPECT_EQ(schema.Decode("alice*****2014").status().message(),
            "field 'date' at offset 10: 4 bytes are left, 8 are needed");
  EXPECT_EQ(schema.Decode("alice*****2014062xfoo.bar*************").status().message(),
            "field 'date' at offset 10: '2014062x' does not consist of decimal digits");
  EXPECT_EQ(schema.Decode("alice*****20140628foo.bar*************z").status().message(),
            "1 bytes too many after the last field 'domain', from offset 38");
  EXPECT_EQ(*Schema("a:u8 '_' b:digits(3) h:md5(a,2)").Decode("A_007zz"),
            (std::vector<std::string>{"65", "_", "7", "7a7a"}));
  EXPECT_EQ(Schema("a:u8 '_' b:u8").Decode("A-B").status().message(), "at offset 1: '-' found, not the literal '_'");
  EXPECT_EQ(Schema("a:u8 d:date").Decode("A20140631").status().message(),
            "field 'd' at offset 1: '20140631' is not a day of the calendar");
  EXPECT_EQ(Schema("a:text('|') d:u8").Decode("abc").status().message(),
            "field 'a' at offset 0: no delimiter '|' follows");
  EXPECT_EQ(Schema("a:reverse_ts").Decode(std::string(8, '\xff')).status().message(),
            "field 'a' at offset 0: '\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF\\xFF' is not a timestamp");
  EXPECT_EQ(Schema("salt(3) a:u8").Decode("\x03z").status().message(),
            "field 'salt' at offset 0: '\\x03' is not one of 3 salt buckets");
  EXPECT_EQ(Schema("a:text").Validate("").message(), "the row key is empty");
}

// Numbers and dates keep their order in the key; desc reverses it.
TEST(RowKeySchema, KeysSortAsValuesDo) {
  std::mt19937_64 random(20140628);
  const std::string types[] = {"u8",  "u16", "u32", "u64",        "i8",        "i16",
                               "i32", "i64", "ts",  "reverse_ts", "digits(6)", "date"};
  for (const std::string& type : types) {
    bool is_signed = type[0] == 'i';
    int bits = type == "ts" || type == "reverse_ts" ? 63
               : type == "digits(6)"                ? 19
               : type == "date"                     ? 0
                                                    : std::stoi(type.substr(1));
    for (bool descending : {false, true}) {
      RowKeySchema schema = Schema("x:" + type + (descending ? " desc" : ""));
      auto value = [&]() -> std::string {
        if (type == "date") {
          return std::to_string(20000101 + random() % 30 * 10000 + random() % 12 * 100 + random() % 28);
        }
        uint64_t bit_pattern = random() >> random() % 64;
        bit_pattern = bits == 64 ? bit_pattern : bit_pattern & ((uint64_t{1} << bits) - 1);
        int64_t shifted =
            static_cast<int64_t>(bit_pattern << (64 - (bits == 0 ? 1 : bits))) >> (64 - (bits == 0 ? 1 : bits));
        return is_signed ? std::to_string(shifted) : std::to_string(bit_pattern);
      };
      for (int i = 0; i < 300; ++i) {
        std::string a = value();
        std::string b = value();
        std::string key_a = *schema.Encode({a});
        std::string key_b = *schema.Encode({b});
        EXPECT_EQ((*schema.Decode(key_a))[0], a);
        EXPECT_TRUE(schema.Validate(key_a).ok());
        bool less = is_signed ? std::stoll(a) < std::stoll(b) : std::stoull(a) < std::stoull(b);
        bool backwards = descending != (type == "reverse_ts");
        EXPECT_EQ(a == b ? false : less != backwards, key_a < key_b) << type << " " << a << " " << b;
      }
    }
  }
}

TEST(RowKeySchema, RandomKeysRoundTrip) {
  std::mt19937_64 random(7);
  RowKeySchema schema = Schema(
      "salt(32) a:text(5,'\\x00') '::' b:bytes(3) desc c:i32 h:sha1(a,d,6) d:text('\\x00') e:reverse_ts desc f:bytes");
  auto bytes = [&random](size_t count, unsigned low) {
    std::string out;
    for (size_t i = 0; i < count; ++i) {
      out.push_back(static_cast<char>(low + random() % (256 - low)));
    }
    return out;
  };
  for (int i = 0; i < 500; ++i) {
    std::vector<std::string> values = {
        bytes(random() % 6, 1), ToStringBinary(bytes(3, 0)),   std::to_string(static_cast<int32_t>(random())),
        bytes(random() % 9, 1), std::to_string(random() >> 1), ToStringBinary(bytes(random() % 4, 0))};
    std::string row = *schema.Encode(values);
    EXPECT_TRUE(schema.Validate(row).ok()) << schema.Validate(row).message();
    std::vector<std::string> back = *schema.Decode(row);
    ASSERT_EQ(back.size(), 9u);
    EXPECT_EQ((std::vector<std::string>{back[1], back[3], back[4], back[6], back[7], back[8]}), values);
  }
}

}  // namespace
}  // namespace klip
