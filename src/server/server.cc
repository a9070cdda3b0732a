#include "server/server.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <unistd.h>

#include "base/process.h"
#include "engine/store/cluster_id_file.h"
#include "net/http_server.h"
#include "net/reactor.h"
#include "replication/cluster_ids.h"
#include "server/node/node.h"
#include "server/node/server_hooks.h"
#include "server/node/services.h"
#include "server/pages/status_pages.h"
#include "server/registry/zookeeper_protocol.h"
#include "server/rpc/log.h"
#include "server/rpc/rpc_protocol.h"

namespace klip::server {
namespace {

// TUNING: HBase has 30 handlers. Writers wait for the disk, so there are more threads than cores.
constexpr int kThreads = 30;
constexpr int kKeptThreads = 10;  // TUNING: HBase has 20 for urgent calls, which mostly are short
constexpr int kDrainMs = 3000;
constexpr auto kChoreInterval = std::chrono::milliseconds(250);
constexpr int64_t kReportIntervalUs = 3 * 1000 * 1000;               // hbase.regionserver.msginterval
constexpr int64_t kJanitorIntervalUs = 300 * 1000 * 1000;            // hbase.catalogjanitor.interval
constexpr int64_t kRefusedIntervalUs = 60 * 1000 * 1000;             // between two log lines
constexpr int64_t kCleanerIntervalUs = int64_t{1800} * 1000 * 1000;  // hbase.master.cleaner.snapshot.interval
// TUNING: shares of the memory limit, see MemoryBudget's.
constexpr int64_t kScannersShare = 8;
constexpr size_t kMaxPageClients = 100;
constexpr int kPageThreads = 2;

// The address that clients should connect to.
Expected<base::Address> AdvertisedAddress(const ServerOptions& options, uint16_t rpc_port) {
  if (!options.advertise.empty()) {
    Expected<base::Address> address = base::ParseAddress(options.advertise, rpc_port);
    return address.ok() ? std::move(address)
                        : Status(Code::kInvalidArgument, "advertise: " + address.status().message());
  }
  const bool everywhere = options.listen == "0.0.0.0" || options.listen == "::";
  return base::Address{.host = everywhere ? base::HostName() : options.listen, .port = rpc_port};
}

// The memory for open scanners.
int64_t ScannerBytes(const ServerOptions& options, int64_t limit) {
  return std::min(static_cast<int64_t>(options.max_scanners) * kScannerBytes, limit / kScannersShare);
}

// HBase's clients are not authenticated, so a listener that others can reach needs certificates, or an explicit override.
Status RequireSecureListener(const ServerOptions& options, const net::Descriptor& socket) {
  const bool certificates =
      !options.tls.certificate.empty() && !options.tls.client_ca.empty() && !options.tls.allow_plaintext;
  if (options.insecure || certificates || net::IsLoopback(socket)) {
    return Status::Ok();
  }
  return {
      Code::kInvalidArgument,
      "listening on " + options.listen +
          " gives access to everyone who can reach it: set tls-cert, tls-key and tls-client-ca, so that clients need a "
          "certificate, or set insecure if only your clients can reach it"};
}

class RunningServer final : public Server {
 public:
  explicit RunningServer(std::unique_ptr<table::EmbeddedConnection> connection) : node_(std::move(connection)) {}

  ~RunningServer() override { Stop(); }

