// The parser alone: however the bytes are divided, it returns the same requests.
#include "net/http_parser.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace klip::net {
namespace {

constexpr HttpLimits kLimits = {.header_bytes = 10'000, .body_bytes = 100};

// The requests, as text, from bytes that arrive in pieces of at most `most`.
std::string Parsed(const std::string& bytes, size_t most, std::mt19937* random) {
  HttpParser parser(kLimits);
  std::string out;
  std::string waiting;
  size_t at = 0;
  while (at < bytes.size() && parser.refusal() == 0) {
    const size_t piece = std::min(bytes.size() - at, 1 + (*random)() % most);
    waiting.append(bytes, at, piece);
    at += piece;
    while (true) {
      waiting.erase(0, parser.Feed(waiting));
      EXPECT_LE(parser.body_bytes(), kLimits.body_bytes);
      if (!parser.whole()) {
        break;
      }
      const bool keep_alive = parser.keep_alive();
      const HttpRequest request = parser.Take();
      out += request.method + " " + request.target + (keep_alive ? " keep" : " close");
      for (const auto& [name, value] : request.headers) {
        out += "|" + name + "=" + value;
      }
      out += "|" + request.body + "\n";
    }
  }
  return out + (parser.refusal() == 0 && !parser.begun() ? "" : "and something that is no request");
}

TEST(HttpParserTest, PiecesGiveTheSameAsTheWhole) {
  const std::vector<std::string> parts = {
      "GET / HTTP/1.1\r\n",
      "PUT /a%20b?c=d HTTP/1.1\r\n",
      "HEAD /x HTTP/1.0\r\n",
      "Host: a\r\n",
      "Content-Length: 5\r\n",
      "Content-Length: 101\r\n",
      "Transfer-Encoding: chunked\r\n",
      "Connection: close\r\n",
      "Expect: 100-continue\r\n",
      "X: 1\r\nX: 2\r\n",
      "\r\n",
      "\r\n",
      "\r\n",
      "hello",
      "5\r\nhello\r\n",
      "3;a=b\r\nxyz\r\n",
      "0\r\n\r\n",
      "0\r\nTrailer: t\r\n\r\n",
      std::string(120, 'y'),
  };
  std::mt19937 random(7);
  int whole = 0;
  int bad = 0;
  for (int i = 0; i < 50'000; ++i) {
    std::string bytes;
    for (uint64_t count = 1 + random() % 10; count > 0; --count) {
      bytes += parts[random() % parts.size()];
    }
    for (uint64_t changes = random() % 3; changes > 0; --changes) {
      bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
    }
    const std::string expected = Parsed(bytes, 1, &random);
    whole += static_cast<int>(expected.find('|') != std::string::npos);
    bad += static_cast<int>(expected.find("and something") != std::string::npos);
    for (const size_t most : {size_t{4}, size_t{40}, bytes.size() + 1000}) {
      ASSERT_EQ(Parsed(bytes, most, &random), expected) << bytes;
    }
  }
  EXPECT_GT(whole, 1000);
  EXPECT_GT(bad, 1000);
}

}  // namespace
}  // namespace klip::net
