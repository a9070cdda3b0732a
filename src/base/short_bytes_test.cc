// All lengths around those at which the code paths change, with other bytes beside them.
#include "base/short_bytes.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace klip {
namespace {

constexpr size_t kLongest = 200;

std::string Letters(size_t bytes) {
  std::string text(bytes, '\0');
  for (size_t i = 0; i < bytes; ++i) {
    text[i] = static_cast<char>('a' + i % 23);
  }
  return text;
}

TEST(ShortBytes, AreTheSameOnlyIfEachByteIs) {
  for (size_t bytes = 0; bytes <= kLongest; ++bytes) {
    const std::string a = Letters(bytes);
    EXPECT_TRUE(SameBytes(a, std::string(a)));
    EXPECT_FALSE(SameBytes(a, a + 'x'));
    for (size_t i = 0; i < bytes; ++i) {
      std::string b = a;
      b[i] ^= '\x80';
      EXPECT_FALSE(SameBytes(a, b)) << bytes << " " << i;
    }
  }
}

TEST(ShortBytes, AreCopiedAndNothingBesideThem) {
  for (size_t bytes = 0; bytes <= kLongest; ++bytes) {
    const std::string from = Letters(bytes);
    std::string to(bytes + 2, '#');
    CopyBytes(to.data() + 1, from.data(), bytes);
    EXPECT_EQ(to, '#' + from + '#');
  }
}

TEST(ShortBytes, TheFirstZeroIsFound) {
  for (size_t bytes = 0; bytes <= kLongest; ++bytes) {
    std::string text = Letters(bytes) + '\0';  // beyond the end it does not count
    EXPECT_EQ(FindZero(text.data(), bytes), bytes);
    for (size_t i = 0; i < bytes; ++i) {
      std::string with = text;
      with[i] = '\0';
      // which a borrow could be mistaken for
      std::fill(with.begin() + static_cast<ptrdiff_t>(i) + 1, with.end(), '\x01');
      EXPECT_EQ(FindZero(with.data(), bytes), i) << bytes;
      std::fill(with.begin(), with.begin() + static_cast<ptrdiff_t>(i), '\x80');
      EXPECT_EQ(FindZero(with.data(), bytes), i) << bytes;
    }
  }
}

}  // namespace
}  // namespace klip