  Status Open(const ServerOptions& options) {
    // The other half of the descriptors is for the store's files.
    reactor_.LimitConnections(std::min(options.max_connections, base::RaiseDescriptorLimit() / 2),
                              net::Reactor::WhenFull::kEndWaiting);
    const int64_t limit = options.memory_limit > 0 ? options.memory_limit : DefaultMemoryLimit();
    node_.scanners.Limit(ScannerBytes(options, limit), options.scanner_timeout_ms);
    opening_us_ = options.opening_ms * 1000;
    node_.stop = options.stop;
    KLIP_ASSIGN_OR_RETURN(net::Descriptor rpc, net::Listen(options.listen, options.rpc_port));
    KLIP_ASSIGN_OR_RETURN(net::Descriptor zookeeper, net::Listen(options.listen, options.zookeeper_port));
    KLIP_RETURN_IF_ERROR(RequireSecureListener(options, rpc));
    if (!options.tls.certificate.empty()) {
      KLIP_ASSIGN_OR_RETURN(tls_, net::TlsContext::Load(options.tls));
    }
    rpc_port_ = net::PortOf(rpc);
    zookeeper_port_ = net::PortOf(zookeeper);
    KLIP_ASSIGN_OR_RETURN(advertised_, AdvertisedAddress(options, rpc_port_));
    node_.self = {advertised_.host, advertised_.port, node_.NowMs()};
    KLIP_ASSIGN_OR_RETURN(node_.cluster_id, engine::ReadOrMakeClusterId(node_.store().options()));
    node_.embedded->Serve(node_.self, node_.cluster_id,
                          [this](const SlowCallQuery& query) { return node_.slow_calls.Select(query); });
    if (node_.coprocessors = options.coprocessors; node_.coprocessors != nullptr) {
      node_.coprocessors->Listen({.unloaded =
                                      [log = Log(options.log_format)](const coprocessor::Unloaded& table) {
                                        log.Write("coprocessor_not_loaded",
                                                  {{"table", table.table}, {"error", table.why}});
                                      },
                                  .aborted =
                                      [this, log = Log(options.log_format)](const std::string& why) {
                                        log.Write("coprocessor_aborts_server", {{"error", why}});
                                        (void)node_.AskToStop();
                                      }});
      KLIP_RETURN_IF_ERROR(node_.coprocessors->Serve(node_.embedded.get(), advertised_.ToString()));
      for (const std::string& hook : node_.coprocessors->UncalledHooks()) {
        Log(options.log_format).Write("coprocessor_hook_never_called", {{"hook", hook}});
      }
    }
    const std::optional<engine::ClusterId> cluster_id = replication::ParseClusterId(node_.cluster_id);
    if (!cluster_id.has_value()) {
      return {Code::kCorruption, "the store's cluster id, " + node_.cluster_id + ", is not a UUID"};
    }
    node_.sources = std::make_unique<replication::Sources>(
        &node_.store(), *cluster_id, [this](std::string_view event, std::string_view peer, std::string_view text) {
          log_.Write(event, {{"peer", peer}, {"text", text}});
        });
    tree_ = std::make_unique<ZooKeeperTree>(node_.self, node_.cluster_id, &node_.regions);
    node_.nonces.Recover(node_.store().RecoveredNonces());
    AddServices();
    log_ = Log(options.log_format);
    node_.max_memory_bytes = options.memory_limit > 0 ? options.memory_limit : base::UsableBytes();
    keeper_.emplace(limit, node_.store().options().block_cache_bytes, &node_.store().storage());
    memory_.Limit(OrdinaryBytes(limit), LargeBytes(limit), [this] { keeper_->MakeRoom(); });
    setup_ = {.services = &services_,
              .cluster_id = &node_.cluster_id,
              .stopping = &node_.stopping,
              .metrics = &node_.metrics,
              .log = &log_,
              .memory = &memory_,
              .slow_calls = &node_.slow_calls,
              .slow_call_us = options.slow_call_ms * 1000,
              .large_response_bytes = static_cast<size_t>(options.large_response_bytes)};
    reactor_.Serve(std::move(rpc), tls_.get(), [this] { return NewRpcProtocol(&setup_); });
    reactor_.Serve(std::move(zookeeper), nullptr, [this] { return NewZooKeeperProtocol(tree_.get()); });
    Scrub(options);
    KLIP_RETURN_IF_ERROR(ServePages(options));
    KLIP_RETURN_IF_ERROR(reactor_.Start(kThreads, kKeptThreads));
    node_.sources->Refresh();
    chores_ = std::thread([this] { RunChores(); });
    return Status::Ok();
  }

  uint16_t rpc_port() const override { return rpc_port_; }
  uint16_t zookeeper_port() const override { return zookeeper_port_; }
  uint16_t http_port() const override { return pages_ == nullptr ? uint16_t{0} : pages_->port(); }
  const base::Address& advertised() const override { return advertised_; }
  net::MemoryBudget* memory() override { return &memory_; }

  void Stop() override {
    node_.stopping = true;
    {
      const std::lock_guard lock(chores_mutex_);
      stopping_ = true;
    }
    chores_wake_.notify_all();
    if (chores_.joinable()) {
      chores_.join();  // before the members that they use
    }
    reactor_.Stop(kDrainMs);
    if (pages_ != nullptr) {
      pages_->Stop(0);
    }
    node_.scrubber.reset();
    node_.compactor.Stop();
    if (node_.sources != nullptr) {
      node_.sources->Stop();
    }
    if (node_.coprocessors != nullptr) {
      node_.coprocessors->Stop();
    }
  }

 private:
  // One port serves all: clients open a connection per service.
  void AddServices() {
    AddClientService(&node_, &services_["ClientService"]);
    AddRegistryService(&node_, &services_["ClientMetaService"]);
    AddMasterService(&node_, &services_["MasterService"]);
    AddHbckService(&node_, &services_["HbckService"]);
    AddAdminService(&node_, &services_["AdminService"]);
    AddServerHooks(&node_, &services_);
  }

