// klip thrift, klip rest and klip console: serve clients (the console: a browser) until a signal stops them.
#include <chrono>
#include <csignal>
#include <limits>

#include <fmt/format.h>

#include "cli/command.h"
#include "cli/gateways.h"
#include "server/rpc/memory.h"
#include "table/embedded_connection.h"

namespace klip::cli {
namespace {

constexpr int64_t kMaxPort = std::numeric_limits<uint16_t>::max();

constexpr std::chrono::milliseconds kAdjustEvery{250};

// Keeps the process within its limit of memory, as klip serve does.
class GatewayMemory {
 public:
  // The connection outlives it.
  GatewayMemory(int64_t limit, const ConnectionOptions& options, Connection* connection)
      : keeper_(limit, options.block_cache_bytes, StorageOf(connection)) {
    budget_.Limit(server::OrdinaryBytes(limit), server::LargeBytes(limit), [this] { keeper_.MakeRoom(); });
    statement_budget_.Limit(server::StatementBytes(limit), /*large=*/0);
  }

  net::MemoryBudget* budget() { return &budget_; }
  net::MemoryBudget* statement_budget() { return &statement_budget_; }
  void Adjust() { keeper_.Adjust(); }

 private:
  // Null: of a cluster.
  static engine::Storage* StorageOf(Connection* connection) {
    auto* const embedded = dynamic_cast<table::EmbeddedConnection*>(connection);
    return embedded == nullptr ? nullptr : &embedded->store().storage();
  }

  server::MemoryKeeper keeper_;
  net::MemoryBudget budget_;
  net::MemoryBudget statement_budget_;
};

// The signal that stops the process.
void WaitForSignal(const sigset_t& signals, GatewayMemory* memory) {
  const timespec wait = {.tv_nsec = std::chrono::nanoseconds(kAdjustEvery).count()};
  while (sigtimedwait(&signals, nullptr, &wait) < 0) {
    memory->Adjust();
  }
}

struct Gateway {
  std::string store;
  std::string listen = "127.0.0.1";
  GatewayPorts ports;
  base::TlsFiles tls;
  bool insecure = false;
  bool no_fsync = false;
  bool ignore_coprocessors = false;
  int64_t memory_limit = 0;  // 0: half of what the machine has

  Expected<int> operator()(const Console& console) const {
    KLIP_RETURN_IF_ERROR(CheckTlsFiles(tls));
    KLIP_RETURN_IF_ERROR(CheckListen(listen, insecure, tls));
    if (memory_limit > 0 && memory_limit < server::kLeastMemoryLimit) {
      return UsageError(fmt::format("memory-limit must be {} MB or more", server::kLeastMemoryLimit >> 20U));
    }
    {
      PortCheck check;  // it holds the ports
      KLIP_RETURN_IF_ERROR(ports.CheckFree(listen, /*in_serve=*/false, &check));
    }
    // Before any thread starts, so that no thread receives the signals.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    ConnectionOptions open;
    open.sync_wal = !no_fsync;
    open.ignore_coprocessors = ignore_coprocessors;
    server::LimitStoreMemory(memory_limit, &open);
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(store, open));
    GatewayMemory memory(memory_limit > 0 ? memory_limit : server::DefaultMemoryLimit(), open, connection.get());
    GatewayPorts all = ports;
    all.on_cluster = store.starts_with("hbase+");
    KLIP_ASSIGN_OR_RETURN(const RunningGateways running, all.Start(connection.get(), listen, tls, console,
                                                                   memory.budget(), memory.statement_budget()));
    if (running.console != nullptr) {
      const std::string host = listen == "::1" ? "[::1]" : listen;
      console.Print("console http{}://{}:{}/console/\n", tls.certificate.empty() ? "" : "s", host,
                    running.console->port());
    } else {
      console.Print("ready {}\n", running.ready);
    }
    std::fflush(console.out);
    WaitForSignal(signals, &memory);
    return kExitOk;
  }
};

// Adds a gateway with the arguments that all gateways share.
std::shared_ptr<Gateway> AddGateway(Arguments* args) {
  auto gateway = std::make_shared<Gateway>();
  args->Add("STORE", &gateway->store, "a directory, or klip:DIRECTORY; created if it does not exist").Required();
  args->Add("--listen", &gateway->listen, "address to listen on (default 127.0.0.1: this machine only)");
  args->Add("--tls-cert", &gateway->tls.certificate, "PEM file of the server's certificate: TLS");
  args->Add("--tls-key", &gateway->tls.key, "PEM file of its key");
  args->Add("--tls-client-ca", &gateway->tls.ca,
            "PEM file of the authority that signs client certificates; clients then need one");
  args->Add("--tls-crl", &gateway->tls.crl,
            "PEM file of the authority's revocation list; read again when it changes, and must not have expired");
  args->AddFlag("--insecure", &gateway->insecure, "listen on any address: anyone who reaches it can read and write");
  args->AddFlag("--no-fsync", &gateway->no_fsync, "do not fsync the log on each write, which is HBase's default");
  args->Add("--memory-limit", &gateway->memory_limit,
            "memory limit of the process, e.g. 2GB (default: half of the available memory)")
      .Bytes();
  AddIgnoreCoprocessors(args, &gateway->ignore_coprocessors);
  return gateway;
}

}  // namespace

Run AddThriftCommand(Arguments* args) {
  auto thrift = AddGateway(args);
  thrift->ports.thrift = 9090;
  args->Add("--port", &thrift->ports.thrift,
            "port of HBase's first Thrift interface, service Hbase (default 9090; 0: any free port)")
      .Between(0, kMaxPort);
  args->Add("--port2", &thrift->ports.thrift2,
            "port of the second Thrift interface, service THBaseService (0: any free port; default: off)")
      .Between(0, kMaxPort);
  return [thrift](const Console& console) { return (*thrift)(console); };
}

Run AddRestCommand(Arguments* args) {
  auto rest = AddGateway(args);
  rest->ports.rest = 8080;
  args->Add("--port", &rest->ports.rest, "HTTP port (default 8080; 0: any free port)").Between(0, kMaxPort);
  return [rest](const Console& console) { return (*rest)(console); };
}

Run AddConsoleCommand(Arguments* args) {
  auto gateway = AddGateway(args);
  gateway->ports.console = 0;
  args->Add("--port", &gateway->ports.console, "HTTP port (default: any free port)").Between(0, kMaxPort);
  args->AddFlag("--allow-changes", &gateway->ports.console_changes,
                "the console may change rows, tables and indexes (default: it only reads)");
  return [gateway](const Console& console) { return (*gateway)(console); };
}

}  // namespace klip::cli
