#include "console/service.h"

#include <array>
#include <charconv>
#include <chrono>
#include <string>
#include <utility>

#include "base/json.h"
#include "console/api.h"
#include "console/assets.h"
#include "klip/caller.h"
#include "klip/cancel.h"

namespace klip::console {
namespace {

constexpr std::string_view kRoot = "/console";
constexpr std::string_view kApi = "/console/api/";

Expected<Json> ReadsOnly(Connection* /*connection*/, const Parameters& /*parameters*/) {
  return Json{{"changes", false}};
}
Expected<Json> Changes(Connection* /*connection*/, const Parameters& /*parameters*/) { return Json{{"changes", true}}; }

struct Route {
  std::string_view name;
  std::string_view method;
  Call call;             // null: only where changes are allowed
  Call changing = call;  // where they are
};
constexpr std::array kRoutes = {
    Route{"tables", "GET", Tables},
    Route{"table", "GET", OneTable},
    Route{"explain", "GET", ExplainQuery},
    Route{"rows", "GET", Rows},
    Route{"heat", "GET", Heat},
    Route{"server", "GET", Servers},
    Route{"access", "GET", ReadsOnly, Changes},
    Route{"sql", "POST", Sql, SqlWithChanges},
    Route{"sql_tables", "GET", SqlTables},
    Route{"values", "GET", KeyValues},
    Route{"advice", "POST", KeyAdvice},
    Route{"put", "POST", nullptr, PutCell},
    Route{"delete", "POST", nullptr, DeleteCells},
    Route{"create", "POST", nullptr, CreateOneTable},
    Route{"change", "POST", nullptr, ChangeTable},
    Route{"index", "POST", nullptr, ChangeIndex},
};

// Allows only the console's own scripts, nothing from other sites, and no framing by them.
net::HttpResponse Secured(net::HttpResponse response) {
  response.headers.insert(
      response.headers.end(),
      {{"Content-Security-Policy",
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"},
       {"X-Content-Type-Options", "nosniff"},
       {"Referrer-Policy", "no-referrer"},
       {"Cross-Origin-Resource-Policy", "same-origin"},
       {"Cache-Control", "no-store"}});
  return response;
}

net::HttpResponse JsonResponse(int status, const Json& json) {
  return {.status = status,
          .content_type = "application/json",
          .body = json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"};
}

int StatusCode(Code code) {
  switch (code) {
    case Code::kTableNotFound:
      return 404;
    case Code::kInvalidArgument:
    case Code::kNoSuchColumnFamily:
    case Code::kUnsupported:
      return 400;
    case Code::kTableNotEnabled:
      return 409;
    case Code::kReadOnly:
      return 403;
    case Code::kCancelled:
    case Code::kTimedOut:
      return 504;
    default:
      return 500;
  }
}

net::HttpResponse ErrorResponse(int status, std::string message) {
  return JsonResponse(status, {{"error", std::move(message)}});
}

int HexDigit(char digit) {
  int value = -1;
  (void)std::from_chars(&digit, &digit + 1, value, 16);
  return value;
}

// Decodes a query: '+' is a space.
Expected<std::string> Decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = high >= 0 ? HexDigit(text[i + 2]) : -1;
    if (low < 0) {
      return Status(Code::kInvalidArgument, "a percent sign is followed by two hexadecimal digits");
    }
    out += static_cast<char>((high << 4) | low);
    i += 2;
  }
  return out;
}

Expected<Parameters> QueryParameters(std::string_view query) {
  Parameters parameters;
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    const size_t equals = std::min(pair.find('='), pair.size());
    KLIP_ASSIGN_OR_RETURN(std::string name, Decoded(pair.substr(0, equals)));
    KLIP_ASSIGN_OR_RETURN(parameters[std::move(name)], Decoded(pair.substr(std::min(equals + 1, pair.size()))));
  }
  return parameters;
}

// A flat object of texts and numbers.
Expected<Parameters> BodyParameters(const net::HttpRequest& request) {
  if (!request.Header("content-type").starts_with("application/json")) {
    // a form of another site has another type
    return Status(Code::kInvalidArgument, "the body must be application/json");
  }
  if (request.body.size() > Service::kMaxBodyBytes) {
    return Status(Code::kInvalidArgument, "the body is too large");
  }
  KLIP_ASSIGN_OR_RETURN(const base::Json body, base::ParseJson(request.body, "the body"));
  if (!body.is_object()) {
    return Status(Code::kInvalidArgument, "the body must be a JSON object");
  }
  Parameters parameters;
  for (const auto& [name, value] : body.items()) {
    KLIP_ASSIGN_OR_RETURN(parameters[name], base::ScalarText(value, name));
  }
  return parameters;
}

// What the service has for its calls.
struct Means {
  Connection* connection;
  bool allow_changes;
  RegionCounts* counts;
  net::MemoryBudget* statements;
};

Expected<Json> Make(Call call, const Means& means, const Parameters& parameters) {
  if (call == Heat) {
    return HeatWith(means.connection, parameters, means.counts);
  }
  if (call == Sql || call == SqlWithChanges) {
    return SqlWith(means.connection, parameters, call == SqlWithChanges, means.statements);
  }
  return call(means.connection, parameters);
}

net::HttpResponse AnswerCall(const Route& route, const net::HttpRequest& request, std::string_view query,
                             const Means& means) {
  const Call call = means.allow_changes ? route.changing : route.call;
  if (call == nullptr) {
    return ErrorResponse(403, "the console is read-only: start it with --allow-changes");
  }
  const Expected<Parameters> parameters = route.method == "POST" ? BodyParameters(request) : QueryParameters(query);
  if (!parameters.ok()) {
    return ErrorResponse(StatusCode(parameters.status().code()), parameters.status().message());
  }
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(Service::kMaxMs);
  const bool changes = route.call == nullptr;  // a change is not stopped halfway
  const CancelScope scope(CancelToken::Asking([end, changes, &request] {
    return !changes && (request.gone.cancelled() || std::chrono::steady_clock::now() > end);
  }));
  const Expected<Json> answer = Make(call, means, *parameters);
  if (answer.ok()) {
    return JsonResponse(200, *answer);
  }
  const Status status = answer.status();
  return ErrorResponse(StatusCode(status.code()),
                       status.code() == Code::kCancelled
                           ? "it took more than " + std::to_string(Service::kMaxMs / 1000) + " s, and was stopped"
                       : status.code() == Code::kInvalidArgument ? status.message()
                                                                 : status.ToString());
}

std::string ContentType(std::string_view name) {
  return name.ends_with(".js")    ? "text/javascript; charset=utf-8"
         : name.ends_with(".css") ? "text/css; charset=utf-8"
         : name.ends_with(".svg") ? "image/svg+xml"
                                  : "text/html; charset=utf-8";
}

net::HttpResponse AnswerFile(const net::HttpRequest& request, std::string_view name) {
  if (request.method != "GET" && request.method != "HEAD") {
    return {.status = 405, .content_type = "text/plain", .body = "only GET\n", .headers = {{"Allow", "GET, HEAD"}}};
  }
  const std::string_view text = EmbeddedFile(name);
  if (text.empty()) {
    return {.status = 404, .content_type = "text/plain", .body = "no such page; the console is /console/\n"};
  }
  return {.content_type = ContentType(name), .body = std::string(text)};
}

}  // namespace

