// Which Thrift a client speaks: framed or not, binary or compact. Servers of HBase must be told and answer the wrong kind with
// silence; here the first bytes tell. Those who do not speak Thrift at all are told where they are. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>

namespace klip::thrift {

struct Dialect {
  bool framed = false;
  bool compact = false;  // else binary, with or without version
  bool operator==(const Dialect&) const = default;
};

// Someone at the wrong port.
struct Stranger {
  std::string what;   // "HTTP": for the log
  std::string reply;  // to send before closing; empty when nobody would read it
  bool operator==(const Stranger&) const = default;
};

struct NeedsMoreBytes {
  bool operator==(const NeedsMoreBytes&) const = default;
};

// With so many bytes GuessDialect always knows. Every Thrift call has at least as many.
inline constexpr size_t kBytesToGuess = 8;

// From the first bytes of a connection.
std::variant<NeedsMoreBytes, Dialect, Stranger> GuessDialect(std::string_view bytes);

}  // namespace klip::thrift
