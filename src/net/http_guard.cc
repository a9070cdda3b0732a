#include "net/http_guard.h"

#include <string_view>

#include <arpa/inet.h>

#include "base/process.h"

namespace klip::net {
namespace {

// Of ASCII, as in names of hosts.
std::string LowerCase(std::string name) {
  for (char& c : name) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return name;
}

// "localhost" from "localhost.:8080", "::1" from "[::1]:8080". A dot at the end only says that the name is complete.
std::string NameOf(std::string_view host) {
  if (host.starts_with("[")) {
    return std::string(host.substr(1, host.find(']') - 1));
  }
  host = host.substr(0, host.find(':'));
  if (host.ends_with('.')) {
    host.remove_suffix(1);
  }
  return std::string(host);
}

bool IsAddress(const std::string& name) {
  in6_addr address = {};
  return ::inet_pton(AF_INET, name.c_str(), &address) == 1 || ::inet_pton(AF_INET6, name.c_str(), &address) == 1;
}

}  // namespace

std::string WhyForeign(const HttpRequest& request, bool loopback) {
  const std::string host = LowerCase(request.Header("host"));
  const std::string origin = LowerCase(request.Header("origin"));
  if (!origin.empty() && origin != "http://" + host && origin != "https://" + host) {
    return "the request was sent by a page of " + origin + " and is for " + host;
  }
  const std::string name = NameOf(host);
  const bool own = host.empty() || IsAddress(name) || name == "localhost" || name.ends_with(".localhost") ||
                   name == LowerCase(base::HostName());
  return loopback && !own ? "the request is for " + host + ", which is not a name of this machine" : std::string();
}

}  // namespace klip::net
