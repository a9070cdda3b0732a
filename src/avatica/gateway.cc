#include "avatica/gateway.h"

#include <utility>

#include "avatica/service.h"

namespace klip::avatica {
namespace {

constexpr char kContentType[] = "application/x-google-protobuf";

class HttpGateway final : public Gateway {
 public:
  HttpGateway(Connection* connection, const GatewayOptions& options)
      : service_(connection, {.memory = options.statement_memory, .timeout_ms = options.statement_timeout_ms}) {}
  ~HttpGateway() override { Stop(); }

  Status Open(const GatewayOptions& options) {
    KLIP_ASSIGN_OR_RETURN(http_,
                          StartServer(options, [this](const net::HttpRequest& request) { return Answer(request); }));
    return Status::Ok();
  }

  uint16_t port() const override { return http_->port(); }

  void Stop() override {
    service_.Stop();
    if (http_ != nullptr) {
      http_->Stop(kDrainMs);
    }
    service_.Stop();  // what was opened meanwhile
  }

 private:
  net::HttpResponse Answer(const net::HttpRequest& request) {
    if (request.method != "POST") {
      return {.status = 405,
              .content_type = "text/plain",
              .body = "Avatica calls are POST requests with protobuf messages\n",
              .headers = {{"Allow", "POST"}}};
    }
    Service::Reply reply = service_.Answer(request.body, request.Header("host"), request.client, request.gone);
    return {.status = reply.failed ? 500 : 200, .content_type = kContentType, .body = std::move(reply.body)};
  }

  Service service_;
  std::unique_ptr<net::HttpServer> http_;
};

}  // namespace

Expected<std::unique_ptr<Gateway>> StartGateway(Connection* connection, const GatewayOptions& options) {
  auto gateway = std::make_unique<HttpGateway>(connection, options);
  KLIP_RETURN_IF_ERROR(gateway->Open(options));
  return std::unique_ptr<Gateway>(std::move(gateway));
}

}  // namespace klip::avatica
