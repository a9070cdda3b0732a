#include "copy/key_range.h"

#include <gtest/gtest.h>

namespace klip::copy {
namespace {

using Ranges = std::vector<KeyRange>;

TEST(KeyRangeTest, CutAtBorders) {
  EXPECT_EQ(CutAt({"", ""}, {"m", "", "c"}), (Ranges{{"", "c"}, {"c", "m"}, {"m", ""}}));
  EXPECT_EQ(CutAt({"d", "p"}, {"c", "d", "m", "p", "z"}), (Ranges{{"d", "m"}, {"m", "p"}}));
}

TEST(KeyRangeTest, WithoutWhatIsDone) {
  EXPECT_EQ(Without({"", ""}, {}), (Ranges{{"", ""}}));
  EXPECT_EQ(Without({"", ""}, {{"c", "f"}, {"", "a"}, {"d", "e"}}), (Ranges{{"a", "c"}, {"f", ""}}));
  EXPECT_EQ(Without({"b", "m"}, {{"", "c"}, {"k", ""}}), (Ranges{{"c", "k"}}));
  EXPECT_EQ(Without({"b", "m"}, {{"a", "b"}, {"m", ""}}), (Ranges{{"b", "m"}}));
  EXPECT_EQ(Without({"b", "m"}, {{"b", "m"}}), Ranges());
  EXPECT_EQ(Without({"", ""}, {{"", ""}}), Ranges());
}

TEST(KeyRangeTest, MiddleLiesAboveLowAndNotAboveHigh) {
  const std::string keys[] = {"",
                              std::string(1, '\0'),
                              std::string("\0\1", 2),
                              "a",
                              "ab",
                              "user00000001",
                              "user00000002",
                              "user1",
                              "user9999",
                              "\xff",
                              "\xff\xff"};
  for (const std::string& low : keys) {
    for (const std::string& high : keys) {
      if (low < high) {
        const std::optional<std::string> middle = MiddleKey(low, high);
        EXPECT_TRUE(!middle || (*middle > low && *middle <= high)) << low << " " << high;
      }
    }
  }
  EXPECT_EQ(MiddleKey("a", "c"), "b");
  EXPECT_EQ(MiddleKey("user1", "user3"), "user2");
  EXPECT_EQ(MiddleKey("a", std::string("a\0", 2)), std::nullopt);
}

TEST(KeyRangeTest, Fraction) {
  EXPECT_DOUBLE_EQ(Fraction("a", "c", "b"), 0.5);
  EXPECT_DOUBLE_EQ(Fraction("user10", "user20", "user0"), 0);
  EXPECT_DOUBLE_EQ(Fraction("user10", "user20", "user3"), 1);
}

}  // namespace
}  // namespace klip::copy
