// An HTTP request and its answer, as programs see them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace klip::net {

struct HttpRequest {
  std::string method;  // as it was sent, e.g. "GET"
  std::string target;  // path and query as they were sent: percent signs are not decoded
  // Names in lower case; values of one name are joined by ", ". There always is a "host": without one, the address of the server.
  std::map<std::string, std::string> headers;
  std::string body;    // whole, and no longer compressed
  std::string client;  // "address:port"

  // "" when there is none. `name` in lower case.
  std::string Header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

struct HttpResponse {
  int status = 200;
  std::string content_type = {};
  std::string body = {};  // not sent to HEAD
  std::vector<std::pair<std::string, std::string>> headers = {};
};

// Answers a request. Called from many threads; may take its time.
using HttpHandler = std::function<HttpResponse(HttpRequest request)>;

}  // namespace klip::net
