// Values as Phoenix's bytes: bytes that Phoenix 5.2.1 wrote, and random values.
#include "sql/types/codec.h"

#include <bit>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "klip/sql.h"

namespace klip::sql {
namespace {

std::string BytesOf(const Value& value, const DataType& type, bool descending = false) {
  std::string bytes;
  EncodeValue(value, type, &bytes, descending);
  return bytes;
}

std::string HexOf(const Value& value, const DataType& type, bool descending = false) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string hex;
  for (unsigned char byte : BytesOf(value, type, descending)) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

Value DecimalValue(std::string_view text) { return {Type::kDecimal, *Decimal::Parse(text)}; }

struct Golden {
  Value value;
  DataType type;
  std::string_view ascending;
  std::string_view descending;
};

TEST(SqlCodec, WritesPhoenixsBytes) {
  const Golden kGolden[] = {
      {{Type::kInteger, int64_t{1}}, {Type::kInteger}, "80000001", "7FFFFFFE"},
      {{Type::kInteger, int64_t{-1}}, {Type::kInteger}, "7FFFFFFF", "80000000"},
      {{Type::kUnsignedLong, int64_t{1}}, {Type::kUnsignedLong}, "0000000000000001", "FFFFFFFFFFFFFFFE"},
      {{Type::kFloat, 1.5}, {Type::kFloat}, "BFC00001", "403FFFFE"},
      {{Type::kFloat, -1.5}, {Type::kFloat}, "40400000", "BFBFFFFF"},
      {{Type::kDouble, 1.5}, {Type::kDouble}, "BFF8000000000001", "4007FFFFFFFFFFFE"},
      {{Type::kUnsignedFloat, 1.5}, {Type::kUnsignedFloat}, "3FC00000", "C03FFFFF"},
      {DecimalValue("0"), {Type::kDecimal}, "80", "7F"},
      {DecimalValue("1"), {Type::kDecimal}, "C102", "3EFD"},
      {DecimalValue("-1"), {Type::kDecimal}, "3E6466", "C19B99"},
      {DecimalValue("12.5"), {Type::kDecimal}, "C10D33", "3EF2CC"},
      {DecimalValue("-12.50"), {Type::kDecimal}, "3E593366", "C1A6CC99"},
      {DecimalValue("99"), {Type::kDecimal}, "C164", "3E9B"},
      {DecimalValue("100"), {Type::kDecimal}, "C202", "3DFD"},
      {DecimalValue("0.001"), {Type::kDecimal}, "BF0B", "40F4"},
      {DecimalValue("1234567.89"), {Type::kDecimal}, "C402182E445A", "3BFDE7D1BBA5"},
      {DecimalValue("1E10"), {Type::kDecimal}, "C602", "39FD"},
      {{Type::kBoolean, true}, {Type::kBoolean}, "01", "00"},
      {{Type::kBoolean, false}, {Type::kBoolean}, "00", "01"},
      {Value::Text("ab"), {Type::kVarchar}, "6162", "9E9D"},
      {{Type::kChar, std::string("ab")}, {Type::kChar, 4}, "61622020", "9E9DDFDF"},
      {{Type::kDate, int64_t{1000}}, {Type::kDate}, "80000000000003E8", "7FFFFFFFFFFFFC17"},
      {{Type::kUnsignedDate, int64_t{1000}}, {Type::kUnsignedDate}, "00000000000003E8", "FFFFFFFFFFFFFC17"},
      {{Type::kTimestamp, Value::Timestamp{1000, 7}},
       {Type::kTimestamp},
       "80000000000003E800000007",
       "7FFFFFFFFFFFFC17FFFFFFF8"},
      {{Type::kInteger, Value::Array{{Type::kInteger, int64_t{1}}, {Type::kInteger, int64_t{2}}}},
       {.type = Type::kInteger, .array = true},
       "8000000180000002",
       "7FFFFFFE7FFFFFFD"},
      {{Type::kVarchar, Value::Array{Value::Text("a"), Value(), Value::Text("bc")}},
       {.type = Type::kVarchar, .array = true},
       "610000FF62630000008001800380050000000900000003"
       "01",
       "9EFF00FF9D9CFFFFFF8001800380050000000900000003"
       "01"},
  };
  for (const Golden& golden : kGolden) {
    SCOPED_TRACE(ToString(golden.type) + " " + golden.value.ToString());
    EXPECT_EQ(HexOf(golden.value, golden.type), golden.ascending);
    EXPECT_EQ(HexOf(golden.value, golden.type, true), golden.descending);
    for (bool descending : {false, true}) {
      Expected<Value> decoded = DecodeValue(BytesOf(golden.value, golden.type, descending), golden.type, descending);
      ASSERT_TRUE(decoded.ok()) << decoded.status().ToString();
      EXPECT_EQ(*decoded, golden.value);
    }
  }
}

// 38 digits across 20 bytes leave no space for the end of a negative number.
TEST(SqlCodec, KeepsDecimalsWithin21Bytes) {
  const DataType kDecimal = {Type::kDecimal};
  Value value = DecimalValue("-123456789012345678901234567890123456.78");
  Value odd = DecimalValue("-1234567890123456789012345678901234567.8");
  EXPECT_EQ(BytesOf(value, kDecimal).size(), 21U);
  EXPECT_EQ(BytesOf(value, kDecimal).back(), 0x66);
  EXPECT_EQ(BytesOf(odd, kDecimal).size(), 21U);
  EXPECT_NE(BytesOf(odd, kDecimal).back(), 0x66);
  EXPECT_EQ(*DecodeValue(BytesOf(odd, kDecimal), kDecimal), odd);
}

class Randomness {
 public:
  int64_t Number(int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(generator_);
  }
  int64_t Whole(int bits) { return static_cast<int64_t>(generator_() >> Number(64 - bits, 63)); }  // of any length

