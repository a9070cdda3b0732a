// klip rest: answers HBase's REST clients until it is told to stop.
#include <csignal>
#include <limits>

#include "cli/command.h"
#include "rest/gateway.h"

namespace klip::cli {
namespace {

struct Rest {
  std::string store;
  rest::GatewayOptions options;
  int32_t port = 8080;
  bool no_fsync = false;

  Expected<int> operator()(const Console& console) const {
    // Before any thread starts, so that none of them gets the signals.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);

    ConnectionOptions open;
    open.sync_wal = !no_fsync;
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(store, open));
    rest::GatewayOptions ports = options;
    ports.port = static_cast<uint16_t>(port);
    KLIP_ASSIGN_OR_RETURN(const auto gateway, rest::Gateway::Start(connection.get(), ports));
    console.Print("ready rest={}:{}\n", options.listen, gateway->port());
    std::fflush(console.out);
    int signal = 0;
    sigwait(&signals, &signal);
    gateway->Stop();
    return kExitOk;
  }
};

}  // namespace

Run AddRestCommand(Arguments* args) {
  auto rest = std::make_shared<Rest>();
  constexpr int64_t kMaxPort = std::numeric_limits<uint16_t>::max();
  args->Add("STORE", &rest->store, "a directory, or klip:DIRECTORY; made when it is not there").Required();
  args->Add("--listen", &rest->options.listen, "address to listen on (default 127.0.0.1: this machine only)");
  args->Add("--port", &rest->port, "of HTTP (default 8080; 0: any free one)").Between(0, kMaxPort);
  args->AddFlag("--no-fsync", &rest->no_fsync, "hand the log to the operating system, as HBase does by default");
  return [rest](const Console& console) { return (*rest)(console); };
}

}  // namespace klip::cli
