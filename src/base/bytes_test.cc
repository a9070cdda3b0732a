#include "klip/bytes.h"

#include <gtest/gtest.h>

#include "base/digest.h"

namespace klip {
namespace {

TEST(Bytes, PrintableFormRoundTripsEveryByte) {
  std::string all;
  for (int i = 0; i < 256; ++i) {
    all.push_back(static_cast<char>(i));
  }
  EXPECT_EQ(FromStringBinary(ToStringBinary(all)), all);
  EXPECT_EQ(ToStringBinary(std::string_view("a\0\xff\\", 4)), "a\\x00\\xFF\\x5C");
  EXPECT_EQ(FromStringBinary("\\xg0\\x1"), "\\xg0\\x1");
}

TEST(Bytes, PrefixSuccessorIsHBasesStopRow) {
  EXPECT_EQ(PrefixSuccessor("ab"), "ac");
  EXPECT_EQ(PrefixSuccessor("a\xff"), "b");
  EXPECT_EQ(PrefixSuccessor("\xff\xff"), "");
  EXPECT_EQ(PrefixSuccessor(""), "");
}

TEST(Bytes, BigEndianOrdersUnsigned) {
  EXPECT_LT(BigEndian<uint64_t>(1), BigEndian<uint64_t>(256));
  EXPECT_EQ(ReadBigEndian<int64_t>(BigEndian<int64_t>(-5).data()), -5);
}

TEST(Digest, KnownValues) {
  EXPECT_EQ(base::Hex(base::Md5("")), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(base::Hex(base::Sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

}  // namespace
}  // namespace klip