  Value Of(const DataType& type) {
    switch (type.type) {
      case Type::kBoolean:
        return {type.type, Whole(1) != 0};
      case Type::kFloat:
      case Type::kUnsignedFloat:
      case Type::kDouble:
      case Type::kUnsignedDouble:
        return {type.type, Real(type.type)};
      case Type::kDecimal:
        return {type.type, Decimal(Signed(Unscaled()), static_cast<int>(Number(-40, 60)))};
      case Type::kChar:
      case Type::kVarchar:
      case Type::kVarbinary:
        return {type.type, Text(type.max_length == 0 ? 40 : type.max_length)};
      case Type::kBinary:
        return {type.type, Text(type.max_length, type.max_length)};
      case Type::kTimestamp:
      case Type::kUnsignedTimestamp:
        return {type.type, Value::Timestamp{type.type == Type::kTimestamp ? Signed64(Whole(50)) : Whole(50),
                                            static_cast<int32_t>(Number(0, 999'999))}};
      default:
        break;
    }
    int bits = FixedBytes(type) * 8 - 1;
    bool is_unsigned =
        (type.type >= Type::kUnsignedTinyint && type.type <= Type::kUnsignedLong) || type.type >= Type::kUnsignedDate;
    return {type.type, is_unsigned ? Whole(bits) : Signed64(Whole(bits))};
  }

 private:
  __int128 Unscaled() {
    __int128 value = 0;
    for (int64_t digits = Number(0, 38); digits > 0; digits--) {
      value = value * 10 + Number(0, 9);
    }
    return value;
  }
  __int128 Signed(__int128 value) { return Number(0, 1) == 0 ? value : -value; }
  int64_t Signed64(int64_t value) { return Number(0, 1) == 0 ? value : -value; }
  double Real(Type type) {
    bool single = type == Type::kFloat || type == Type::kUnsignedFloat;
    double real = 0;
    do {
      uint64_t bits = generator_();
      real = single ? std::bit_cast<float>(static_cast<uint32_t>(bits)) : std::bit_cast<double>(bits);
    } while (!std::isfinite(real));
    return type == Type::kUnsignedFloat || type == Type::kUnsignedDouble ? std::abs(real) : real;
  }
  std::string Text(int most, int least = 1) {
    std::string text(static_cast<size_t>(Number(least, most)), ' ');
    for (char& c : text) {
      c = static_cast<char>(Number('!', '~'));
    }
    return text;
  }

  std::mt19937_64 generator_{7};
};

// Bytes have the order of the values, reversed if descending, and decode to them.
TEST(SqlCodec, KeepsOrderAndValueOfRandomValues) {
  Randomness random;
  for (int number = 1; number <= static_cast<int>(Type::kUnsignedTimestamp); number++) {
    DataType type{static_cast<Type>(number)};
    type.max_length = type.type == Type::kChar || type.type == Type::kBinary ? 6 : 0;
    SCOPED_TRACE(ToString(type));
    Value last = random.Of(type);
    for (int i = 0; i < 100'000; i++) {
      Value value = random.Of(type);
      std::weak_ordering order = BytesOf(last, type) <=> BytesOf(value, type);
      ASSERT_TRUE(CompareValues(last, value) == order) << last.ToString() << " " << value.ToString();
      Expected<Value> back = DecodeValue(BytesOf(value, type), type);
      Expected<Value> descending = DecodeValue(BytesOf(value, type, true), type, true);
      ASSERT_TRUE(back.ok() && descending.ok() && *back == value && *descending == value) << value.ToString();
      last = std::move(value);
    }
  }
}

TEST(SqlCodec, ReadsWholeNumbersWithoutAValue) {
  Randomness random;
  for (Type type :
       {Type::kTinyint, Type::kInteger, Type::kBigint, Type::kUnsignedInt, Type::kUnsignedLong, Type::kDate}) {
    for (bool descending : {false, true}) {
      Value value = random.Of({type});
      EXPECT_EQ(DecodeWhole(BytesOf(value, {type}, descending), type, descending), value.integer());
    }
  }
}

TEST(SqlCodec, RefusesBytesOfOtherTypes) {
  EXPECT_FALSE(DecodeValue("abc", {Type::kInteger}).ok());
  EXPECT_FALSE(DecodeValue("\xC1", {Type::kDecimal}).ok());
  EXPECT_FALSE(DecodeValue(std::string(21, '\xFF'), {Type::kDecimal}).ok());
  EXPECT_FALSE(DecodeValue("abcdefghijkl", {.type = Type::kVarchar, .array = true}).ok());
  EXPECT_TRUE(DecodeValue("", {Type::kInteger})->is_null());
}

TEST(SqlDecimal, PrintsAndParses) {
  for (std::string_view text : {"0", "-12.50", "0.001", "12345678901234567890123456789012345678", "-0.5", "1.0"}) {
    EXPECT_EQ(Decimal::Parse(text)->ToString(), text);
  }
  EXPECT_EQ(Decimal::Parse("1E10")->ToString(), "10000000000");
  EXPECT_EQ(Decimal::Parse("+1.5e-3")->ToString(), "0.0015");
  EXPECT_EQ(ParseRounded("123456789012345678901234567890123456784.9")->ToString(),
            "123456789012345678901234567890123456780");
  EXPECT_EQ(ParseRounded("-1.23456789012345678901234567890123456785")->ToString(),
            "-1.2345678901234567890123456789012345679");
  EXPECT_EQ(ParseRounded(std::string(39, '9'))->ToString(), "1" + std::string(39, '0'));
  for (std::string_view text :
       {"", ".", "x", "1E", "1E+-2", "1.2.3", "123456789012345678901234567890123456789", "1E999"}) {
    EXPECT_EQ(Decimal::Parse(text).status().code(), Code::kInvalidArgument) << text;
  }
}

TEST(SqlDecimal, CalculatesAsBigDecimal) {
  auto decimal = [](std::string_view text) { return *Decimal::Parse(text); };
  EXPECT_EQ(Add(decimal("1.20"), decimal("2.3"))->ToString(), "3.50");
  EXPECT_EQ(Subtract(decimal("1"), decimal("1.001"))->ToString(), "-0.001");
  EXPECT_EQ(Multiply(decimal("1.20"), decimal("3"))->ToString(), "3.60");
  EXPECT_EQ(Divide(decimal("1"), decimal("3"))->ToString(), "0." + std::string(38, '3'));
  EXPECT_EQ(Divide(decimal("2"), decimal("3"))->ToString(), "0." + std::string(37, '6') + "7");
  EXPECT_EQ(Divide(decimal("7"), decimal("2"))->ToString(), "3.5");
  EXPECT_EQ(Divide(decimal("12.00"), decimal("2"))->ToString(), "6.00");
  EXPECT_EQ(Add(decimal("1E60"), decimal("1")).status().message().substr(0, 17), "ERROR 206 (22003)");
  EXPECT_EQ(Add(decimal("1"), decimal("1E-60"))->ToString(), "1." + std::string(37, '0'));
  EXPECT_EQ(ErrorOf(Divide(decimal("1"), decimal("0")).status()).number, 212);
  std::string nines(38, '9');
  EXPECT_EQ(ErrorOf(Multiply(decimal(nines), decimal(nines)).status()).number, 206);
  EXPECT_EQ(Rescale(decimal("-1.255"), 2, true).ToString(), "-1.26");
  EXPECT_EQ(Rescale(decimal("-1.255"), 2, false).ToString(), "-1.25");
  EXPECT_EQ(decimal("1.20"), decimal("1.2"));
  EXPECT_LT(decimal("-1E38"), decimal("-1E-38"));
  EXPECT_LT(decimal("1.19999"), decimal("1.2"));
}

}  // namespace
}  // namespace klip::sql
