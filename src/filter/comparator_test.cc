// Comparators: order, numbers, and regular expressions as Java reads them.
#include "klip/comparator.h"

#include <gtest/gtest.h>

#include "filter/common/decimal.h"
#include "filter/comparators/java_regex.h"
#include "filter/comparators/regex_engine.h"
#include "klip/bytes.h"

namespace klip::filter {
namespace {

using namespace std::string_literals;

TEST(Comparators, Component) {
  const ComparatorPtr component = BinaryComponentComparator("bc", 1);
  EXPECT_EQ(component->CompareTo("abcd"), 0);
  EXPECT_GT(component->CompareTo("abb"), 0);
  EXPECT_LT(component->CompareTo("axx"), 0);
  EXPECT_EQ(component->CompareTo("ab"), Comparator::kFailed);
  EXPECT_EQ(component->Failure("ab").message(), "BinaryComponentComparator: bytes 1 to 3 of 2");
}

TEST(Comparators, Bit) {
  EXPECT_EQ(BitComparator("\x0f", BitwiseOp::kAnd)->CompareTo("\x08"), 0);
  EXPECT_EQ(BitComparator("\x0f", BitwiseOp::kAnd)->CompareTo("\x80"), 1);
  EXPECT_EQ(BitComparator("\0"s, BitwiseOp::kOr)->CompareTo("\x01"), 0);
  EXPECT_EQ(BitComparator("\0"s, BitwiseOp::kOr)->CompareTo("\0"s), 1);
  EXPECT_EQ(BitComparator("a", BitwiseOp::kXor)->CompareTo("a"), 1);  // equal bytes
  EXPECT_EQ(BitComparator("a", BitwiseOp::kXor)->CompareTo("b"), 0);
  EXPECT_EQ(BitComparator("a", BitwiseOp::kXor)->CompareTo("bb"), 1);
}

TEST(Comparators, Long) {
  EXPECT_EQ(LongComparator(-1)->CompareTo(BigEndian<int64_t>(-1)), 0);
  EXPECT_LT(LongComparator(-1)->CompareTo(BigEndian<int64_t>(0)), 0);
  EXPECT_GT(LongComparator(INT64_MAX)->CompareTo(BigEndian<int64_t>(INT64_MIN)), 0);
  EXPECT_EQ(LongComparator(5)->CompareTo("5"), Comparator::kFailed);
  EXPECT_EQ(LongComparator(5)->Failure("5").message(), "Wrong length: 1, expected 8");
}

std::string Decimals(std::string_view text) { return DecimalToBytes(*ParseDecimal(text)); }

TEST(Comparators, BigDecimal) {
  // In the format of Bytes.toBytes(new BigDecimal(...)).
  EXPECT_EQ(Decimals("12.5"), "\0\0\0\x01\x7d"s);
  EXPECT_EQ(Decimals("-1"), "\0\0\0\0\xff"s);
  EXPECT_EQ(Decimals("128"), "\0\0\0\0\0\x80"s);
  EXPECT_EQ(Decimals("-128"), "\0\0\0\0\x80"s);
  EXPECT_EQ(Decimals("0.00"), "\0\0\0\x02\0"s);
  const std::vector<std::string> ascending = {
      "-1E+400", "-1000",   "-12.50", "-12.49", "-0.001", "0",    "0.0001",
      "0.1",     "0.10001", "9",      "10",     "12.5",   "1E+2", "123456789012345678901234567890",
      "1E+400"};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      const int order = (*BigDecimalComparator(Decimals(ascending[i])))->CompareTo(Decimals(ascending[j]));
      EXPECT_EQ(order < 0, i < j) << ascending[i] << " " << ascending[j];
      EXPECT_EQ(order == 0, i == j) << ascending[i] << " " << ascending[j];
    }
    EXPECT_EQ(DecimalFromBytes(Decimals(ascending[i]))->ToString(), ascending[i]);
  }
  EXPECT_EQ((*BigDecimalComparator(Decimals("1.0")))->CompareTo(Decimals("1")), 0);
  EXPECT_EQ((*BigDecimalComparator(Decimals("0.00")))->CompareTo(Decimals("0")), 0);
  EXPECT_EQ((*BigDecimalComparator(Decimals("1")))->CompareTo("\0\0\0\0"s), Comparator::kFailed);
  EXPECT_FALSE(BigDecimalComparator("").ok());
  EXPECT_FALSE(BigDecimalComparator(std::string(kMaxBigDecimalBytes + 1, 'x')).ok());
  EXPECT_FALSE(ParseDecimal("1.2.3").ok());
}

