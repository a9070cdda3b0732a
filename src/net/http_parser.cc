#include "net/http_parser.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/rfc7230.hpp>

namespace klip::net {

namespace beast = boost::beast;
namespace http = boost::beast::http;

// A body whose memory follows the bytes received, not the announced length.
struct GrowingBody {
  struct value_type {
    std::string bytes;
    size_t most = 0;  // the maximum size
  };

  class reader {
   public:
    template <bool kIsRequest, class Fields>
    reader(http::header<kIsRequest, Fields>& /*header*/, value_type& body) : body_(&body) {}

    void init(const boost::optional<uint64_t>& length, beast::error_code& error) {
      error = {};
      body_->most = length ? static_cast<size_t>(*length) : body_->most;
    }

    template <class Buffers>
    size_t put(const Buffers& buffers, beast::error_code& error) {
      error = {};
      std::string& bytes = body_->bytes;
      const size_t before = bytes.size();
      for (auto at = boost::asio::buffer_sequence_begin(buffers); at != boost::asio::buffer_sequence_end(buffers);
           ++at) {
        const boost::asio::const_buffer part = *at;
        if (const size_t size = bytes.size() + part.size(); size > bytes.capacity()) {
          // Doubles the size, but avoids moving most of the body again for the last bytes.
          bytes.reserve(4 * size > body_->most ? std::max(size, body_->most) : 2 * size);
        }
        bytes.append(static_cast<const char*>(part.data()), part.size());
      }
      return bytes.size() - before;
    }

    void finish(beast::error_code& error) { error = {}; }

   private:
    value_type* const body_;
  };
};

namespace {

// "0\r\n\r\n". Beast 1.74 asserts that it always gets the whole last chunk, and each chunked body ends with at least so
// many bytes.
constexpr size_t kLastChunkBytes = 5;

std::string Lower(beast::string_view text) {
  std::string out(text);
  for (char& c : out) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
  }
  return out;
}

}  // namespace

struct HttpParser::Rep {
  explicit Rep(HttpLimits given) : limits(given) { Begin(); }

  void Begin() {
    parser.emplace();
    parser->header_limit(static_cast<uint32_t>(limits.header_bytes));
    parser->body_limit(limits.body_bytes);
    parser->eager(true);
    parser->get().body().most = limits.body_bytes;
    expectation_told = false;
    begun = false;
  }

  void Refuse(int status, std::string_view text) {
    refusal = status;
    reason = text;
    std::string().swap(parser->get().body().bytes);
  }

  void RefuseFor(const beast::error_code& error, std::string_view bytes) {
    if (error == http::error::header_limit) {
      const bool in_first_line = bytes.substr(0, limits.header_bytes).find("\r\n") == std::string_view::npos;
      Refuse(in_first_line ? 414 : 431,
             "the request line and its headers exceed " + std::to_string(limits.header_bytes) + " bytes");
    } else if (error == http::error::body_limit) {
      Refuse(413, "the body exceeds " + std::to_string(limits.body_bytes) + " bytes");
    } else {
      Refuse(400, "not an HTTP request: " + error.message());
    }
  }

  // If the receiver assumes another encoding than the sender, it takes parts of a body for requests.
  void CheckEncoding() {
    const auto [first, last] = parser->get().equal_range(http::field::transfer_encoding);
    const bool chunked = first != last && std::next(first) == last && beast::iequals(first->value(), "chunked");
    if (first != last && !chunked) {
      Refuse(501, "the only supported transfer encoding is \"chunked\"");
    }
  }

  const HttpLimits limits;
  std::optional<http::request_parser<GrowingBody>> parser;
  bool begun = false;
  bool expectation_told = false;
  int refusal = 0;
  std::string reason;
};

HttpParser::HttpParser(HttpLimits limits) : rep_(std::make_unique<Rep>(limits)) {}
HttpParser::~HttpParser() = default;

size_t HttpParser::Feed(std::string_view bytes) {
  size_t taken = 0;
  while (!rep_->begun && taken < bytes.size() && (bytes[taken] == '\r' || bytes[taken] == '\n')) {
    ++taken;  // old clients send an empty line after a body
  }
  while (taken < bytes.size() && !whole() && refusal() == 0) {
    const std::string_view left = bytes.substr(taken);
    if (rep_->parser->is_header_done() && rep_->parser->chunked() && left.size() < kLastChunkBytes) {
      break;
    }
    rep_->begun = true;
    beast::error_code error;
    const size_t put = rep_->parser->put(boost::asio::const_buffer(left.data(), left.size()), error);
    taken += put;
    if (error && error != http::error::need_more) {
      rep_->RefuseFor(error, bytes);
    } else if (rep_->parser->is_header_done()) {
      rep_->CheckEncoding();
    }
    if (put == 0) {
      break;
    }
  }
  if (bytes.size() - taken > rep_->limits.header_bytes && !whole() && refusal() == 0) {
    rep_->Refuse(400, "the head of a chunk exceeds " + std::to_string(rep_->limits.header_bytes) + " bytes");
  }
  return taken;
}

bool HttpParser::header_done() const { return rep_->parser->is_header_done(); }
bool HttpParser::begun() const { return rep_->begun && !whole() && refusal() == 0; }
bool HttpParser::whole() const { return rep_->parser->is_done() && refusal() == 0; }
int HttpParser::refusal() const { return rep_->refusal; }
const std::string& HttpParser::reason() const { return rep_->reason; }
size_t HttpParser::body_bytes() const { return rep_->parser->get().body().bytes.size(); }
bool HttpParser::keep_alive() const { return rep_->parser->keep_alive(); }

void HttpParser::Refuse(int status, std::string_view reason) { rep_->Refuse(status, reason); }

bool HttpParser::TakeExpectation() {
  const bool waits = rep_->parser->is_header_done() && !whole() && refusal() == 0 &&
                     beast::iequals(rep_->parser->get()[http::field::expect], "100-continue");
  return waits && !std::exchange(rep_->expectation_told, true);
}

HttpRequest HttpParser::Take() {
  http::request<GrowingBody> from = rep_->parser->release();
  HttpRequest request{.method = std::string(from.method_string()), .target = std::string(from.target())};
  for (const auto& field : from) {
    std::string& value = request.headers[Lower(field.name_string())];
    value += (value.empty() ? "" : ", ") + std::string(field.value());
  }
  request.body = std::move(from.body().bytes);
  rep_->Begin();
  return request;
}

std::string_view ReasonPhrase(int status) {
  const beast::string_view phrase = http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status)));
  return {phrase.data(), phrase.size()};
}

}  // namespace klip::net
