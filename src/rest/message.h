// A request to a resource, and its answer.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "klip/status.h"
#include "net/http_message.h"

namespace klip::rest {

inline constexpr std::string_view kText = "text/plain";
inline constexpr std::string_view kXml = "text/xml";
inline constexpr std::string_view kJson = "application/json";
inline constexpr std::string_view kProtobuf = "application/x-protobuf";
inline constexpr std::string_view kProtobufToo = "application/protobuf";
inline constexpr std::string_view kBinary = "application/octet-stream";

struct Request {
  enum class Verb { kGet, kPut, kPost, kDelete };

  Verb verb = Verb::kGet;
  std::vector<std::string> path;  // between the slashes, as sent: percent signs are not decoded yet
  std::multimap<std::string, std::string> query;
  std::string accept;                          // formats that the client prefers; empty: any
  std::string content_type;                    // of the body
  std::string url;                             // "http://host:port", to make locations of
  std::map<std::string, std::string> headers;  // names in lower case
  std::string body;

  std::string Address() const { return url.substr(url.find("//") + 2); }  // host:port
  std::optional<std::string> Query(const std::string& name) const;
  std::optional<std::string> Header(const std::string& name) const;
};

// Decodes percent signs and pluses, as in forms. Errors: kInvalidArgument.
Expected<std::string> UrlDecode(std::string_view text);

// Sets path and query from a request line. The path is split before decoding: a decoded %2F in a row could not be
// distinguished from a slash. Errors: kInvalidArgument.
Status ParseTarget(std::string_view target, Request* request);

using Response = net::HttpResponse;

// The format of HBase's gateway: texts end with CRLF.
Response TextResponse(int status, std::string_view text);
Response NotFound();
Response BadRequest(std::string_view reason);

inline constexpr std::string_view kAllVerbs = "GET, HEAD, PUT, POST, DELETE";
// `allowed`: the resource's methods.
Response MethodNotAllowed(std::string_view allowed);

// The status that HBase's gateway chooses for an exception, with its class and text as body.
Response ErrorResponse(const Status& status);

// The same for an unreadable body: 415 if its format is not supported (kUnsupported).
Response BodyErrorResponse(const Status& status);

// The first of `offered` that the client accepts; nullopt: none. Without preferences, the first.
std::optional<std::string_view> Negotiate(const Request& request, std::initializer_list<std::string_view> offered);
Response NotAcceptable();

// "application/json; charset=utf-8" is a kind of "application/json"; protobuf has two names.
bool IsKind(std::string_view content_type, std::string_view kind);

// The client's name for the kind.
std::string NameOf(std::string_view kind, const Request& request);

}  // namespace klip::rest
