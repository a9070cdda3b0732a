#include "rest/row_spec.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace klip::rest {
namespace {

using std::string_literals::operator""s;

Expected<RowSpec> Parse(const std::vector<std::string>& path, const Request& request = {}) {
  return ParseRowSpec(path, request);
}

TEST(RowSpecTest, DecodesRowsAndColumns) {
  RowSpec spec = *Parse({"a%2Fb%00+", "f,g:%2c,h:"});
  EXPECT_EQ(spec.row, "a/b\0 "s);
  EXPECT_FALSE(spec.is_range);
  EXPECT_EQ(spec.columns, (std::vector<std::string>{"f", "g:,", "h:"}));
  EXPECT_FALSE(Parse({"a%2"}).ok());
  for (const char* row : {"a%", "a%zz", "a%4g", "a%g4", "a%-1"}) {
    EXPECT_FALSE(Parse({row}).ok()) << row;
  }
  EXPECT_FALSE(Parse({"a", "f", "1", "more"}).ok());
}

TEST(RowSpecTest, RangesAndPrefixes) {
  RowSpec range = *Parse({"a,b"});
  EXPECT_TRUE(range.is_range);
  EXPECT_EQ(range.row + "|" + range.end_row, "a|b");
  RowSpec prefix = *Parse({"ab*", "f"});
  EXPECT_TRUE(prefix.is_range);
  EXPECT_EQ(prefix.row + "|" + prefix.end_row, "ab|ab\xff");
}

TEST(RowSpecTest, Timestamps) {
  RowSpec one = *Parse({"r", "f", "100"});
  EXPECT_TRUE(one.has_timestamp);
  EXPECT_EQ(one.time_range, (TimeRange{0, 100}));
  RowSpec two = *Parse({"r", "f", "100,200"});
  EXPECT_FALSE(two.has_timestamp);
  EXPECT_EQ(two.time_range, (TimeRange{100, 200}));
  EXPECT_FALSE(Parse({"r", "f", "now"}).ok());
}

TEST(RowSpecTest, QueryAndBase64) {
  Request request;
  request.query = {{"v", "3"}, {"n", "7"}, {"e", "b64"}};
  RowSpec spec = *Parse({Base64("r\xff"), Base64("f:q")}, request);
  EXPECT_EQ(spec.row, "r\xff");
  EXPECT_EQ(spec.columns, std::vector<std::string>{"f:q"});
  EXPECT_EQ(spec.max_versions, 3);
  EXPECT_EQ(spec.max_values, 7);
  request.query = {{"v", "x"}};
  EXPECT_FALSE(Parse({"r"}, request).ok());
}

TEST(RowSpecTest, Base64BothWays) {
  std::string bytes;
  for (int i = 0; i < 300; ++i) {
    EXPECT_EQ(*FromBase64(Base64(bytes)), bytes);
    bytes.push_back(static_cast<char>(i * 7));
  }
  EXPECT_EQ(Base64("r1"), "cjE=");
  EXPECT_EQ(*FromBase64("cjE"), "r1");
  EXPECT_EQ(*FromBase64("YWJj\r\nZGVm\n"), "abcdef");
  for (const char* text : {"a b", "a", "abcda", "cg=", "cg===", "cjE==", "YWJj=", "====", "=", "c=g=", "cg==cg=="}) {
    EXPECT_FALSE(FromBase64(text).ok()) << text;
  }
}

}  // namespace
}  // namespace klip::rest
