// klip thrift, klip rest and klip console: serve clients (the console: a browser) until a signal stops them.
#include <csignal>
#include <limits>

#include "cli/command.h"
#include "cli/gateways.h"

namespace klip::cli {
namespace {

constexpr int64_t kMaxPort = std::numeric_limits<uint16_t>::max();

struct Gateway {
  std::string store;
  std::string listen = "127.0.0.1";
  GatewayPorts ports;
  base::TlsFiles tls;
  bool insecure = false;
  bool no_fsync = false;
  bool ignore_coprocessors = false;

  Expected<int> operator()(const Console& console) const {
    KLIP_RETURN_IF_ERROR(CheckTlsFiles(tls));
    KLIP_RETURN_IF_ERROR(CheckListen(listen, insecure, tls));
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
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(store, open));
    GatewayPorts all = ports;
    all.on_cluster = store.starts_with("hbase+");
    KLIP_ASSIGN_OR_RETURN(const RunningGateways running, all.Start(connection.get(), listen, tls, console));
    if (running.console != nullptr) {
      const std::string host = listen == "::1" ? "[::1]" : listen;
      console.Print("console http{}://{}:{}/console/\n", tls.certificate.empty() ? "" : "s", host,
                    running.console->port());
    } else {
      console.Print("ready {}\n", running.ready);
    }
    std::fflush(console.out);
    int signal = 0;
    sigwait(&signals, &signal);
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
            "PEM file of the authority's revocation list; read again when it changes, and must not be out of date");
  args->AddFlag("--insecure", &gateway->insecure, "listen on any address: anyone who reaches it can read and write");
  args->AddFlag("--no-fsync", &gateway->no_fsync, "do not fsync the log on each write, as HBase does by default");
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
