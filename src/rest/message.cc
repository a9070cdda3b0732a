#include "rest/message.h"

#include <charconv>

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

Expected<std::string> UrlDecode(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+') {
      out.push_back(' ');
    } else if (text[i] != '%') {
      out.push_back(text[i]);
    } else {
      const std::string_view digits = text.substr(i + 1, 2);
      uint8_t byte = 0;
      const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), byte, 16);
      if (digits.size() < 2 || read.ptr != digits.data() + digits.size()) {
        return base::Invalid("a % in the URL is not followed by two hex digits");
      }
      out.push_back(static_cast<char>(byte));
      i += 2;
    }
  }
  return out;
}

Status ParseTarget(std::string_view target, Request* request) {
  const size_t question = target.find('?');
  std::string_view query = question == std::string_view::npos ? "" : target.substr(question + 1);
  std::string_view path = target.substr(0, question);
  while (!path.empty()) {
    path.remove_prefix(path.front() == '/' ? 1 : 0);
    const size_t slash = path.find('/');
    request->path.emplace_back(path.substr(0, slash));
    path = slash == std::string_view::npos ? std::string_view() : path.substr(slash);
  }
  while (!request->path.empty() && request->path.back().empty()) {
    request->path.pop_back();
  }
  while (!query.empty()) {
    const size_t end = query.find('&');
    const std::string_view pair = query.substr(0, end);
    const size_t equals = pair.find('=');
    KLIP_ASSIGN_OR_RETURN(std::string name, UrlDecode(pair.substr(0, equals)));
    KLIP_ASSIGN_OR_RETURN(std::string value,
                          UrlDecode(equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1)));
    request->query.emplace(std::move(name), std::move(value));
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
  }
  return Status::Ok();
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
  // In the order in which they are listed, which is what clients mean; weights are ignored.
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
                      "and, for one cell, application/octet-stream; not every resource offers all");
}

}  // namespace klip::rest
