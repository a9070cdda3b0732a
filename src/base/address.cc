#include "base/address.h"

#include <algorithm>
#include <charconv>

namespace klip::base {
namespace {

Status Bad(std::string_view text, std::string_view why) {
  return {Code::kInvalidArgument, "'" + std::string(text) + "': " + std::string(why)};
}

// In names and addresses; the resolver decides about names in other alphabets.
bool IsHostCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-' ||
         c == '_' || byte >= 0x80;
}
bool IsIpv6Character(char c) { return IsHostCharacter(c) || c == ':' || c == '%'; }

}  // namespace

std::string Address::ToString() const {
  const bool ipv6 = host.find(':') != std::string::npos;
  return (ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Expected<Address> ParseAddress(std::string_view text, uint16_t default_port) {
  const bool in_brackets = text.starts_with('[');
  const size_t end = in_brackets ? text.find(']') : text.find(':');
  if (in_brackets && end == std::string_view::npos) {
    return Bad(text, "a '[' without ']'");
  }
  Address address;
  address.port = default_port;
  std::string_view rest = end == std::string_view::npos ? std::string_view() : text.substr(end);
  if (in_brackets) {
    address.host = text.substr(1, end - 1);
    rest.remove_prefix(1);
  } else {
    address.host = text.substr(0, end);
  }
  if (!in_brackets && std::ranges::count(rest, ':') > 1) {
    return Bad(text, "an IPv6 address goes in brackets");
  }
  if (!std::ranges::all_of(address.host, in_brackets ? IsIpv6Character : IsHostCharacter)) {
    return Bad(text, "this is not a host name");
  }
  if (!rest.empty()) {
    const std::string_view port = rest.substr(1);
    const auto [stop, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (rest[0] != ':' || error != std::errc() || stop != port.data() + port.size()) {
      return Bad(text, "the port is not a number up to 65535");
    }
  }
  if (address.host.empty() || address.port == 0) {
    return Status(Code::kInvalidArgument, "expected host:port, found '" + std::string(text) + "'");
  }
  return address;
}

}  // namespace klip::base
