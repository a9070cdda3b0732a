// klip serve: answers HBase's clients until it is told to stop.
#include <csignal>
#include <limits>

#include "cli/command.h"
#include "server/server.h"

namespace klip::cli {
namespace {

struct Serve {
  std::string data = "klip-data";
  server::ServerOptions options;
  int32_t rpc_port = 16020;
  int32_t zookeeper_port = 2181;
  bool no_fsync = false;

  Expected<int> operator()(const Console& console) const {
    // Before any thread starts, so that none of them gets the signals.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    ConnectionOptions store;
    store.sync_wal = !no_fsync;
    store.table_sanity_checks = false;  // as unwise as a table may be for HBase, here it only is what was asked for
    KLIP_ASSIGN_OR_RETURN(auto connection, Connection::Open("klip:" + data, store));
    server::ServerOptions ports = options;
    ports.rpc_port = static_cast<uint16_t>(rpc_port);
    ports.zookeeper_port = static_cast<uint16_t>(zookeeper_port);
    KLIP_ASSIGN_OR_RETURN(const auto server, server::Server::Start(std::move(connection), ports));
    console.Print("ready rpc={}:{} zookeeper={}:{} data={}\n", server->host(), server->rpc_port(), server->host(),
                  server->zookeeper_port(), data);
    std::fflush(console.out);
    int signal = 0;
    sigwait(&signals, &signal);
    server->Stop();
    return kExitOk;
  }
};

}  // namespace

Run AddServeCommand(Arguments* args) {
  auto serve = std::make_shared<Serve>();
  constexpr int64_t kMaxPort = std::numeric_limits<uint16_t>::max();
  args->Add("--data", &serve->data, "directory of the store; made when it is not there (default klip-data)");
  args->Add("--listen", &serve->options.listen, "address to listen on (default 127.0.0.1: this machine only)");
  args->Add("--advertise", &serve->options.advertise,
            "host name that clients are told to connect to (default: --listen)");
  args->Add("--rpc-port", &serve->rpc_port, "of HBase's RPC: master and region server (default 16020; 0: any free one)")
      .Between(0, kMaxPort);
  args->Add("--zk-port", &serve->zookeeper_port, "where clients ask for the cluster (default 2181; 0: any free one)")
      .Between(0, kMaxPort);
  args->AddFlag("--no-fsync", &serve->no_fsync, "hand the log to the operating system, as HBase does by default");
  return [serve](const Console& console) { return (*serve)(console); };
}

}  // namespace klip::cli
