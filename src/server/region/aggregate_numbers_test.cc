// Sums of decimals as in Java's BigDecimal.
#include "server/region/aggregate_numbers.h"

#include <string>

#include <gtest/gtest.h>

namespace klip::server {
namespace {

DecimalNumbers::Value Of(const std::string& text) {
  const Expected<filter::Decimal> decimal = filter::ParseDecimal(text);
  EXPECT_TRUE(decimal.ok()) << text;
  const auto value = DecimalNumbers::Read(filter::DecimalToBytes(*decimal));
  EXPECT_TRUE(value.ok()) << value.status().ToString();
  return value->value();
}

std::string Text(const DecimalNumbers::Value& value) {
  hbase::pb::BigDecimalMsg message;
  EXPECT_TRUE(message.ParseFromString(DecimalNumbers::Message(value)));
  return filter::DecimalFromBytes(message.bigdecimal_msg())->ToString();
}

TEST(DecimalNumbersTest, AreRoundedHalfToEven) {
  EXPECT_EQ(Text(Of("1")), "1.00");
  EXPECT_EQ(Text(Of("0.125")), "0.12");
  EXPECT_EQ(Text(Of("0.135")), "0.14");
  EXPECT_EQ(Text(Of("0.1250001")), "0.13");
  EXPECT_EQ(Text(Of("-0.135")), "-0.14");
  EXPECT_EQ(Text(Of("0.005")), "0.00");
  EXPECT_EQ(Text(Of("0.0051")), "0.01");
  EXPECT_EQ(Text(Of("0.00000001")), "0.00");
  EXPECT_EQ(Text(Of("1E+3")), "1000.00");
  EXPECT_EQ(Text(Of("0")), "0.00");
}

TEST(DecimalNumbersTest, SumsAndSquaresAreOfAnyLength) {
  const DecimalNumbers::Value large = Of("1000000000000000000");
  EXPECT_EQ(Text(DecimalNumbers::Add(DecimalNumbers::Square(large), DecimalNumbers::Square(large))),
            "2000000000000000000000000000000000000.00");
  const std::string nines(60, '9');
  DecimalNumbers::Value sum = Of(nines + ".99");
  sum = DecimalNumbers::Add(sum, Of("0.01"));
  EXPECT_EQ(Text(sum), "1" + std::string(60, '0') + ".00");
  EXPECT_EQ(Text(DecimalNumbers::Square(Of("-1.05"))), "1.10") << "1.1025";
  EXPECT_LT(Of("-2"), Of("-1.99"));
}

TEST(DecimalNumbersTest, AScaleDoesNotMakeThemLonger) {
  const auto value = DecimalNumbers::Read(filter::DecimalToBytes({.digits = "1", .scale = -2'000'000'000}));
  EXPECT_EQ(value.status().code(), Code::kDoNotRetry);
  EXPECT_EQ(DecimalNumbers::Read(filter::DecimalToBytes({.digits = "1", .scale = 2'000'000'000})).value().value(), 0);
}

}  // namespace
}  // namespace klip::server
