// klip thrift: answers HBase's Thrift clients until it is told to stop.
#include <csignal>
#include <limits>

#include "cli/command.h"
#include "thrift/gateway.h"

namespace klip::cli {
namespace {

struct Thrift {
  std::string store;
  thrift::GatewayOptions options;
  int32_t port = 9090;
  int32_t port2 = -1;
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
    open.table_sanity_checks = false;  // as with `klip serve`
    KLIP_ASSIGN_OR_RETURN(auto connection, OpenStore(store, open));
    thrift::GatewayOptions ports = options;
    ports.port = static_cast<uint16_t>(port);
    if (port2 >= 0) {
      ports.port2 = static_cast<uint16_t>(port2);
    }
    ports.log = [&console](const std::string& line) { fmt::print(console.err, "klip: {}\n", line); };
    KLIP_ASSIGN_OR_RETURN(const auto gateway, thrift::Gateway::Start(connection.get(), ports));
    console.Print("ready thrift={}:{}", options.listen, gateway->port());
    if (gateway->port2()) {
      console.Print(" thrift2={}:{}", options.listen, *gateway->port2());
    }
    console.Print("\n");
    std::fflush(console.out);
    int signal = 0;
    sigwait(&signals, &signal);
    gateway->Stop();
    return kExitOk;
  }
};

}  // namespace

Run AddThriftCommand(Arguments* args) {
  auto thrift = std::make_shared<Thrift>();
  constexpr int64_t kMaxPort = std::numeric_limits<uint16_t>::max();
  args->Add("STORE", &thrift->store, "a directory, or klip:DIRECTORY; made when it is not there").Required();
  args->Add("--listen", &thrift->options.listen, "address to listen on (default 127.0.0.1: this machine only)");
  args->Add("--port", &thrift->port, "of HBase's first Thrift interface, service Hbase (default 9090; 0: any free one)")
      .Between(0, kMaxPort);
  args->Add("--port2", &thrift->port2,
            "of the second one as well, service THBaseService (0: any free one; default: not served)")
      .Between(0, kMaxPort);
  args->AddFlag("--no-fsync", &thrift->no_fsync, "hand the log to the operating system, as HBase does by default");
  return [thrift](const Console& console) { return (*thrift)(console); };
}

}  // namespace klip::cli