TEST(Comparators, SubstringFoldsCase) {
  EXPECT_EQ(SubstringComparator("AbC")->CompareTo("xxaBcx"), 0);
  EXPECT_EQ(SubstringComparator("\xC3\x84rger")->CompareTo("mit \xC3\xA4RGER"), 0);
  EXPECT_EQ(SubstringComparator("\xC3\x84rger")->CompareTo("Arger"), 1);
  EXPECT_EQ(SubstringComparator("a.c\xC3\xA4")->CompareTo("abc\xC3\xA4"), 1);  // not a pattern
}

int Find(const std::string& pattern, std::string_view text, int32_t flags = kRegexDotAll,
         const std::string& charset = "UTF-8") {
  const Expected<ComparatorPtr> regex = RegexStringComparator({pattern, flags, charset});
  EXPECT_TRUE(regex.ok()) << pattern << ": " << regex.status().message();
  return regex.ok() ? (*regex)->CompareTo(text) : -1;
}

TEST(Regex, FindsAnywhere) {
  EXPECT_EQ(Find("b+", "abbc"), 0);
  EXPECT_EQ(Find("^b", "abbc"), 1);
  EXPECT_EQ(Find("", ""), 0);
  EXPECT_EQ(Find("(?i)ABC", "xabc"), 0);
  EXPECT_EQ(Find("(?iu)ABC", "xabc"), 0);
  EXPECT_EQ(Find("a(?=b)b\\Q.*\\E", "ab.*"), 0);
  EXPECT_EQ(Find("(?<x>a)\\k<x>\\1", "aaa"), 0);
  EXPECT_EQ(Find("a++b", "aab"), 0);
}

TEST(Regex, Flags) {
  EXPECT_EQ(Find("a.b", "a\nb"), 0);
  EXPECT_EQ(Find("a.b", "a\nb", 0), 1);
  EXPECT_EQ(Find("^b$", "a\nb\nc", kRegexMultiline), 0);
  EXPECT_EQ(Find("^b$", "a\nb\nc"), 1);
  EXPECT_EQ(Find("ABC", "abc", kRegexCaseInsensitive), 0);
  EXPECT_EQ(Find("a.c", "abc", kRegexLiteral), 1);
  EXPECT_EQ(Find("a.C", "xA.c", kRegexLiteral | kRegexCaseInsensitive), 0);
  EXPECT_EQ(Find("a b # text [\n c[ d]", "abcd", kRegexComments), 0);
  EXPECT_EQ(Find("a$", "a\r\n", 0), 0);
  EXPECT_EQ(Find("a$", "a\r\n", kRegexUnixLines), 1);
  EXPECT_EQ(Find("^\\w$", "\xC3\xA4"), 1);
  EXPECT_EQ(Find("^\\w$", "\xC3\xA4", kRegexUnicodeCharacterClass), 0);
  EXPECT_FALSE(RegexStringComparator({.pattern = "a", .flags = kRegexCanonEq}).ok());
  EXPECT_FALSE(RegexStringComparator({.pattern = "a", .flags = 4096}).ok());
}

TEST(Regex, Charsets) {
  EXPECT_EQ(Find("^.$", "\xC3\xA4"), 0);
  EXPECT_EQ(Find("^.$", "\xC3\xA4", kRegexDotAll, "ISO-8859-1"), 1);
  EXPECT_EQ(Find("^\xC3\xA4$", "\xE4", kRegexDotAll, "ISO-8859-1"), 0);
  EXPECT_EQ(Find("^\\uFFFD$", "\xE4", kRegexDotAll, "US-ASCII"), 0);
  EXPECT_EQ(Find("^a\\x{FFFD}b$",
                 "a\xFF"
                 "b"),
            0);  // decoded as in Java
  EXPECT_EQ(Find("^.\\uFFFD$", "\xF0\x9F\x98\x80\xF0\x9F"), 0);
  const Expected<ComparatorPtr> unnamed =
      RegexStringComparator({.pattern = "a", .flags = kRegexMultiline, .charset = ""});
  ASSERT_TRUE(unnamed.ok());
  EXPECT_EQ((*unnamed)->ToString(), "regex:8:UTF-8:JAVA:a");
  EXPECT_FALSE(RegexStringComparator({.pattern = "a", .charset = "EBCDIC"}).ok());
  EXPECT_FALSE(RegexStringComparator({.pattern = "a", .engine = "PERL"}).ok());
}

