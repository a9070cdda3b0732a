#include "base/letter_case.h"

#include <string>

#include <gtest/gtest.h>

namespace klip::base {
namespace {

std::string Upper(std::string_view text) { return InCase(text, LetterCase::kUpper); }
std::string Lower(std::string_view text) { return InCase(text, LetterCase::kLower); }

TEST(LetterCase, LettersOfUnicode) {
  EXPECT_EQ(Upper("az {1\u00E4\u00DF\u03B1\U00010428"), "AZ {1\u00C4SS\u0391\U00010400");
  EXPECT_EQ(Lower("AZ [1\u00C4\u0391\U00010400"), "az [1\u00E4\u03B1\U00010428");
  EXPECT_EQ(Upper(std::string_view("a\0b", 3)), std::string_view("A\0B", 3));
  EXPECT_EQ(InCase("iI", LetterCase::kUpper, Language::kTurkish), "\u0130I");
  EXPECT_EQ(InCase("iI", LetterCase::kLower, Language::kTurkish), "i\u0131");
}

TEST(LetterCase, MalformedBytesAreReplacedAndHideNoOthers) {
  const std::string bad = "\uFFFD";
  EXPECT_EQ(Upper("\xC3(a"), bad + "(A");
  EXPECT_EQ(Upper("\xE2\x82z"), bad + bad + "Z");
  EXPECT_EQ(Upper("a\x80\xFF\xC3"), "A" + bad + bad + bad);
  EXPECT_EQ(Upper("\xC1\xA1"), bad + bad) << "an overlong a";
  EXPECT_EQ(Lower("\xC0\x80"), bad + bad) << "an overlong zero byte, which entries of indexes must not have";
  EXPECT_EQ(Lower("\xED\xA0\x80"), bad + bad + bad) << "a surrogate";
  EXPECT_EQ(Lower("\xF7\xBF\xBF\xBF"), bad + bad + bad + bad) << "above U+10FFFF";
}

}  // namespace
}  // namespace klip::base
