// HttpParser: requests out of the bytes of one connection. Behind this header: Boost.Beast.
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

  // Takes bytes of one request off the front of `bytes`; returns how many. The rest is to be given again, with more behind it.
  // Takes none when a request is whole or refused.
  size_t Feed(std::string_view bytes);

  bool header_done() const;
  // Bytes of a request came, and it is neither whole nor refused.
  bool begun() const;
  bool whole() const;
  // 0, or the status that says why the request is not read to its end, and a text about it.
  int refusal() const;
  const std::string& reason() const;

  // Reads no more of the request, and keeps nothing of it.
  void Refuse(int status, std::string_view reason);

  // The client waits for "100 Continue" before it sends the body. True once a request.
  bool TakeExpectation();
  size_t body_bytes() const;
  // The connection stays open behind the answer.
  bool keep_alive() const;

  // The request; the next one begins. REQUIRES: whole()
  HttpRequest Take();

 private:
  struct Rep;
  const std::unique_ptr<Rep> rep_;
};

// "Not Found" for 404.
std::string_view ReasonPhrase(int status);

}  // namespace klip::net
