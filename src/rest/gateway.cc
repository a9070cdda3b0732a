#include "rest/gateway.h"

#include <utility>

#include "klip/caller.h"
#include "rest/resources.h"

namespace klip::rest {
namespace {

std::optional<Request::Verb> VerbOf(std::string_view method) {
  if (method == "GET" || method == "HEAD") {
    return Request::Verb::kGet;
  }
  if (method == "PUT") {
    return Request::Verb::kPut;
  }
  if (method == "POST") {
    return Request::Verb::kPost;
  }
  return method == "DELETE" ? std::optional(Request::Verb::kDelete) : std::nullopt;
}

Expected<Request> RequestFrom(net::HttpRequest from, Request::Verb verb, bool tls) {
  Request request{.verb = verb};
  KLIP_RETURN_IF_ERROR(ParseTarget(from.target, &request));
  request.accept = from.Header("accept");
  request.content_type = from.Header("content-type");
  request.url = (tls ? "https://" : "http://") + from.Header("host");
  request.headers = std::move(from.headers);
  request.body = std::move(from.body);
  return request;
}

class HttpGateway final : public Gateway {
 public:
  HttpGateway(Connection* connection, int64_t scanner_idle_ms, net::MemoryBudget* memory)
      : resources_(connection, scanner_idle_ms, memory) {}
  ~HttpGateway() override { Stop(); }

  Status Open(const GatewayOptions& options) {
    tls_ = !options.tls.certificate.empty();
    KLIP_ASSIGN_OR_RETURN(http_,
                          StartServer(options, [this](net::HttpRequest from) { return Answer(std::move(from)); }));
    return Status::Ok();
  }

  uint16_t port() const override { return http_->port(); }

  void Stop() override {
    if (http_ != nullptr) {
      http_->Stop(kDrainMs);
    }
    resources_.DropScanners();
  }

 private:
  Response Answer(net::HttpRequest from) {
    const Caller caller = {.address = from.client, .door = Door::kRest};
    const CallerScope scope(&caller);
    const std::optional<Request::Verb> verb = VerbOf(from.method);
    if (!verb.has_value()) {
      return MethodNotAllowed(kAllVerbs);
    }
    const Expected<Request> request = RequestFrom(std::move(from), *verb, tls_);
    return request.ok() ? resources_.Answer(*request) : ErrorResponse(request.status());
  }

  Resources resources_;
  bool tls_ = false;
  std::unique_ptr<net::HttpServer> http_;
};

}  // namespace

Expected<std::unique_ptr<Gateway>> StartGateway(Connection* connection, const GatewayOptions& options,
                                                int64_t scanner_idle_ms) {
  auto gateway = std::make_unique<HttpGateway>(connection, scanner_idle_ms, options.memory);
  KLIP_RETURN_IF_ERROR(gateway->Open(options));
  return std::unique_ptr<Gateway>(std::move(gateway));
}

}  // namespace klip::rest
