// klip rest: answers HBase's REST clients until it is told to stop.
#include <csignal>
#include <limits>

#include "cli/command.h"
#include "cli/gateways.h"

namespace klip::cli {
namespace {

struct Rest {
  std::string store;
  std::string listen = "127.0.0.1";
  GatewayPorts ports = {.rest = 8080};
  bool insecure = false;
  bool no_fsync = false;

  Expected<int> operator()(const Console& console) const {
    KLIP_RETURN_IF_ERROR(CheckListen(listen, insecure));
    // Before any thread starts, so that none of them gets the signals.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    ConnectionOptions open;
    open.sync_wal = !no_fsync;
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(store, open));
    KLIP_ASSIGN_OR_RETURN(const RunningGateways running, ports.Start(connection.get(), listen, console));
    console.Print("ready {}\n", running.ready);
    std::fflush(console.out);
    int signal = 0;
    sigwait(&signals, &signal);
    return kExitOk;
  }
};

}  // namespace

Run AddRestCommand(Arguments* args) {
  auto rest = std::make_shared<Rest>();
  constexpr int64_t kMaxPort = std::numeric_limits<uint16_t>::max();
  args->Add("STORE", &rest->store, "a directory, or klip:DIRECTORY; made when it is not there").Required();
  args->Add("--listen", &rest->listen, "address to listen on (default 127.0.0.1: this machine only)");
  args->Add("--port", &rest->ports.rest, "of HTTP (default 8080; 0: any free one)").Between(0, kMaxPort);
  args->AddFlag("--insecure", &rest->insecure, "listen on any address: anyone who reaches it can read and write");
  args->AddFlag("--no-fsync", &rest->no_fsync, "hand the log to the operating system, as HBase does by default");
  return [rest](const Console& console) { return (*rest)(console); };
}

}  // namespace klip::cli
