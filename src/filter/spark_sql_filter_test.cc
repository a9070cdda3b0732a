// SparkSQLPushDownFilter: bytes, encoded values and answers of hbase-spark 1.0.1's classes.
#include <gtest/gtest.h>

#include "filter/filters/spark_expression.h"
#include "filter/proto/filter_proto.h"
#include "klip/bytes.h"
#include "klip/filter.h"
#include "klip/filter_state.h"

namespace klip::filter {
namespace {

std::string FromHex(std::string_view hex) {
  std::string out;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    out += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return out;
}

// The columns city, visits, d and k, in the format of SparkSQLPushDownFilter.toByteArray.
constexpr std::string_view kColumnsHex =
    "1a0a0a0012036b65791a016b1a0c0a01661201631a04636974791a0e0a01661201761a067669736974731a090a01671201641a016422366f72"
    "672e6170"
    "616368652e6861646f6f702e68626173652e737061726b2e64617461736f75726365732e4e61697665456e636f646572";
constexpr std::string_view kConditionHex =
    "0a2c282063697479203d3d203020414e44202820766973697473203e2031204f5220642069734e756c6c2029202912044265726e1205020000"
    "0005";

struct SparkCellOfTest {
  std::string family;
  std::string qualifier;
  std::string value;
};

FilterPtr FilterOf(std::string expression, std::vector<std::string> values) {
  Expected<FilterPtr> made =
      SparkSQLPushDownFilter({std::move(expression),
                              std::move(values),
                              {{"f", "c", "city"}, {"f", "v", "visits"}, {"", "key", "k"}, {"g", "d", "d"}}});
  EXPECT_TRUE(made.ok()) << made.status().message();
  return *made;
}

bool Keeps(const Filter& filter, const std::string& row, const std::vector<SparkCellOfTest>& cells) {
  const auto state = filter.NewState(false);
  state->FilterCell({.row = "of the row before", .family = "g", .qualifier = "d", .value = "x"});
  state->Reset();
  for (const SparkCellOfTest& cell : cells) {
    EXPECT_EQ(state->FilterCell({.row = row, .family = cell.family, .qualifier = cell.qualifier, .value = cell.value}),
              ReturnCode::kInclude);
  }
  return !state->FilterRow();
}

bool KeepsVisits(const Filter& filter, const std::string& visits) { return Keeps(filter, "r", {{"f", "v", visits}}); }

TEST(SparkSqlFilter, BytesOfTheConnector) {
  const std::string bytes = FromHex(std::string(kConditionHex).append(kColumnsHex));
  const Expected<FilterPtr> filter = FilterFromProto("org.apache.hadoop.hbase.spark.SparkSQLPushDownFilter", bytes);
  ASSERT_TRUE(filter.ok()) << filter.status().message();
  EXPECT_EQ(FilterToProto(**filter)->bytes, bytes);
  EXPECT_EQ(FilterToProto(**filter)->class_name, "org.apache.hadoop.hbase.spark.SparkSQLPushDownFilter");
  EXPECT_EQ((*ParseFilter((*filter)->ToString(), FilterNames::kAll))->ToString(), (*filter)->ToString());
  EXPECT_TRUE(Keeps(**filter, "r", {{"f", "c", "Bern"}}));
  EXPECT_FALSE(Keeps(**filter, "r", {{"f", "c", "Genf"}}));
  EXPECT_FALSE(Keeps(**filter, "r", {{"f", "c", "Bern"}, {"g", "d", ""}}));
  EXPECT_TRUE(Keeps(**filter, "r", {{"f", "c", "Bern"}, {"f", "v", BigEndian<int32_t>(6)}, {"g", "d", ""}}));
  const std::string pass = FromHex(std::string("0a0d64756d6d792050617373202d31").append(kColumnsHex));
  EXPECT_TRUE(Keeps(**FilterFromProto(kSparkFilter, pass), "r", {{"g", "other", ""}}));
}

TEST(SparkSqlFilter, NumbersCompareAsInJava) {
  const std::string minus_zero = FromHex("0480000000");
  const std::string floats[] = {FromHex("bf800000"), FromHex("80000000"), FromHex("00000000"), FromHex("3f800000"),
                                FromHex("7fc00000")};  // -1, -0.0, 0.0, 1, NaN
  const std::string minus_one = FromHex("02ffffffff");
  const int32_t ints[] = {INT32_MIN, -1, 0, 5};
  const struct {
    std::string op, floats, ints;
  } expected[] = {{"<", "10000", "1000"}, {"<=", "11000", "1100"}, {">", "00111", "0011"}, {">=", "01111", "0111"}};
  for (const auto& [op, of_floats, of_ints] : expected) {
    const FilterPtr by_float = FilterOf("visits " + op + " 0", {minus_zero});
    const FilterPtr by_int = FilterOf("visits " + op + " 0", {minus_one});
    std::string got_floats;
    std::string got_ints;
    for (const std::string& x : floats) {
      got_floats += KeepsVisits(*by_float, x) ? '1' : '0';
    }
    for (const int32_t x : ints) {
      got_ints += KeepsVisits(*by_int, BigEndian(x)) ? '1' : '0';
    }
    EXPECT_EQ(got_floats, of_floats) << op;
    EXPECT_EQ(got_ints, of_ints) << op;
    EXPECT_FALSE(Keeps(*by_int, "r", {{"f", "c", "x"}})) << "a missing column";
    EXPECT_TRUE(KeepsVisits(*by_int, "abc")) << "too short for an int: Spark is to look at it";
    EXPECT_TRUE(KeepsVisits(*FilterOf("visits " + op + " 0", {""}), "x")) << "a value without a type";
  }
  EXPECT_TRUE(KeepsVisits(*FilterOf("visits > 0", {FromHex("05fff0000000000000")}), BigEndian<int64_t>(0)));
  EXPECT_TRUE(KeepsVisits(*FilterOf("visits < 0", {FromHex("010001")}), BigEndian<int16_t>(-1)));
  EXPECT_TRUE(KeepsVisits(*FilterOf("visits < 0", {FromHex("080000000000000001")}), BigEndian<int64_t>(-1)));
}

TEST(SparkSqlFilter, RowKeyTextNullsAndVersions) {
  const FilterPtr below_m = FilterOf("k < 0", {"\x06m"});
  EXPECT_TRUE(Keeps(*below_m, "a", {{"f", "z", ""}}));
  EXPECT_FALSE(Keeps(*below_m, "n", {{"f", "z", ""}}));
  const FilterPtr prefix = FilterOf("( k startsWith 0 OR city != 1 )", {"ab", "Bern"});
  EXPECT_TRUE(Keeps(*prefix, "abc", {{"f", "z", ""}}));
  EXPECT_FALSE(Keeps(*prefix, "a", {{"f", "c", "Bern"}}));
  EXPECT_TRUE(Keeps(*prefix, "a", {{"f", "c", "Genf"}}));
  EXPECT_FALSE(Keeps(*prefix, "a", {{"f", "z", ""}})) << "no city: != is false as well";
  EXPECT_TRUE(Keeps(*FilterOf("d isNotNull", {}), "a", {{"g", "d", ""}}));
  EXPECT_TRUE(Keeps(*FilterOf("unmapped isNull", {}), "a", {{"g", "d", ""}}));
  EXPECT_TRUE(Keeps(*FilterOf("city == 0", {"old"}), "a", {{"f", "c", "new"}, {"f", "c", "old"}}));
}

TEST(SparkSqlFilter, TenThousandOrs) {
  std::string text = "city == 0";
  for (int i = 0; i < 10000; ++i) {
    text = std::string("( ").append(text) + " OR city == 1 )";
  }
  const FilterPtr filter = FilterOf(text, {"a", "b"});
  EXPECT_TRUE(Keeps(*filter, "r", {{"f", "c", "b"}}));
  EXPECT_FALSE(Keeps(*filter, "r", {{"f", "c", "c"}}));
}

TEST(SparkSqlFilter, ErrorsNameTheByte) {
  const auto error = [](std::string expression, std::string encoder = "") {
    const Status status = SparkSQLPushDownFilter({std::move(expression), {"x"}, {}, std::move(encoder)}).status();
    EXPECT_EQ(status.code(), Code::kInvalidArgument);
    return status.message();
  };
  EXPECT_EQ(error(""), "SparkSQLPushDownFilter: expected a column or (, found the end at byte 0 of ");
  EXPECT_EQ(error("city"), "SparkSQLPushDownFilter: expected an operator, found the end at byte 4 of city");
  EXPECT_EQ(error("a  == 0"), "SparkSQLPushDownFilter: expected an operator, found '' at byte 2 of a  == 0");
  EXPECT_EQ(error("a == 1"), "SparkSQLPushDownFilter: expected a value index below 1, found '1' at byte 5 of a == 1");
  EXPECT_EQ(error("a == -1"),
            "SparkSQLPushDownFilter: expected a value index below 1, found '-1' at byte 5 of a == -1");
  EXPECT_EQ(error("( a isNull XOR b isNull )"),
            "SparkSQLPushDownFilter: expected AND or OR, found 'XOR' at byte 11 of ( a isNull XOR b isNull )");
  EXPECT_EQ(error("( a isNull AND b isNull"),
            "SparkSQLPushDownFilter: expected AND, OR or ), found the end at byte 23 of ( a isNull AND b isNull");
  EXPECT_EQ(error("( a isNull AND b isNull AND c isNull )"),
            "SparkSQLPushDownFilter: expected ), found 'AND' at byte 24 of ( a isNull AND b isNull AND c isNull )");
  EXPECT_EQ(error("a isNull )"), "SparkSQLPushDownFilter: expected the end, found ')' at byte 9 of a isNull )");
  EXPECT_EQ(error("a isNull", "com.example.Mine"),
            "SparkSQLPushDownFilter: no encoder com.example.Mine; set hbase.spark.pushdown.columnfilter to false");
  EXPECT_EQ(FilterFromProto(kSparkFilter, "\x0a\x05hi").status().code(), Code::kDoNotRetry);
}

}  // namespace
}  // namespace klip::filter
