// HttpParser: parses requests from the bytes of one connection. Wraps Boost.Beast.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "net/http_message.h"

namespace klip::net {

struct HttpLimits {
  size_t header_bytes = 64 << 10;  // of the request line and the headers
  size_t body_bytes = 64 << 20;
};

class HttpParser {
 public:
  explicit HttpParser(HttpLimits limits);
  ~HttpParser();

  // Consumes bytes of one request from the front of `bytes`; returns how many. Pass the rest again, with more after it.
  // Consumes none if a request is complete or refused.
  size_t Feed(std::string_view bytes);

  bool header_done() const;
  // Whether bytes of a request have arrived, and it is neither complete nor refused.
  bool begun() const;
  bool whole() const;
  // 0, or the status with which the request was refused, and a text about it.
  int refusal() const;
  const std::string& reason() const;

  // Stops reading the request, and keeps nothing of it.
  void Refuse(int status, std::string_view reason);

  // Whether the client waits for "100 Continue" before it sends the body. True once per request.
  bool TakeExpectation();
  size_t body_bytes() const;
  // Whether the connection stays open after the answer.
  bool keep_alive() const;

  // Returns the request, and starts the next one. REQUIRES: whole()
  HttpRequest Take();

 private:
  struct Rep;
  const std::unique_ptr<Rep> rep_;
};

// "Not Found" for 404.
std::string_view ReasonPhrase(int status);

}  // namespace klip::net
