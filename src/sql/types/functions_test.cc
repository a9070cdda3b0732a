// Scalar functions, as in Phoenix.
#include "sql/types/functions.h"

#include <gtest/gtest.h>

#include "klip/sql.h"
#include "sql/types/codec.h"

namespace klip::sql {
namespace {

struct CallCase {
  std::string_view name;
  std::vector<Value> values;
  Type type;
  std::string_view text;
};

std::vector<FunctionArgument> ArgumentsOf(const std::vector<Value>& values) {
  std::vector<FunctionArgument> arguments;
  for (const Value& value : values) {
    arguments.push_back({.type = {.type = value.type(), .array = value.is_array()}});
  }
  return arguments;
}

Value Int(int64_t value) { return {Type::kInteger, value}; }

Value Number(std::string_view text) { return Value::Number(*Decimal::Parse(text)); }

Value Day(std::string_view text) { return *ParseTime(text, Type::kDate); }

Value List(std::initializer_list<int64_t> numbers) {
  Value::Array array;
  for (int64_t number : numbers) {
    array.push_back(Int(number));
  }
  return {Type::kInteger, array};
}

TEST(SqlFunctions, Calculate) {
  const CallCase kCases[] = {
      {"SQRT", {Value::Integer(16)}, Type::kDouble, "4.0"},
      {"SQRT", {Value::Integer(-1)}, Type::kDouble, "NaN"},
      {"CBRT", {Value::Double(-8)}, Type::kDouble, "-2.0"},
      {"CBRT", {Value::Double(27)}, Type::kDouble, "3.0"},
      {"CBRT", {Value::Double(5)}, Type::kDouble, "1.709975946676697"},
      {"EXP", {Value::Integer(0)}, Type::kDouble, "1.0"},
      {"LN", {Value::Integer(0)}, Type::kDouble, "-Infinity"},
      {"SIN", {Value::Integer(0)}, Type::kDouble, "0.0"},
      {"POWER", {Value::Integer(2), Value::Number(*Decimal::Parse("0.5"))}, Type::kDouble, "1.4142135623730951"},
      {"PI", {}, Type::kDouble, "3.141592653589793"},
      {"ABS", {{Type::kInteger, int64_t{-3}}}, Type::kInteger, "3"},
      {"ABS", {Value::Number(*Decimal::Parse("-3.50"))}, Type::kDecimal, "3.50"},
      {"SIGN", {Value::Double(-0.5)}, Type::kInteger, "-1"},
      {"SIGN", {Value()}, Type::kInteger, "null"},
      {"TRIM", {Value::Text("\t a b\x7F ")}, Type::kVarchar, "a b"},
      {"LTRIM", {Value::Text(" a ")}, Type::kVarchar, "a "},
      {"RTRIM", {Value::Text(" a ")}, Type::kVarchar, " a"},
      {"TRIM", {Value::Text("  ")}, Type::kVarchar, "null"},
      {"LENGTH", {Value::Text("\u00e4b")}, Type::kInteger, "2"},
      {"INSTR", {Value::Text("\u00e4bc"), Value::Text("c")}, Type::kInteger, "3"},
      {"INSTR", {Value::Text("abc"), Value::Text("x")}, Type::kInteger, "0"},
      {"SUBSTR", {Value::Text("\u00e4bcd"), Value::Integer(2)}, Type::kVarchar, "bcd"},
      {"SUBSTR", {Value::Text("\u00e4bcd"), Value::Integer(0), Value::Integer(2)}, Type::kVarchar, "\u00e4b"},
      {"SUBSTR", {Value::Text("abcd"), Value::Integer(-2), Value::Integer(9)}, Type::kVarchar, "cd"},
      {"SUBSTR", {Value::Text("abcd"), Value::Integer(5)}, Type::kVarchar, "null"},
      {"SUBSTR", {Value::Text("abcd"), Value::Integer(1), Value::Integer(0)}, Type::kVarchar, "null"},
      {"UPPER", {Value::Text("a\u00e4\u00df\u03b1z1")}, Type::kVarchar, "A\u00c4SS\u0391Z1"},
      {"UPPER", {Value::Text("i"), Value::Text("tr")}, Type::kVarchar, "\u0130"},
      {"UPPER", {Value::Text("i"), Value()}, Type::kVarchar, "I"},
      {"LOWER", {Value::Text("A\u00c4\u0416")}, Type::kVarchar, "a\u00e4\u0436"},
      {"LPAD", {Value::Text("ab"), Int(7), Value::Text("xyz")}, Type::kVarchar, "xyzxyab"},
      {"LPAD", {Value::Text("ab"), Int(3)}, Type::kVarchar, " ab"},
      {"LPAD", {Value::Text("\u00e4bc"), Int(2)}, Type::kVarchar, "\u00e4b"},
      {"LPAD", {Value::Text("ab"), Int(-1)}, Type::kVarchar, "null"},
      {"OCTET_LENGTH", {Value::Text("\u00e4b")}, Type::kInteger, "3"},
      {"COALESCE", {{Type::kInteger, int64_t{1}}, Value::Integer(2)}, Type::kInteger, "1"},
      {"COALESCE", {Value(), Value(), Value::Integer(2)}, Type::kBigint, "2"},
      {"LOG", {Int(100)}, Type::kDouble, "2.0"},
      {"LOG", {Int(8), Int(2)}, Type::kDouble, "3.0"},
      {"RAND", {Int(42)}, Type::kDouble, "0.7275636800328681"},
      {"ROUND", {Number("2.455"), Int(2)}, Type::kDecimal, "2.46"},
      {"ROUND", {Number("-2.5")}, Type::kDecimal, "-3"},
      {"ROUND", {Number("1250"), Int(-2)}, Type::kDecimal, "1300"},
      {"ROUND", {Int(7), Int(2)}, Type::kInteger, "7"},
      {"CEIL", {Value::Double(1.2)}, Type::kDecimal, "2"},
      {"CEIL", {Number("-1.25"), Int(1)}, Type::kDecimal, "-1.2"},
      {"FLOOR", {Number("-1.25"), Int(1)}, Type::kDecimal, "-1.3"},
      {"TRUNC", {Number("1.29"), Int(1)}, Type::kDecimal, "1.2"},
      {"TO_CHAR", {Value::Integer(1234567)}, Type::kVarchar, "1,234,567"},
      {"TO_CHAR", {Number("1234.5675")}, Type::kVarchar, "1,234.568"},
      {"TO_CHAR", {Number("-0.125"), Value::Text("0.00")}, Type::kVarchar, "-0.12"},
      {"TO_CHAR", {Value::Double(0.125), Value::Text("#.##")}, Type::kVarchar, "0.12"},
      {"TO_CHAR", {Value::Double(2.675), Value::Text("0.00")}, Type::kVarchar, "2.67"},
      {"TO_CHAR", {Number("0.5"), Value::Text("#.00")}, Type::kVarchar, ".50"},
      {"TO_CHAR", {Number("99.995"), Value::Text("000,000.00")}, Type::kVarchar, "000,100.00"},
      {"TO_CHAR", {Number("0.256"), Value::Text("0.#%")}, Type::kVarchar, "25.6%"},
      {"TO_CHAR", {Int(-5), Value::Text("'#'#;(#)")}, Type::kVarchar, "(5)"},
      {"TO_CHAR", {Int(12345), Value::Text("0.###E0")}, Type::kVarchar, "1.234E4"},
      {"TO_CHAR", {Int(12345), Value::Text("##0.###E0")}, Type::kVarchar, "12.345E3"},
      {"TO_CHAR", {Number("0.00012345"), Value::Text("##0.##E00")}, Type::kVarchar, "123.45E-06"},
      {"TO_CHAR", {Int(0), Value::Text("##0.00E0")}, Type::kVarchar, "0.00E0"},
      {"TO_CHAR", {Int(99999), Value::Text("0.0E0")}, Type::kVarchar, "1.0E5"},
      {"TO_CHAR", {Value::Double(1e300), Value::Text("0.0E0")}, Type::kVarchar, "1.0E300"},
      {"TO_CHAR", {Int(-1234), Value::Text("x0.0E0y;(0.0E0)")}, Type::kVarchar, "(1.2E3)"},
      {"TO_CHAR", {Int(25), Value::Text("0E0")}, Type::kVarchar, "2E1"},
      {"TO_CHAR", {Int(5), Value::Text(".00E0")}, Type::kVarchar, ".50E1"},
      {"TO_NUMBER", {Value::Text("1.5E3"), Value::Text("0.0")}, Type::kDecimal, "1500"},
      {"TO_NUMBER", {Value::Text("-25E-1x"), Value::Text("0x;-0x")}, Type::kDecimal, "-2.5"},
      {"TO_NUMBER", {Value::Text(" 12.50 ")}, Type::kDecimal, "12.5"},
      {"TO_NUMBER", {Value::Text("$1,234.50"), Value::Text("$#,##0.00")}, Type::kDecimal, "1234.5"},
      {"TO_NUMBER", {Value::Text("-$3"), Value::Text("$#,##0.00")}, Type::kDecimal, "-3"},
      {"TO_NUMBER", {Value::Text("25%"), Value::Text("0%")}, Type::kDecimal, "0.25"},
      {"TO_NUMBER", {Value::Text("x"), Value::Text("0")}, Type::kDecimal, "null"},
      {"TO_DATE", {Value::Text("2014-06-28")}, Type::kDate, "2014-06-28 00:00:00.000"},
      {"TO_DATE",
       {Value::Text("28/6/14 1:05 PM"), Value::Text("d/M/yy h:mm a")},
       Type::kDate,
       "2014-06-28 13:05:00.000"},
      {"TO_DATE", {Value::Text("20140628"), Value::Text("yyyyMMdd")}, Type::kDate, "2014-06-28 00:00:00.000"},
      {"TO_DATE",
       {Value::Text("Sat, 28 june 2014"), Value::Text("EEE, d MMM yyyy")},
       Type::kDate,
       "2014-06-28 00:00:00.000"},
      {"TO_DATE", {Value::Text("2014-13-01"), Value::Text("yyyy-MM-dd")}, Type::kDate, "2015-01-01 00:00:00.000"},
      {"TO_DATE",
       {Value::Text("2014-06-28 12:00 +0200"), Value::Text("yyyy-MM-dd HH:mm Z")},
       Type::kDate,
       "2014-06-28 10:00:00.000"},
      {"TO_DATE",
       {Value::Text("2014-06-28 12:00:00"), Value(), Value::Text("Europe/Berlin")},
       Type::kDate,
       "2014-06-28 10:00:00.000"},
      {"TO_TIME",
       {Value::Text("12:30"), Value::Text("HH:mm"), Value::Text("GMT-1")},
       Type::kTime,
       "1970-01-01 13:30:00.000"},
      {"TO_TIMESTAMP", {Value::Text("2014-06-28 12:30:00.25")}, Type::kTimestamp, "2014-06-28 12:30:00.250"},
      {"TO_CHAR", {Day("2014-06-08 00:05:09.007")}, Type::kVarchar, "2014-06-08 00:05:09.007"},
      {"TO_CHAR",
       {Day("2014-06-08 00:05:09.007"), Value::Text("EEEE d MMM yy, h:m:s.S a ''z'")},
       Type::kVarchar,
       "Sunday 8 Jun 14, 12:5:9.7 AM 'GMT"},
      {"TO_CHAR", {Day("2014-02-08 23:05"), Value::Text("D k K u G XX")}, Type::kVarchar, "39 23 11 6 AD Z"},
      {"TO_NUMBER", {Day("1970-01-02")}, Type::kDecimal, "86400000"},
      {"YEAR", {Day("2014-12-29")}, Type::kInteger, "2014"},
      {"MONTH", {Day("2014-12-29")}, Type::kInteger, "12"},
      {"WEEK", {Day("2014-12-29")}, Type::kInteger, "1"},
      {"WEEK", {Day("2016-01-03")}, Type::kInteger, "53"},
      {"DAYOFYEAR", {Day("2016-12-31")}, Type::kInteger, "366"},
      {"DAYOFMONTH", {Day("1969-12-31")}, Type::kInteger, "31"},
      {"DAYOFWEEK", {Day("2014-06-29")}, Type::kInteger, "7"},
      {"HOUR", {Day("1969-12-31 23:59:58")}, Type::kInteger, "23"},
      {"MINUTE", {Day("1969-12-31 23:59:58")}, Type::kInteger, "59"},
      {"SECOND", {Day("1969-12-31 23:59:58")}, Type::kInteger, "58"},
      {"FLOOR", {Day("2014-06-28 12:31:00"), Value::Text("hour")}, Type::kDate, "2014-06-28 12:00:00.000"},
      {"ROUND", {Day("2014-06-28 12:30:00"), Value::Text("HOUR")}, Type::kDate, "2014-06-28 13:00:00.000"},
      {"CEIL", {Day("2014-06-28 12:31:00"), Value::Text("minute"), Int(10)}, Type::kDate, "2014-06-28 12:40:00.000"},
      {"TRUNC", {Day("2014-06-28 12:31:00"), Value::Text("week")}, Type::kDate, "2014-06-23 00:00:00.000"},
      {"CEIL", {Day("2014-12-28 12:31:00"), Value::Text("month")}, Type::kDate, "2015-01-01 00:00:00.000"},
      {"ROUND", {Day("2014-06-16"), Value::Text("month")}, Type::kDate, "2014-06-01 00:00:00.000"},
      {"ROUND", {Day("2013-07-02 12:00:00"), Value::Text("year")}, Type::kDate, "2014-01-01 00:00:00.000"},
      {"CONVERT_TZ",
       {Day("2014-06-28 12:00:00"), Value::Text("UTC"), Value::Text("America/New_York")},
       Type::kDate,
       "2014-06-28 08:00:00.000"},
      {"TIMEZONE_OFFSET", {Value::Text("Europe/Berlin"), Day("2014-01-01")}, Type::kInteger, "60"},
      {"TIMEZONE_OFFSET", {Value::Text("Europe/Berlin"), Day("2050-07-01")}, Type::kInteger, "120"},
      {"TIMEZONE_OFFSET", {Value::Text("Indian/Cocos"), Day("2014-01-01")}, Type::kInteger, "390"},
      {"REGEXP_SUBSTR", {Value::Text("na1-apple-x"), Value::Text("[a-z]{3,}")}, Type::kVarchar, "apple"},
      {"REGEXP_SUBSTR", {Value::Text("\u00e4b1b2"), Value::Text("b."), Int(3)}, Type::kVarchar, "b2"},
      {"REGEXP_SUBSTR", {Value::Text("b1b2"), Value::Text("b."), Int(-2)}, Type::kVarchar, "b2"},
      {"REGEXP_SUBSTR", {Value::Text("b1"), Value::Text("x")}, Type::kVarchar, "null"},
      {"REGEXP_REPLACE",
       {Value::Text("abc-def"), Value::Text("([a-z])([a-z])"), Value::Text("$2\\$$1")},
       Type::kVarchar,
       "b$ac-e$df"},
      {"REGEXP_REPLACE", {Value::Text("baac"), Value::Text("a*"), Value::Text("x")}, Type::kVarchar, "xbxxcx"},
      {"REGEXP_REPLACE", {Value::Text("a1b2"), Value::Text("[0-9]")}, Type::kVarchar, "ab"},
      {"REGEXP_SPLIT", {Value::Text("a,b,,c,"), Value::Text(",")}, Type::kVarchar, "['a', 'b', null, 'c', null]"},
      {"REGEXP_SPLIT", {Value::Text("aXbX"), Value::Text("(?=X)")}, Type::kVarchar, "['a', 'Xb', 'X']"},
      {"LPAD", {Value(), Int(2), Value::Text("*")}, Type::kVarchar, "**"},
      {"MD5", {Value::Text("a")}, Type::kBinary, "0cc175b9c0f1b6a831c399e269772661"},
      {"ENCODE", {Value::Integer(-3844), Value::Text("base62")}, Type::kVarchar, "-100"},
      {"DECODE", {Value::Text("0aFF"), Value::Text("hex")}, Type::kVarbinary, "0aff"},
      {"DECODE", {Value::Text("AQI="), Value::Text("BASE64")}, Type::kVarbinary, "0102"},
      {"DECODE", {Value::Text("a\\x00\\x"), Value::Text("HBASE")}, Type::kVarbinary, "61005c78"},
      {"GET_BIT", {Value::Bytes("\x01\x82"), Int(9)}, Type::kInteger, "1"},
      {"GET_BIT", {Value::Bytes("\x01\x82"), Int(-1)}, Type::kInteger, "1"},
      {"SET_BIT", {Value::Bytes("\x01"), Int(7), Int(1)}, Type::kVarbinary, "81"},
      {"SET_BIT", {Value::Bytes("\x01"), Int(0), Int(2)}, Type::kVarbinary, "00"},
      {"GET_BYTE", {Value::Bytes("\x01\xFF"), Int(3)}, Type::kInteger, "-1"},
      {"SET_BYTE", {Value::Bytes("\x01\xFF"), Int(-1), Int(258)}, Type::kVarbinary, "0102"},
      {"ARRAY_LENGTH", {List({1, 2})}, Type::kInteger, "2"},
      {"ARRAY_ELEM", {List({1, 2}), Int(2)}, Type::kInteger, "2"},
      {"ARRAY_ELEM", {List({1, 2}), Int(3)}, Type::kInteger, "null"},
      {"ARRAY_APPEND", {List({1, 2}), Int(3)}, Type::kInteger, "[1, 2, 3]"},
      {"ARRAY_APPEND", {Value(), Int(3)}, Type::kInteger, "[3]"},
      {"ARRAY_APPEND", {List({1}), Value()}, Type::kInteger, "[1]"},
      {"ARRAY_PREPEND", {Int(3), List({1, 2})}, Type::kInteger, "[3, 1, 2]"},
      {"ARRAY_PREPEND", {Value(), List({1})}, Type::kInteger, "[1]"},
      {"ARRAY_PREPEND", {Value(), {Type::kVarchar, Value::Array{Value::Text("a")}}}, Type::kVarchar, "[null, 'a']"},
      {"ARRAY_CAT", {List({1}), List({2, 3})}, Type::kInteger, "[1, 2, 3]"},
      {"ARRAY_REMOVE", {List({1, 2, 1}), Int(1)}, Type::kInteger, "[2]"},
      {"ARRAY_FILL", {Int(1), Int(2)}, Type::kInteger, "[1, 1]"},
      {"ARRAY_TO_STRING", {List({1, 2}), Value::Text("; ")}, Type::kVarchar, "1; 2"},
      {"STRING_TO_ARRAY", {Value::Text("a,,b,,"), Value::Text(",")}, Type::kVarchar, "['a', null, 'b']"},
      {"STRING_TO_ARRAY",
       {Value::Text("a-x-b"), Value::Text("-"), Value::Text("x")},
       Type::kVarchar,
       "['a', null, 'b']"},
      {"STRING_TO_ARRAY", {Value::Text("\u00e4b"), Value()}, Type::kVarchar, "['\u00e4', 'b']"},
      {"REVERSE", {Value::Text("\u00e4bc")}, Type::kVarchar, "cb\u00e4"},
  };
  for (const CallCase& call : kCases) {
    SCOPED_TRACE(call.name);
    Expected<std::unique_ptr<BoundFunction>> function = BindFunction(call.name, ArgumentsOf(call.values));
    ASSERT_TRUE(function.ok()) << function.status().message();
    EXPECT_EQ((*function)->type().type, call.type);
    Expected<Value> result = (*function)->Call(call.values, {.now_ms = 1'400'000'000'000});
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result->ToString(), call.text);
    EXPECT_TRUE(result->is_null() || result->type() == call.type);
  }
}

TEST(SqlFunctions, LengthOfCharCountsItsPadding) {
  FunctionArgument argument{.type = {Type::kChar, 5}};
  Value value(Type::kChar, std::string("ab"));
  EXPECT_EQ((*BindFunction("LENGTH", {&argument, 1}))->Call({&value, 1}, {})->integer(), 5);
}

TEST(SqlFunctions, OnlyRandIsNotConstant) {
  FunctionArgument seed{.type = {Type::kBigint}};
  EXPECT_FALSE((*BindFunction("RAND", {}))->is_constant());
  EXPECT_FALSE((*BindFunction("RAND", {&seed, 1}))->is_constant());
  EXPECT_TRUE((*BindFunction("PI", {}))->is_constant());
}

TEST(SqlFunctions, RoundNanosecondsOfTimestamps) {
  Value time(Type::kTimestamp, Value::Timestamp{7, 400'000});
  FunctionArgument argument{.type = {Type::kTimestamp}};
  EXPECT_EQ(ErrorOf(BindFunction("ROUND", {&argument, 1}).status()).number, 201);
  Value unit = Value::Text("millisecond");
  std::vector<FunctionArgument> arguments = {argument, {.type = {Type::kVarchar}, .constant = &unit}};
  std::vector<Value> values = {time, unit};
  EXPECT_EQ(*(*BindFunction("ROUND", arguments))->Call(values, {}), time);
  EXPECT_EQ((*BindFunction("CEIL", arguments))->Call(values, {})->timestamp(), (Value::Timestamp{8, 0}));
  EXPECT_EQ((*BindFunction("FLOOR", arguments))->type().type, Type::kDate);
}

TEST(SqlFunctions, TellTheStatementsTime) {
  EXPECT_EQ((*BindFunction("NOW", {}))->Call({}, {.now_ms = 5})->integer(), 5);
  EXPECT_EQ((*BindFunction("CURRENT_TIME", {}))->type().type, Type::kTime);
}

TEST(SqlFunctions, RefuseConstantPatternsWhenTheyAreBound) {
  Value pattern = Value::Text("0#");
  std::vector<FunctionArgument> arguments = {{.type = {Type::kInteger}},
                                             {.type = {Type::kVarchar}, .constant = &pattern}};
  EXPECT_EQ(ErrorOf(BindFunction("TO_CHAR", arguments).status()).number, 201);
  pattern = Value::Text("00");
  EXPECT_TRUE(BindFunction("TO_CHAR", arguments).ok());
}

TEST(SqlFunctions, RefuseOtherArguments) {
  FunctionArgument number{.type = {Type::kInteger}};
  EXPECT_EQ(BindFunction("TRIM", {&number, 1}).status().message(),
            "ERROR 203 (22005): Type mismatch. expected: [VARCHAR] but was: INTEGER at TRIM argument 1");
  EXPECT_EQ(BindFunction("PI", {&number, 1}).status().message(),
            "ERROR 6001 (42F01): Function undefined. functionName=PI");
  EXPECT_EQ(ErrorOf(BindFunction("NONE", {}).status()).number, 6001);
  EXPECT_TRUE(IsFunction("SQRT"));
  EXPECT_FALSE(IsFunction("SUM"));
}

}  // namespace
}  // namespace klip::sql
