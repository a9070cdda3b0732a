#include "net/http_server.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "net/clock.h"
#include "net/http_protocol.h"
#include "net/reactor.h"

namespace klip::net {
namespace {

constexpr int kUrgentThreads = 2;
constexpr auto kChoreInterval = std::chrono::milliseconds(250);
constexpr int64_t kOpeningUs = 30 * 1000 * 1000;  // for a connection's TLS and its first request
constexpr int64_t kTellIntervalUs = 60 * 1000 * 1000;

class RunningHttpServer final : public HttpServer {
 public:
  RunningHttpServer(const HttpServerOptions& options, HttpHandler handler)
      : log_(options.log),
        max_threads_(options.max_connections + kUrgentThreads + 1),
        service_{.handler = std::move(handler),
                 .limits = options.limits,
                 .memory = options.memory,
                 .urgent = options.urgent} {
    if (options.memory != nullptr) {  // TUNING: for those being received, in addition to those being answered
      service_.max_bodies_bytes =
          std::min(service_.max_bodies_bytes, static_cast<int64_t>(options.memory->largest() / 4));
    }
  }
  ~RunningHttpServer() override { Stop(0); }

  Status Open(const HttpServerOptions& options) {
    if (!options.tls.certificate.empty()) {
      KLIP_ASSIGN_OR_RETURN(tls_, TlsContext::Load(options.tls));
    }
    KLIP_ASSIGN_OR_RETURN(Descriptor socket, Listen(options.listen, options.port));
    port_ = PortOf(socket);
    reactor_.LimitConnections(options.max_connections, Reactor::WhenFull::kEndWaiting);
    reactor_.Serve(std::move(socket), tls_.get(), [this] {
      if (tls_ != nullptr) {
        tls_->RefreshAndLog(log_);
      }
      return NewHttpProtocol(&service_);
    });
    KLIP_RETURN_IF_ERROR(reactor_.Start(options.threads, kUrgentThreads));
    chores_ = std::thread([this] { RunChores(); });
    return Status::Ok();
  }

  uint16_t port() const override { return port_; }

  void Stop(int drain_ms) override {
    {
      const std::lock_guard lock(chores_mutex_);
      stopping_ = true;
    }
    chores_wake_.notify_all();
    if (chores_.joinable()) {
      chores_.join();
    }
    reactor_.Stop(drain_ms);
  }

 private:
  void RunChores() {
    size_t cut = 0;
    int64_t told_us = MonotonicUs() - kTellIntervalUs;
    std::unique_lock lock(chores_mutex_);
    while (!chores_wake_.wait_for(lock, kChoreInterval, [this] { return stopping_; })) {
      reactor_.ResumeAccepting();
      reactor_.AddThreads(max_threads_);
      const int64_t now_us = MonotonicUs();
      cut += reactor_.CutSlowClients(now_us, kOpeningUs).size();
      if (cut > 0 && now_us - told_us >= kTellIntervalUs) {
        log_("HTTP: closed " + std::to_string(std::exchange(cut, 0)) + " connections of slow clients");
        told_us = now_us;
      }
    }
  }

  const std::function<void(const std::string&)> log_;
  const size_t max_threads_;  // each connection has at most one call
  HttpService service_;
  std::unique_ptr<TlsContext> tls_;  // null: plaintext
  uint16_t port_ = 0;
  Reactor reactor_;

  std::mutex chores_mutex_;
  std::condition_variable chores_wake_;
  bool stopping_ = false;  // guarded by chores_mutex_
  std::thread chores_;
};

}  // namespace

Expected<std::unique_ptr<HttpServer>> HttpServer::Start(const HttpServerOptions& options, HttpHandler handler) {
  auto server = std::make_unique<RunningHttpServer>(options, std::move(handler));
  KLIP_RETURN_IF_ERROR(server->Open(options));
  return std::unique_ptr<HttpServer>(std::move(server));
}

}  // namespace klip::net
