#include "console/gateway.h"

#include <utility>

#include "console/service.h"

namespace klip::console {
namespace {

class HttpGateway final : public Gateway {
 public:
  HttpGateway(Connection* connection, bool allow_changes, RegionCounts* counts, net::MemoryBudget* statements)
      : service_(connection, allow_changes, counts, statements) {}
  ~HttpGateway() override { Stop(); }

  Status Open(const GatewayOptions& options) {
    KLIP_ASSIGN_OR_RETURN(http_,
                          StartServer(options, [this](const net::HttpRequest& request) { return Answer(request); }));
    return Status::Ok();
  }

  uint16_t port() const override { return http_->port(); }

  void Stop() override {
    if (http_ != nullptr) {
      http_->Stop(kDrainMs);
    }
  }

 private:
  net::HttpResponse Answer(const net::HttpRequest& request) const {
    if (request.target == "/") {
      return {.status = 302, .headers = {{"Location", "/console/"}}};
    }
    return Service::Handles(request.target)
               ? service_.Answer(request)
               : net::HttpResponse{.status = 404, .content_type = "text/plain", .body = "the console is /console/\n"};
  }

  const Service service_;
  std::unique_ptr<net::HttpServer> http_;
};

}  // namespace

Expected<std::unique_ptr<Gateway>> StartGateway(Connection* connection, const GatewayOptions& options,
                                                bool allow_changes, RegionCounts* counts) {
  auto gateway = std::make_unique<HttpGateway>(connection, allow_changes, counts, options.statement_memory);
  KLIP_RETURN_IF_ERROR(gateway->Open(options));
  return std::unique_ptr<Gateway>(std::move(gateway));
}

}  // namespace klip::console
