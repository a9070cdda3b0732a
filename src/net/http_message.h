// An HTTP request and its answer, as programs see them.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/cancel.h"

namespace klip::net {

struct HttpRequest {
  std::string method;  // as sent, for example "GET"
  std::string target;  // path and query as sent: percent signs are not decoded
  // Names in lower case; values with the same name are joined by ", ". There always is a "host": if missing, the server's
  // address.
  std::map<std::string, std::string> headers;
  std::string body;    // complete and decompressed
  std::string client;  // "address:port"
  CancelToken gone;    // cancelled once the client has closed its connection, which it keeps

  // "" if there is none. `name` in lower case.
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

// Answers a request. Called by many threads; may take long.
using HttpHandler = std::function<HttpResponse(HttpRequest request)>;

}  // namespace klip::net