  // They have their own threads, so that they work while the server is busy.
  Status ServePages(const ServerOptions& options) {
    if (!options.http_port.has_value()) {
      return Status::Ok();
    }
    const net::HttpServerOptions http = {.listen = options.http_listen,
                                         .port = *options.http_port,
                                         .threads = kPageThreads,
                                         .max_connections = kMaxPageClients,
                                         .urgent = IsUrgentPage};
    const auto answer = [this, more = options.more_pages](const net::HttpRequest& request) {
      std::optional<net::HttpResponse> page = more != nullptr ? more(request) : std::nullopt;
      return page.has_value() ? *std::move(page) : StatusPage(request, &node_, services_, reactor_);
    };
    KLIP_ASSIGN_OR_RETURN(pages_, net::HttpServer::Start(http, answer));
    return Status::Ok();
  }

  void Scrub(const ServerOptions& options) {
    if (options.scrub_bytes_per_second > 0) {
      node_.scrubber = std::make_unique<engine::Scrubber>(engine::ScrubOptions{
          .store = node_.store().options().path,
          .bytes_per_second = options.scrub_bytes_per_second,
          .first_pause = std::chrono::milliseconds(options.scrub_after_ms),
          .tell = [log = log_](const std::string& file, const std::string& what) {
            log.Write(file.empty() ? "scrub_done" : "damaged_file", {{"file", file}, {"error", what}});
          }});
    }
  }

  void RefreshTls() {
    const Expected<bool> changed = tls_->Refresh();
    if (!changed.ok()) {
      log_.Write("certificate_error", {{"error", changed.status().message()}});
    } else if (*changed) {
      log_.Write("certificate_read", {});
    }
  }

  void RunCatalogJanitor() {
    const Expected<bool> on = node_.admin().cluster().IsSwitchOn(MasterSwitch::kCatalogJanitor);
    if (on.ok() && *on) {
      (void)node_.admin().cluster().RunCatalogJanitor();
    }
  }

  void CountCalls() {
    const int64_t passed_us = MonotonicUs() - counted_us_;
    if (passed_us < kReportIntervalUs) {
      return;
    }
    const int64_t calls = node_.metrics.calls;
    node_.metrics.calls_per_second = (calls - counted_calls_) * 1000 * 1000 / passed_us;
    counted_calls_ = calls;
    counted_us_ += passed_us;
  }

  void LogRefusedConnections() {
    const int64_t refused = reactor_.refused_connections() - logged_refused_;
    if (refused > 0 && MonotonicUs() - logged_refused_us_ >= kRefusedIntervalUs) {
      log_.Write("connections_refused", {{"count", refused}, {"open", static_cast<int64_t>(reactor_.connections())}});
      logged_refused_ += refused;
      logged_refused_us_ = MonotonicUs();
    }
  }

  void RunChores() {
    std::unique_lock lock(chores_mutex_);
    while (!chores_wake_.wait_for(lock, kChoreInterval, [this] { return stopping_; })) {
      node_.scanners.Expire(MonotonicUs());
      reactor_.ResumeAccepting();
      for (const net::Reactor::SlowClient& cut : reactor_.CutSlowClients(MonotonicUs(), opening_us_)) {
        log_.Write(cut.event, {{"client", cut.client}});
      }
      keeper_->Adjust();
      if (tls_ != nullptr) {
        RefreshTls();
      }
      CountCalls();
      LogRefusedConnections();
      if (MonotonicUs() - janitor_ran_us_ >= kJanitorIntervalUs) {
        RunCatalogJanitor();
        janitor_ran_us_ = MonotonicUs();
      }
      if (MonotonicUs() - cleaner_ran_us_ >= kCleanerIntervalUs) {
        (void)node_.admin().cluster().RunCleanerChore();
        cleaner_ran_us_ = MonotonicUs();
      }
    }
  }

  Node node_;
  Services services_;
  Log log_;
  net::MemoryBudget memory_;
  std::optional<MemoryKeeper> keeper_;
  RpcSetup setup_;
  std::unique_ptr<ZooKeeperTree> tree_;
  std::unique_ptr<net::TlsContext> tls_;  // null: plaintext
  net::Reactor reactor_;
  int64_t opening_us_ = 0;
  uint16_t rpc_port_ = 0;
  base::Address advertised_;
  uint16_t zookeeper_port_ = 0;
  std::unique_ptr<net::HttpServer> pages_;  // null: none

  std::mutex chores_mutex_;
  std::condition_variable chores_wake_;
  bool stopping_ = false;  // guarded by chores_mutex_
  int64_t janitor_ran_us_ = MonotonicUs();
  int64_t cleaner_ran_us_ = MonotonicUs();
  int64_t counted_us_ = MonotonicUs();
  int64_t counted_calls_ = 0;
  int64_t logged_refused_us_ = MonotonicUs() - kRefusedIntervalUs;
  int64_t logged_refused_ = 0;
  std::thread chores_;
};

}  // namespace

Expected<std::unique_ptr<Server>> Server::Start(std::unique_ptr<table::EmbeddedConnection> connection,
                                                const ServerOptions& options) {
  auto server = std::make_unique<RunningServer>(std::move(connection));
  KLIP_RETURN_IF_ERROR(server->Open(options));
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace klip::server