bool Service::Handles(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  return path == kRoot || path.starts_with("/console/");
}

net::HttpResponse Service::AnswerApi(const net::HttpRequest& request, std::string_view path,
                                     std::string_view query) const {
  for (const Route& route : kRoutes) {
    if (path == route.name) {
      return request.method == route.method || (request.method == "HEAD" && route.method == "GET")
                 ? AnswerCall(route, request, query, {connection_, allow_changes_, counts_, statements_})
                 : net::HttpResponse{.status = 405,
                                     .content_type = "application/json",
                                     .body = "{\"error\":\"not with this method\"}\n",
                                     .headers = {{"Allow", std::string(route.method)}}};
    }
  }
  return ErrorResponse(404, "no such call");
}

net::HttpResponse Service::Answer(const net::HttpRequest& request) const {
  const Caller caller = {.address = request.client, .door = Door::kConsole};
  const CallerScope scope(&caller);
  const std::string_view target = request.target;
  const size_t question = std::min(target.find('?'), target.size());
  const std::string_view path = target.substr(0, question);
  const std::string_view query = target.substr(std::min(question + 1, target.size()));
  if (path == kRoot) {
    return Secured({.status = 302, .headers = {{"Location", "/console/"}}});
  }
  if (path.starts_with(kApi)) {
    return Secured(AnswerApi(request, path.substr(kApi.size()), query));
  }
  const std::string_view name = path.substr(kRoot.size() + 1);
  return Secured(AnswerFile(request, name.empty() ? "index.html" : name));
}

}  // namespace klip::console
