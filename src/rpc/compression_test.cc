#include "rpc/compression.h"

#include <string>

#include <gtest/gtest.h>

#include "klip/bytes.h"

namespace klip::rpc {
namespace {

constexpr Compression kAll[] = {Compression::kGzip, Compression::kDeflate, Compression::kSnappy,
                                Compression::kLz4,  Compression::kZstd,    Compression::kZstdStream};

class CompressionTest : public testing::TestWithParam<Compression> {};

TEST_P(CompressionTest, RoundTripOfAnySize) {
  for (const size_t size : {0, 1, 100, 65536, 65537, 300000}) {
    std::string bytes(size, 'x');
    for (size_t i = 0; i < size; i += 3) {
      bytes[i] = static_cast<char>(i * 2654435761U >> 13);
    }
    Buffer packed;
    ASSERT_TRUE(Compress(GetParam(), bytes, &packed).ok());
    Buffer unpacked;
    unpacked.Append("before");
    const Status status = Decompress(GetParam(), packed.view(), size, &unpacked);
    ASSERT_TRUE(status.ok()) << size << status.message();
    EXPECT_TRUE(unpacked.view() == "before" + bytes) << size;
  }
}

TEST_P(CompressionTest, RefusesWhatIsTooLongCutOffOrNoSuchStream) {
  const std::string bytes(100000, 'x');
  Buffer packed;
  ASSERT_TRUE(Compress(GetParam(), bytes, &packed).ok());
  EXPECT_LT(packed.size(), 6000U);
  Buffer unpacked;
  EXPECT_EQ(Decompress(GetParam(), packed.view(), bytes.size() - 1, &unpacked).code(), Code::kInvalidArgument);
  for (size_t size = 1; size < packed.size(); ++size) {
    unpacked.Clear();
    EXPECT_EQ(Decompress(GetParam(), packed.view().substr(0, size), bytes.size(), &unpacked).code(),
              Code::kInvalidArgument)
        << size;
  }
  EXPECT_FALSE(Decompress(GetParam(), bytes, bytes.size(), &unpacked).ok());
}

INSTANTIATE_TEST_SUITE_P(All, CompressionTest, testing::ValuesIn(kAll));

TEST(BlockStream, OfSeveralBlocksAndChunks) {
  Buffer packed;
  std::string bytes;
  for (const std::string& block : {std::string("one"), std::string(), std::string(200000, 'y')}) {
    ASSERT_TRUE(Compress(Compression::kSnappy, block, &packed).ok());
    bytes += block;
  }
  Buffer unpacked;
  ASSERT_TRUE(Decompress(Compression::kSnappy, packed.view(), bytes.size(), &unpacked).ok());
  EXPECT_TRUE(unpacked.view() == bytes);
}

TEST(BlockStream, LengthsThatLieTakeNoMemory) {
  constexpr size_t kMaxBytes = size_t{1} << 31;
  for (const Compression compression : {Compression::kSnappy, Compression::kLz4, Compression::kZstd}) {
    // A block of two billion bytes whose chunk contains three.
    const std::string bytes = BigEndian<uint32_t>(0x7FFFFFFF) + BigEndian<uint32_t>(3) + "\xFF\xFF\xFF";
    Buffer unpacked;
    EXPECT_FALSE(Decompress(compression, bytes, kMaxBytes, &unpacked).ok());
    EXPECT_LT(unpacked.capacity(), size_t{1} << 20);
  }
}

TEST(CompressionOf, JavaClasses) {
  EXPECT_EQ(CompressionOf(""), Compression::kNone);
  EXPECT_EQ(CompressionOf("org.apache.hadoop.io.compress.GzipCodec"), Compression::kGzip);
  EXPECT_EQ(CompressionOf("org.apache.hadoop.io.compress.SnappyCodec"), Compression::kSnappy);
  EXPECT_EQ(CompressionOf("org.apache.hadoop.hbase.io.compress.aircompressor.Lz4Codec"), Compression::kLz4);
  EXPECT_FALSE(CompressionOf("org.apache.hadoop.io.compress.BZip2Codec").has_value());
  EXPECT_FALSE(CompressionOf("org.apache.hadoop.").has_value());
  EXPECT_FALSE(CompressionOf("io.compress.GzipCodec").has_value());
}

}  // namespace
}  // namespace klip::rpc
