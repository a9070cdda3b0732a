#include "thrift/gateway.h"

#include <thrift/Thrift.h>

#include "thrift/listener.h"
#include "thrift/scanners.h"
#include "thrift/thrift1_handler.h"
#include "thrift/thrift2_handler.h"

namespace klip::thrift {
namespace {

class RunningGateway : public Gateway {
 public:
  RunningGateway(Connection* connection, const GatewayOptions& options)
      : scanners_(/*first=*/0, kMaxOpenScanners, options.scanner_idle_ms),
        thrift1_(std::make_shared<Thrift1Handler>(connection, &scanners_)),
        thrift2_(std::make_shared<Thrift2Handler>(connection, &scanners_)) {}
  ~RunningGateway() override { Stop(); }

  Status Listen(const GatewayOptions& options) {
    KLIP_ASSIGN_OR_RETURN(listener1_, Listener::Listen(options.listen, options.port, options.tls, options.log));
    if (options.port2) {
      KLIP_ASSIGN_OR_RETURN(listener2_, Listener::Listen(options.listen, *options.port2, options.tls, options.log));
    }
    thrift1_->set_address({options.listen, listener1_->port()});
    listener1_->Answer(std::make_shared<thrift1::HbaseProcessor>(thrift1_), options.memory);
    if (listener2_ != nullptr) {
      thrift2_->set_address({options.listen, listener2_->port()});
      listener2_->Answer(std::make_shared<thrift2::THBaseServiceProcessor>(thrift2_), options.memory);
    }
    return Status::Ok();
  }

  uint16_t port() const override { return listener1_->port(); }

  std::optional<uint16_t> port2() const override {
    return listener2_ == nullptr ? std::nullopt : std::optional(listener2_->port());
  }

  void Stop() override {
    for (Listener* listener : {listener1_.get(), listener2_.get()}) {
      if (listener != nullptr) {
        listener->Stop();
      }
    }
  }

 private:
  Scanners scanners_;
  std::shared_ptr<Thrift1Handler> thrift1_;
  std::shared_ptr<Thrift2Handler> thrift2_;
  std::unique_ptr<Listener> listener1_;
  std::unique_ptr<Listener> listener2_;
};

}  // namespace

Expected<std::unique_ptr<Gateway>> Gateway::Start(Connection* connection, const GatewayOptions& options) {
  apache::thrift::GlobalOutput.setOutputFunction([](const char*) {});  // exceptions contain what matters
  auto gateway = std::make_unique<RunningGateway>(connection, options);
  KLIP_RETURN_IF_ERROR(gateway->Listen(options));
  return std::unique_ptr<Gateway>(std::move(gateway));
}

}  // namespace klip::thrift
