// Names, conversions, comparisons and texts of SQL's values.
#include <gtest/gtest.h>

#include "klip/sql.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

Value NumberOf(std::string_view text) { return {Type::kDecimal, *Decimal::Parse(text)}; }

struct Conversion {
  Value value;
  DataType type;
  std::string text;  // of the result, or the beginning of the error
  bool cast = false;
};

TEST(SqlConvert, ConvertsOrSaysWhyNot) {
  const Conversion kConversions[] = {
      {Value::Integer(300), {Type::kInteger}, "300"},
      {Value::Integer(300), {Type::kTinyint}, "ERROR 201 (22000): Illegal data. '300' is no TINYINT"},
      {Value::Integer(-1), {Type::kUnsignedLong}, "ERROR 201 (22000)"},
      {NumberOf("1.9"), {Type::kBigint}, "ERROR 203 (22005)"},
      {NumberOf("1.9"), {Type::kBigint}, "2", true},
      {NumberOf("2.0"), {Type::kBigint}, "2"},
      {Value::Double(1.9), {Type::kBigint}, "1"},
      {Value::Double(1e30), {Type::kBigint}, "ERROR 201 (22000)"},
      {NumberOf("1.239"), {.type = Type::kDecimal, .precision = 10, .scale = 2}, "1.23"},
      {NumberOf("1.239"), {.type = Type::kDecimal, .precision = 10, .scale = 2}, "1.239", true},
      {NumberOf("999.99"), {.type = Type::kDecimal, .precision = 4, .scale = 2}, "ERROR 206 (22003)"},
      {NumberOf("99.99"), {.type = Type::kDecimal, .precision = 4, .scale = 2}, "99.99"},
      {NumberOf("1E40"), {Type::kDecimal}, "1" + std::string(40, '0')},
      {Value::Integer(7), {Type::kDouble}, "7.0"},
      {NumberOf("1E40"), {Type::kFloat}, "ERROR 203 (22005)"},
      {Value::Double(-1), {Type::kUnsignedDouble}, "ERROR 203 (22005)"},
      {Value::Text("12"), {Type::kInteger}, "12"},
      {Value::Text("x"), {Type::kInteger}, "ERROR 201 (22000)"},
      {Value::Text("true"), {Type::kBoolean}, "true"},
      {Value::Text("abc"), {Type::kVarchar, 2}, "ERROR 206 (22003)"},
      {Value::Text("\u00e4\u00f6"), {Type::kVarchar, 2}, "\u00e4\u00f6"},
      {Value::Text("ab  "), {Type::kChar, 2}, "ab"},
      {Value::Integer(1), {Type::kVarchar}, "ERROR 203 (22005)"},
      {Value::Text("ab"), {Type::kVarbinary}, "6162"},
      {Value::Text("2014-06-28"), {Type::kDate}, "2014-06-28 00:00:00.000"},
      {Value::Text("2014-06-28 12:30:00.123456"), {Type::kTimestamp}, "2014-06-28 12:30:00.123456000"},
      {Value::Integer(1000), {Type::kDate}, "1970-01-01 00:00:01.000"},
      {{Type::kDate, int64_t{1000}}, {Type::kBigint}, "1000"},
      {{Type::kDate, int64_t{-1}}, {Type::kUnsignedDate}, "ERROR 201 (22000)"},
      {{Type::kBoolean, true}, {Type::kDecimal}, "1"},
      {{Type::kBigint, Value::Array{Value::Integer(1), Value()}}, {.type = Type::kInteger, .array = true}, "[1, null]"},
  };
  for (const Conversion& conversion : kConversions) {
    Expected<Value> result = Convert(conversion.value, conversion.type, conversion.cast);
    std::string text = result.ok() ? result->ToString() : result.status().message();
    EXPECT_EQ(result.ok() ? text : text.substr(0, conversion.text.size()), conversion.text);
    EXPECT_TRUE(!result.ok() || result->type() == conversion.type.type) << text;
  }
}

TEST(SqlTypes, NamesAndNumbers) {
  EXPECT_EQ(ToString(DataType{.type = Type::kDecimal, .precision = 10, .scale = 2}), "DECIMAL(10,2)");
  EXPECT_EQ(ToString(DataType{.type = Type::kVarchar, .max_length = 20}), "VARCHAR(20)");
  EXPECT_EQ(ToString(DataType{.type = Type::kInteger, .array = true}), "INTEGER ARRAY");
  EXPECT_EQ(TypeOf("int"), Type::kInteger);
  EXPECT_EQ(TypeOf("unsigned_long"), Type::kUnsignedLong);
  EXPECT_EQ(TypeOf("money"), Type::kNull);
  EXPECT_EQ(JdbcType({Type::kUnsignedInt}), 4);
  EXPECT_EQ(PhoenixType({Type::kUnsignedInt}), 9);
  EXPECT_EQ(ErrorOf(SqlError(1012, "42M03", "Table undefined.")).number, 1012);
  EXPECT_EQ(ErrorOf(SqlError(1012, "42M03", "Table undefined.")).sql_state, "42M03");
  EXPECT_EQ(ErrorOf(Status(Code::kIoError, "ERROR of a disk")).number, 0);
}

