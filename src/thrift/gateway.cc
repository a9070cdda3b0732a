#include "thrift/gateway.h"

#include <thrift/Thrift.h>

#include "thrift/listener.h"
#include "thrift/scanners.h"
#include "thrift/thrift1_handler.h"

namespace klip::thrift {
namespace {

class RunningGateway : public Gateway {
 public:
  RunningGateway(Connection* connection, const GatewayOptions& options)
      : scanners_(options.scanner_idle_ms), thrift1_(std::make_shared<Thrift1Handler>(connection, &scanners_)) {}
  ~RunningGateway() override { Stop(); }

  Status Listen(const GatewayOptions& options) {
    KLIP_ASSIGN_OR_RETURN(listener1_, Listener::Listen(options.listen, options.port, options.log));
    thrift1_->set_address({options.listen, listener1_->port()});
    listener1_->Answer(std::make_shared<thrift1::HbaseProcessor>(thrift1_));
    return Status::Ok();
  }

  uint16_t port() const override { return listener1_->port(); }

  void Stop() override {
    if (listener1_ != nullptr) {
      listener1_->Stop();
    }
  }

 private:
  Scanners scanners_;
  std::shared_ptr<Thrift1Handler> thrift1_;
  std::unique_ptr<Listener> listener1_;
};

}  // namespace

Expected<std::unique_ptr<Gateway>> Gateway::Start(Connection* connection, const GatewayOptions& options) {
  apache::thrift::GlobalOutput.setOutputFunction([](const char*) {});  // what matters is in the exceptions
  auto gateway = std::make_unique<RunningGateway>(connection, options);
  KLIP_RETURN_IF_ERROR(gateway->Listen(options));
  return std::unique_ptr<Gateway>(std::move(gateway));
}

}  // namespace klip::thrift
