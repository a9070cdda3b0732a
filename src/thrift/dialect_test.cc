#include "thrift/dialect.h"

#include <string>

#include <gtest/gtest.h>

namespace klip::thrift {
namespace {

using std::string_literals::operator""s;

TEST(DialectTest, TellsFourDialectsApart) {
  EXPECT_EQ(std::get<Dialect>(GuessDialect("\x80\x01\x00\x01\x00\x00\x00\x03"s)), (Dialect{}));
  EXPECT_EQ(std::get<Dialect>(GuessDialect("\x82\x21\x01\x03get"s)), (Dialect{.compact = true}));
  EXPECT_EQ(std::get<Dialect>(GuessDialect("\x00\x00\x00\x30\x80\x01\x00\x01"s)), (Dialect{.framed = true}));
  EXPECT_EQ(std::get<Dialect>(GuessDialect("\x00\x00\x00\x30\x82\x21\x01\x03"s)),
            (Dialect{.framed = true, .compact = true}));
}

TEST(DialectTest, KnowsTheBinaryProtocolWithoutVersion) {
  EXPECT_EQ(std::get<Dialect>(GuessDialect("\x00\x00\x00\x03get\x01"s)), (Dialect{}));
  EXPECT_EQ(std::get<Dialect>(GuessDialect("\x00\x00\x01\x00\x00\x00\x00\x03"s)), (Dialect{.framed = true}));
}

TEST(DialectTest, TellsStrangersWhereTheyAre) {
  auto http = std::get<Stranger>(GuessDialect("GET / HTTP/1.1"));
  EXPECT_EQ(http.what, "HTTP");
  EXPECT_TRUE(http.reply.starts_with("HTTP/1.1 400 Bad Request\r\n")) << http.reply;
  EXPECT_NE(http.reply.find("klip's Thrift gateway"), std::string::npos) << http.reply;
  EXPECT_EQ(std::get<Stranger>(GuessDialect("ruok")).what, "ZooKeeper's protocol");
  // Its first request: length, protocol version 0, last transaction 0, ...
  EXPECT_EQ(std::get<Stranger>(GuessDialect("\x00\x00\x00\x2d\x00\x00\x00\x00"s)).what, "ZooKeeper's protocol");
  EXPECT_EQ(std::get<Stranger>(GuessDialect("HBas\x00\x50"s)).what, "HBase's RPC");
  EXPECT_EQ(std::get<Stranger>(GuessDialect("\x16\x03\x01"s)).what, "TLS");
}

TEST(DialectTest, WaitsForEnoughBytesAndNoMore) {
  const std::string framed = "\x00\x00\x00\x30\x82\x21\x01\x03"s;
  for (size_t size = 0; size < kBytesToGuess; ++size) {
    EXPECT_TRUE(std::holds_alternative<NeedsMoreBytes>(GuessDialect(framed.substr(0, size)))) << size;
  }
  // Eight bytes are always enough.
  uint32_t random = 1;
  for (int i = 0; i < 100'000; ++i) {
    std::string bytes;
    for (size_t at = 0; at < kBytesToGuess; ++at) {
      random = random * 1664525 + 1013904223;
      bytes.push_back(static_cast<char>(random >> 24 & (random & 0x100 ? 0xff : 0x07)));
    }
    EXPECT_FALSE(std::holds_alternative<NeedsMoreBytes>(GuessDialect(bytes)));
  }
}

}  // namespace
}  // namespace klip::thrift
