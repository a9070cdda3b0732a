#include "base/address.h"

#include <gtest/gtest.h>

namespace klip::base {
namespace {

std::string Read(std::string_view text, uint16_t default_port = 0) {
  const Expected<Address> address = ParseAddress(text, default_port);
  return address.ok() ? address->host + " " + std::to_string(address->port) : address.status().message();
}

TEST(AddressTest, HasAHostAndAPort) {
  EXPECT_EQ(Read("db1.example.com:32001"), "db1.example.com 32001");
  EXPECT_EQ(Read("db_1:65535"), "db_1 65535");
  EXPECT_EQ(Read("127.0.0.1", 16020), "127.0.0.1 16020");
  EXPECT_EQ(Read("127.0.0.1:1", 16020), "127.0.0.1 1");
  EXPECT_EQ(Read("[::1]:32001"), "::1 32001");
  EXPECT_EQ(Read("[fe80::1%eth0]", 16020), "fe80::1%eth0 16020");
}

TEST(AddressTest, AnythingElseIsRefused) {
  for (const char* text : {"", "h", ":1", "h:0", "[]:1", "[::1]"}) {
    EXPECT_EQ(Read(text), "expected host:port, found '" + std::string(text) + "'");
  }
  for (const char* text : {"h:", "h:65536", "h:-1", "h:1x", "[::1]x", "[::1]16020"}) {
    EXPECT_EQ(Read(text), "'" + std::string(text) + "': the port is not a number up to 65535");
  }
  for (const char* text : {"a b:1", "a,b:1", "http//h:1", "[a/b]:1", "a]:1"}) {
    EXPECT_EQ(Read(text), "'" + std::string(text) + "': this is not a host name");
  }
  EXPECT_EQ(Read("http://h:1"), "'http://h:1': an IPv6 address goes in brackets");
  EXPECT_EQ(Read("::1", 16020), "'::1': an IPv6 address goes in brackets");
  EXPECT_EQ(Read("[::1:1"), "'[::1:1': a '[' without ']'");
}

TEST(AddressTest, IsWrittenAsItIsRead) {
  for (const char* text : {"h:1", "[::1]:32001"}) {
    EXPECT_EQ(ParseAddress(text, 0)->ToString(), text);
  }
}

}  // namespace
}  // namespace klip::base
