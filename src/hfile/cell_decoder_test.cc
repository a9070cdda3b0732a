#include "hfile/cell_decoder.h"

#include <string>

#include <gtest/gtest.h>

#include "hfile/byte_reader.h"
#include "hfile/checksum.h"

namespace klip::hfile {
namespace {

using namespace std::string_literals;

TEST(ByteReader, HadoopsNumbers) {
  const auto read = [](const std::string& bytes) {
    ByteReader in(bytes);
    int64_t number = 0;
    EXPECT_TRUE(in.TakeHadoopNumber(&number));
    EXPECT_TRUE(in.empty());
    return number;
  };
  EXPECT_EQ(read("\x00"s), 0);
  EXPECT_EQ(read("\x7F"), 127);
  EXPECT_EQ(read("\x90"), -112);
  EXPECT_EQ(read("\x8F\x80"), 128);
  EXPECT_EQ(read("\x87\x80"), -129);
  EXPECT_EQ(read("\x88\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), INT64_MAX);
  EXPECT_EQ(read("\x80\x7F\xFF\xFF\xFF\xFF\xFF\xFF\xFF"), INT64_MIN);
}

TEST(ByteReader, VarintsEndInTime) {
  uint32_t number = 0;
  EXPECT_TRUE(ByteReader("\xAC\x02").TakeVarint(&number));
  EXPECT_EQ(number, 300U);
  EXPECT_TRUE(ByteReader("\xFF\xFF\xFF\xFF\x0F").TakeVarint(&number));
  EXPECT_FALSE(ByteReader("\xFF\xFF\xFF\xFF\x1F").TakeVarint(&number));
  EXPECT_FALSE(ByteReader("\xFF\xFF\xFF\xFF\xFF\x01").TakeVarint(&number));
  EXPECT_FALSE(ByteReader("\xFF").TakeVarint(&number));
}

TEST(Checksum, OfTheUsualDigits) {
  EXPECT_EQ(Crc32("123456789"), 0xCBF43926U);
  EXPECT_EQ(Crc32C("123456789"), 0xE3069283U);
  EXPECT_EQ(Crc32C(""), 0U);
}

TEST(CellDecoder, CommonBytesOfANegativeTimestamp) {
  // DIFF stores a timestamp as its sign and its bytes, the lowest first, or as the difference from the previous one.
  const std::string block = "\0\3"s + "\0\0\0\0"s + "\1f" +                        // encoding, size, family
                            "\x80\x0F\1\0"s + "\0\1r"s + "q" + "\x05\x04" + "v" +  // -5
                            "\x0F\6\2w";  // all the same except timestamp and value
  CellDecoder decoder({});
  ASSERT_TRUE(decoder.Start(block, true).ok());
  Cell cell;
  ASSERT_TRUE(*decoder.Next(&cell));
  EXPECT_EQ(cell.timestamp_ms, -5);
  EXPECT_EQ(cell.value, "v");
  const Expected<bool> more = decoder.Next(&cell);
  ASSERT_TRUE(more.ok() && *more) << more.status().message();
  EXPECT_EQ(cell.row, "r");
  EXPECT_EQ(cell.qualifier, "q");
  EXPECT_EQ(cell.timestamp_ms, -7);
  EXPECT_EQ(cell.value, "w");
}

TEST(CellDecoder, UnknownEncoding) {
  CellDecoder decoder({});
  EXPECT_NE(decoder.Start("\0\6...."s, true).message().find("encoding 6"), std::string::npos);
  EXPECT_FALSE(decoder.Start("\0"s, true).ok());
}

}  // namespace
}  // namespace klip::hfile
