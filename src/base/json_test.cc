#include "base/json.h"

#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace klip::base {
namespace {

std::string Nested(size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); }

TEST(JsonTest, BoundsDepth) {
  EXPECT_TRUE(ParseJson(Nested(kMaxJsonDepth), "the body").ok());
  EXPECT_EQ(ParseJson(Nested(kMaxJsonDepth + 1), "the body").status().message(),
            "the body is nested deeper than 202 levels");
  EXPECT_FALSE(ParseJson(std::string(1'000'000, '{'), "the body").ok());
  std::string objects = "0";
  for (int i = 0; i < kMaxJsonDepth; ++i) {
    objects = "{\"a\":" + objects + "}";
  }
  EXPECT_TRUE(ParseJson(objects, "the body").ok());
  EXPECT_FALSE(ParseJson("[" + objects + "]", "the body").ok());
}

TEST(JsonTest, BoundsValues) {
  std::string many = "[0";
  many.reserve(kMaxJsonValues * 2 + 1);
  for (size_t i = 2; i < kMaxJsonValues; ++i) {
    many += ",0";  // and the list itself is one
  }
  EXPECT_TRUE(ParseJson(many + "]", "the body").ok());
  EXPECT_EQ(ParseJson(many + ",0]", "the body").status().message(), "the body has more than 8388608 values");
  EXPECT_TRUE(ParseJson("\"" + std::string(kMaxJsonValues, ',') + "\"", "the body").ok());
}

TEST(JsonTest, BracketsSideBySideOrInTextsAreNotDeep) {
  std::string many = "[0";
  for (int i = 0; i < 1000; ++i) {
    many += ",[{}]";
  }
  EXPECT_TRUE(ParseJson(many + "]", "the body").ok());
  const std::string brackets(1000, '[');
  EXPECT_TRUE(ParseJson("\"" + brackets + "\"", "the body").ok());
  EXPECT_TRUE(ParseJson(R"({"a\"b)" + brackets + R"(":"\\"})", "the body").ok());
  EXPECT_FALSE(ParseJson(R"(["\\",)" + Nested(1000) + R"(,"\""])", "the body").ok());
}

TEST(JsonTest, SaysWhatIsNoJson) {
  for (const char* text : {"", "{", "[1,]", "\"", "\"\\", "nonsense", "{}{}", "]", "{\"a\":\"\xff\"}", "01", "1.", "+1",
                           ".5", "1e", "NaN", "\"\\ud800\""}) {
    const Status status = ParseJson(text, "the filter").status();
    EXPECT_TRUE(status.message().starts_with("the filter is not JSON: byte ")) << text << status.message();
  }
  EXPECT_EQ(ParseJson("[1,]", "it").status().message(), "it is not JSON: byte 4 cannot follow those before it");
  EXPECT_EQ(ParseJson(R"({"a":{"b":1,"c":2,"b":3}})", "it").status().message(),
            "it has two members \"b\" in an object");
  EXPECT_EQ(ParseJson("[1e400]", "it").status().message(),
            "it has a number beyond those of 64 bits: write it as a text");
}

TEST(JsonTest, NumbersKeepTheirDigits) {
  for (const std::string number :
       {"0", "-0", "-0.0", "7", "-7", "1.50", "1E5", "1e+5", "0.1000000000000000055511151231257827",
        "9223372036854775807", "-9223372036854775808", "-9223372036854775809", "18446744073709551615",
        "18446744073709551616", "123456789012345678901234567890", "1e-400", "2.5e-324", "1E308"}) {
    const Expected<Json> parsed = ParseJson("{\"a\":[" + number + " , {\"b\":" + number + "}]}", "it");
    ASSERT_TRUE(parsed.ok()) << number << parsed.status().message();
    const Json& list = parsed->at("a");
    for (const Json& value : {list[0], list[1].at("b")}) {
      EXPECT_TRUE(IsNumber(value)) << number;
      EXPECT_EQ(*ScalarText(value, "it"), number);
    }
  }
  EXPECT_FALSE(IsNumber(*ParseJson("\"1\"", "it")));
}

TEST(JsonTest, TextsOfScalars) {
  auto text = [](const char* json) {
    const Expected<std::string> out = ScalarText(*ParseJson(json, ""), "it");
    return out.ok() ? *out : out.status().message();
  };
  EXPECT_EQ(text("\"a\""), "a");
  EXPECT_EQ(text("-5"), "-5");
  EXPECT_EQ(text("18446744073709551615"), "18446744073709551615");
  EXPECT_EQ(text("true"), "true");
  EXPECT_EQ(text("null"), "null");
  EXPECT_EQ(text("[]"), "it is a list or an object");
  EXPECT_EQ(text("{}"), "it is a list or an object");
}

}  // namespace
}  // namespace klip::base
