#include "rest/message.h"

#include "base/errors.h"

namespace klip::rest {
namespace {

int StatusOf(Code code) {
  switch (code) {
    case Code::kTableNotFound:
    case Code::kNamespaceNotFound:
    case Code::kNoSuchColumnFamily:
      return 404;
    case Code::kInvalidArgument:
    case Code::kDoNotRetry:
    case Code::kInvalidFamilyOperation:
    case Code::kIncompatibleFilter:
    case Code::kWrongRow:
    case Code::kRowTooBig:
      return 400;
    case Code::kNamespaceExists:
    case Code::kConstraintViolation:
      return 403;
    case Code::kUnsupported:
      return 501;
    default:
      return 503;
  }
}

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') {
    text.remove_prefix(1);
  }
  while (!text.empty() && text.back() == ' ') {
    text.remove_suffix(1);
  }
  return text;
}

}  // namespace

std::optional<std::string> Request::Query(const std::string& name) const {
  auto found = query.find(name);
  return found == query.end() ? std::nullopt : std::optional(found->second);
}

std::optional<std::string> Request::Header(const std::string& name) const {
  auto found = headers.find(name);
  return found == headers.end() ? std::nullopt : std::optional(found->second);
}

Response TextResponse(int status, std::string_view text) {
  return {.status = status, .content_type = std::string(kText), .body = std::string(text) + "\r\n"};
}

Response NotFound() { return TextResponse(404, "Not found"); }

Response BadRequest(std::string_view reason) { return TextResponse(400, "Bad request: " + std::string(reason)); }

Response MethodNotAllowed(std::string_view allowed) {
  Response response = TextResponse(405, "Method not allowed");
  response.headers.emplace_back("Allow", allowed);
  return response;
}

Response ErrorResponse(const Status& status) {
  int code = StatusOf(status.code());
  std::string_view word = code == 404   ? "Not found"
                          : code == 400 ? "Bad request"
                          : code == 403 ? "Forbidden"
                          : code == 501 ? "Not implemented"
                                        : "Unavailable";
  return TextResponse(code, std::string(word) + "\r\n" + std::string(base::InfoFor(status.code()).java_class) + ": " +
                                status.message());
}

Response BodyErrorResponse(const Status& status) {
  return status.code() == Code::kUnsupported ? TextResponse(415, "Unsupported media type\r\n" + status.message())
                                             : ErrorResponse(status);
}

bool IsKind(std::string_view content_type, std::string_view kind) {
  std::string_view given = Trimmed(content_type.substr(0, content_type.find(';')));
  return given == kind || (given == kProtobufToo && kind == kProtobuf);
}

std::string NameOf(std::string_view kind, const Request& request) {
  const bool too = kind == kProtobuf && request.accept.find(kProtobuf) == std::string::npos &&
                   request.accept.find(kProtobufToo) != std::string::npos;
  return std::string(too ? kProtobufToo : kind);
}

std::optional<std::string_view> Negotiate(const Request& request, std::initializer_list<std::string_view> offered) {
  std::string_view wishes = request.accept;
  if (wishes.empty()) {
    return *offered.begin();
  }
  // In the order in which they are named, which is what clients mean; weights are not looked at.
  while (!wishes.empty()) {
    size_t comma = wishes.find(',');
    std::string_view wish = Trimmed(wishes.substr(0, comma));
    wish = Trimmed(wish.substr(0, wish.find(';')));
    for (std::string_view kind : offered) {
      bool any_of_type = wish.ends_with("/*") && kind.starts_with(wish.substr(0, wish.size() - 1));
      if (wish == "*/*" || wish == "*" || any_of_type || IsKind(wish, kind)) {
        return kind;
      }
    }
    wishes = comma == std::string_view::npos ? std::string_view() : wishes.substr(comma + 1);
  }
  return std::nullopt;
}

Response NotAcceptable() {
  return TextResponse(406,
                      "Not acceptable\r\nOffered are text/plain, text/xml, application/json, application/x-protobuf "
                      "and, for one cell, application/octet-stream; not all of every resource");
}

}  // namespace klip::rest
