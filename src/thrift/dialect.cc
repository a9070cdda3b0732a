#include "thrift/dialect.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include "klip/bytes.h"

namespace klip::thrift {
namespace {

constexpr char kBinaryVersion[] = "\x80\x01";
constexpr char kCompact = '\x82';
constexpr uint32_t kMaxMethodName = 127;  // in the binary protocol's old format, which starts with the name's length

constexpr std::array<std::string_view, 8> kHttpMethods = {"GET ", "POST", "PUT ", "HEAD",
                                                          "DELE", "OPTI", "PATC", "PRI "};
constexpr std::array<std::string_view, 10> kZooKeeperWords = {"ruok", "stat", "srvr", "mntr", "conf",
                                                              "envi", "cons", "isro", "dump", "wchs"};

constexpr std::string_view kHere = "This is klip's Thrift gateway. ";

Stranger Http() {
  std::string body = std::string(kHere) + "It speaks Thrift over TCP, not HTTP; for HTTP, use `klip rest`.\r\n";
  return {"HTTP", "HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: " +
                      std::to_string(body.size()) + "\r\n\r\n" + body};
}

Stranger ZooKeeper() {
  return {"ZooKeeper's protocol",
          std::string(kHere) + "HBase's clients find ZooKeeper's protocol on the --zk-port of `klip serve`.\n"};
}

Stranger HBaseRpc() {
  return {"HBase's RPC", std::string(kHere) + "HBase's RPC is on the --rpc-port of `klip serve`.\n"};
}

bool Contains(const auto& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace

std::variant<NeedsMoreBytes, Dialect, Stranger> GuessDialect(std::string_view bytes) {
  if (bytes.size() < 2) {
    return NeedsMoreBytes();
  }
  if (bytes.starts_with(kBinaryVersion)) {
    return Dialect{};
  }
  if (bytes[0] == kCompact) {
    return Dialect{.compact = true};
  }
  if (bytes.starts_with("\x16\x03")) {
    return Stranger{"TLS", ""};
  }
  if (bytes.size() < 4) {
    return NeedsMoreBytes();
  }
  std::string_view word = bytes.substr(0, 4);
  if (Contains(kHttpMethods, word)) {
    return Http();
  }
  if (Contains(kZooKeeperWords, word)) {
    return ZooKeeper();
  }
  if (word == "HBas") {
    return HBaseRpc();
  }
  // The rest starts with a length: of a frame, of a method's name, or of ZooKeeper's first request.
  if (bytes.size() < kBytesToGuess) {
    return NeedsMoreBytes();
  }
  std::string_view behind = bytes.substr(4);
  if (behind.starts_with(kBinaryVersion)) {
    return Dialect{.framed = true};
  }
  if (behind[0] == kCompact) {
    return Dialect{.framed = true, .compact = true};
  }
  auto length = ReadBigEndian<uint32_t>(bytes.data());
  if (length >= 1 && length <= kMaxMethodName && IsLetter(behind[0])) {
    return Dialect{};
  }
  auto inner = ReadBigEndian<uint32_t>(behind.data());
  if (inner >= 1 && inner <= kMaxMethodName && length > inner) {
    return Dialect{.framed = true};
  }
  if (inner == 0 && length <= kMaxMethodName) {  // its protocol version is 0
    return ZooKeeper();
  }
  return Stranger{"data that is not Thrift", ""};
}

}  // namespace klip::thrift
