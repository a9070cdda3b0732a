// Recognizes a client's Thrift dialect: framed or not, binary or compact. HBase's servers must be configured, and do not
// answer the wrong dialect; here the first bytes decide. Clients of other protocols are told what this port is. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace klip::thrift {

struct Dialect {
  bool framed = false;
  bool compact = false;  // otherwise binary, with or without version
  bool operator==(const Dialect&) const = default;
};

// A client of another protocol.
struct Stranger {
  std::string what;   // "HTTP": for the log
  std::string reply;  // to send before closing; empty if nobody would read it
  bool operator==(const Stranger&) const = default;
};

struct NeedsMoreBytes {
  bool operator==(const NeedsMoreBytes&) const = default;
};

// GuessDialect always knows after so many bytes. Every Thrift call has at least as many.
inline constexpr size_t kBytesToGuess = 8;

// Decides from the first bytes of a connection.
std::variant<NeedsMoreBytes, Dialect, Stranger> GuessDialect(std::string_view bytes);

}  // namespace klip::thrift