TEST(SqlTypes, CoercesAsPhoenix) {
  EXPECT_TRUE(Coercible(Type::kInteger, Type::kBigint));
  EXPECT_FALSE(Coercible(Type::kBigint, Type::kInteger));
  EXPECT_TRUE(Coercible(Type::kUnsignedInt, Type::kInteger));
  EXPECT_TRUE(Coercible(Type::kDouble, Type::kDecimal));
  EXPECT_FALSE(Coercible(Type::kBigint, Type::kVarchar));
  EXPECT_TRUE(Coercible(Type::kDate, Type::kTimestamp));
  EXPECT_FALSE(Coercible(Type::kTimestamp, Type::kDate));
  EXPECT_EQ(CommonType({Type::kInteger}, {Type::kDecimal, 0, 5, 2}).type, Type::kDecimal);
  EXPECT_EQ(CommonType({Type::kChar, 3}, {Type::kVarchar, 5}), (DataType{Type::kVarchar, 5}));
  EXPECT_EQ(CommonType({Type::kNull}, {Type::kDate}).type, Type::kDate);
  EXPECT_EQ(CommonType({Type::kVarchar}, {Type::kDate}).type, Type::kNull);
}

TEST(SqlTypes, ComparesNumbersByValue) {
  EXPECT_TRUE(CompareValues(Value::Integer(2), NumberOf("1.5")) > 0);
  EXPECT_TRUE(CompareValues(Value::Double(0.1), NumberOf("0.1")) == 0);
  EXPECT_TRUE(CompareValues(Value::Integer(9007199254740993), Value::Double(9007199254740992.0)) > 0);
  EXPECT_TRUE(CompareValues(Value::Text("a"), {Type::kChar, std::string("b")}) < 0);
  EXPECT_TRUE(CompareValues({Type::kDate, int64_t{5}}, {Type::kTimestamp, Value::Timestamp{5, 1}}) < 0);
}

TEST(SqlTypes, PrintsAsJava) {
  EXPECT_EQ(Value::Double(1e10).ToString(), "1.0E10");
  EXPECT_EQ(Value::Double(0.0001).ToString(), "1.0E-4");
  EXPECT_EQ(Value::Double(1234567).ToString(), "1234567.0");
  EXPECT_EQ(Value(Type::kFloat, static_cast<double>(0.1F)).ToString(), "0.1");
  EXPECT_EQ(Value().ToString(), "null");
  EXPECT_EQ(Value::Bytes("\x01\xff").ToString(), "01ff");
}

TEST(SqlTimes, ParsesPrefixesAndOffsets) {
  auto ms = [](std::string_view text) { return ParseTime(text, Type::kDate)->integer(); };
  for (const auto& [week, day] :
       {std::pair("2015-W05", "2015-01-26"), std::pair("2015-W53-7", "2016-01-03"),
        std::pair("2020-W01-1", "2019-12-30"), std::pair("2015-W05-3T10:00", "2015-01-28T10:00")}) {
    EXPECT_EQ(ms(week), ms(day)) << week;
  }
  EXPECT_EQ(ms("1970-01-01 00:00:01.5"), 1500);
  EXPECT_EQ(ms("1970"), 0);
  EXPECT_EQ(ms("1970-02"), 31 * 86'400'000LL);
  EXPECT_EQ(ms("1970-01-01T02:00+02:00"), 0);
  EXPECT_EQ(ms("1970-01-01T00:00:00Z"), 0);
  for (std::string_view text : {"", "2014-13-01", "2014-02-29", "2014-01-01 25:00", "yesterday", "2014-01-01 10:00 x",
                                "2014-W53", "2015-W0", "2015-W05-8"}) {
    EXPECT_EQ(ErrorOf(ParseTime(text, Type::kDate).status()).number, 201) << text;
  }
}

// Across the change of calendars, and back.
TEST(SqlTimes, PrintsWhatItParses) {
  for (std::string_view text : {"0001-01-01 00:00:00.000", "1582-10-04 23:59:59.999", "1582-10-15 00:00:00.000",
                                "1900-02-28 01:02:03.004", "2000-02-29 00:00:00.000", "9999-12-31 23:59:59.999"}) {
    EXPECT_EQ(ParseTime(text, Type::kDate)->ToString(), text);
  }
  EXPECT_EQ(ParseTime("1582-10-15", Type::kDate)->integer() - ParseTime("1582-10-04", Type::kDate)->integer(),
            86'400'000);
  for (int64_t day = -719'000; day < 800'000; day += 13) {  // years before 1 print without an era
    Value value(Type::kDate, day * 86'400'000);
    ASSERT_EQ(*ParseTime(value.ToString(), Type::kDate), value) << value.ToString();
  }
}

}  // namespace
}  // namespace klip::sql
