#include "base/utf8.h"

#include <cstdint>
#include <string_view>

#include <gtest/gtest.h>

namespace klip::base {
namespace {

TEST(Utf8, TakesWellFormedTextOnly) {
  for (const char* good : {"", "a", "\xc3\xbc", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "12345678\xc3\xbc", "\xed\x9f\xbf",
                           "\xf4\x8f\xbf\xbf"}) {
    EXPECT_TRUE(IsUtf8(good)) << good;
  }
  for (const char* bad :
       {"\xff", "\xc3", "\xc0\x80", "\xc1\xbf", "\xe0\x80\x80", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "1234567\xc3", "\x80", "\xe2\x82", "a\x80"}) {
    EXPECT_FALSE(IsUtf8(bad)) << bad;
  }
}

// Each code point from U+0800 to U+FFFF has one form of three bytes, surrogates have none, and nothing else is one.
TEST(Utf8, HasOneFormForEachCharacter) {
  size_t characters = 0;
  for (uint32_t bytes = 0xC00000; bytes < 0x1000000; ++bytes) {
    const char text[] = {static_cast<char>(bytes >> 16), static_cast<char>(bytes >> 8), static_cast<char>(bytes)};
    characters += FirstUtf8(std::string_view(text, 3)).bytes == 3 ? 1 : 0;
  }
  EXPECT_EQ(characters, 0x10000U - 0x800 - 0x800);
  EXPECT_TRUE(FirstUtf8("\x1f").control());
  EXPECT_TRUE(FirstUtf8("\xc2\x9f").control());
  EXPECT_FALSE(FirstUtf8("\xc2\xa0").control());
}

}  // namespace
}  // namespace klip::base