TEST(Regex, CharacterClassesOfJava) {
  EXPECT_EQ(Find("^[a-d[m-p]]+$", "amp"), 0);
  EXPECT_EQ(Find("^[a-d[m-p]]+$", "ae"), 1);
  EXPECT_EQ(Find("^[a-z&&[def]]+$", "fed"), 0);
  EXPECT_EQ(Find("^[a-z&&[def]]+$", "a"), 1);
  EXPECT_EQ(Find("^[a-z&&[^bc]]+$", "ad"), 0);
  EXPECT_EQ(Find("^[a-z&&[^bc]]+$", "b"), 1);
  EXPECT_EQ(Find("^[^a-d[m-p]]$", "m"), 1);
  EXPECT_EQ(Find("^[^a-d[m-p]]$", "x"), 0);
  EXPECT_EQ(Find("^[\\p{Alpha}_-]+$", "a_-"), 0);
  EXPECT_EQ(Find("^\\p{Alpha}$", "\xC3\xA4"), 1);  // ASCII only, as in Java
  EXPECT_EQ(Find("^\\p{IsAlphabetic}$", "\xC3\xA4"), 0);
  EXPECT_EQ(Find("^\\P{Alpha}$", "1"), 0);
  EXPECT_EQ(Find("^\\p{Lu}\\p{IsLatin}$", "Aa"), 0);
  EXPECT_EQ(Find("^[]a]$", "]"), 0);
  EXPECT_EQ(Find("^[[:alpha:]]$", ":"), 0);  // a union of characters, not a POSIX class
  EXPECT_EQ(Find("^[[:alpha:]]$", "z"), 1);
  EXPECT_EQ(Find("^[\\d\\-x]+$", "1-x"), 0);
  EXPECT_EQ(Find("^\\0101\\x41\\u0041\\uD83D\\uDE00\\cA$", "AAA\xF0\x9F\x98\x80\x01"), 0);
}

TEST(Regex, RefusesWhatJavaLacks) {
  for (const std::string pattern :
       {"(",   "(*UTF)a", "(?R)",  "(?P<x>a)",    "(?|a)",        "(?U)a", "(?d)a", "(?#x)", "\\K", "\\g1", "\\C",
        "\\y", "[a",      "[z-a]", "\\p{NoSuch}", "\\p{InGreek}", "a**",   "\\x4",  "\\u12", "\\",  "[\\"}) {
    const Expected<ComparatorPtr> regex = RegexStringComparator({.pattern = pattern});
    EXPECT_FALSE(regex.ok()) << pattern;
    EXPECT_NE(regex.status().message().find("near index"), std::string::npos) << regex.status().message();
  }
}

TEST(Regex, GivesUpAfterManySteps) {
  const ComparatorPtr slow = *RegexStringComparator({.pattern = "^(a|aa)+$"});
  const std::string text = std::string(200, 'a') + "b";
  EXPECT_EQ(slow->CompareTo(text), Comparator::kFailed);  // all steps would take years
  EXPECT_EQ(slow->Failure(text).message(),
            "the regular expression '^(a|aa)+$' needs too many steps for a text of 201 bytes");
}

TEST(Regex, MalformedUtf8IsReplacedAsJavaDoes) {
  const std::string replacement = "\xEF\xBF\xBD";
  EXPECT_EQ(ReplaceMalformed("abc"), "abc");
  EXPECT_EQ(ReplaceMalformed("\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), "\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80");
  EXPECT_EQ(ReplaceMalformed("\x80"), replacement);
  EXPECT_EQ(ReplaceMalformed("\xC0\x80"), replacement + replacement);
  EXPECT_EQ(ReplaceMalformed("\xE2\x82x"), replacement + "x");
  EXPECT_EQ(ReplaceMalformed("\xED\xA0\x80"), replacement + replacement + replacement);
  EXPECT_EQ(ReplaceMalformed("\xF0\x9F\x98"), replacement);
}

}  // namespace
}  // namespace klip::filter
